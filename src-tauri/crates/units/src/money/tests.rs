use proptest::prelude::*;

use super::*;
use crate::tender::{Cny, Usd};

fn usd(micro: i64) -> Money<Usd> {
    Money::from_micro(micro)
}

#[test]
fn a_product_is_rounded_once_and_half_to_even() {
    for (micro, factor, product) in [
        // A quarter's fee on $1.00; an hour at $0.0725 let for 24 h.
        (1_000_000, "0.25", 250_000),
        (72_500, "24", 1_740_000),
        // Halves go to the even neighbour, on both sides of zero.
        (1, "0.5", 0),
        (3, "0.5", 2),
        (5, "0.5", 2),
        (-1, "0.5", 0),
        (-3, "0.5", -2),
        (3, "-0.5", -2),
        // 0.49… is not rounded to a half first: that would make it 2.
        (1, "1.4999999999999999999999999999", 1),
        // A third of a cent.
        (10_000, "0.3333333333", 3_333),
        (i64::MAX, "1", i64::MAX),
        (i64::MIN, "1", i64::MIN),
        (0, "79228162514264337593543950335", 0),
    ] {
        assert_eq!(usd(micro).times(factor.parse().unwrap()), Ok(usd(product)), "{micro} × {factor}");
    }
}

#[test]
fn what_cannot_be_counted_is_an_error_and_no_wrap() {
    assert_eq!(usd(i64::MAX).checked_add(usd(1)), Err(MoneyError::Overflow));
    assert_eq!(usd(i64::MIN).checked_sub(usd(1)), Err(MoneyError::Overflow));
    assert_eq!(usd(i64::MAX).times("1.0000000001".parse().unwrap()), Err(MoneyError::Overflow));
    assert_eq!(usd(i64::MAX).times(Decimal::MAX), Err(MoneyError::Overflow));
    assert_eq!(Money::checked_sum([usd(i64::MAX), usd(1)]), Err(MoneyError::Overflow));
    assert_eq!(Money::checked_sum([usd(2), usd(-5)]), Ok(usd(-3)));
}

#[test]
fn parts_go_by_the_largest_remainder() {
    let split = |micro, weights: &[u64]| {
        usd(micro).split(weights).map(|parts| parts.into_iter().map(Money::micro).collect::<Vec<_>>())
    };
    // 100 in three: 33⅓ each; the first of equal remainders gets the one that is left.
    assert_eq!(split(100, &[1, 1, 1]), Ok(vec![34, 33, 33]));
    assert_eq!(split(-100, &[1, 1, 1]), Ok(vec![-34, -33, -33]));
    // 10 by 1:2:4 is 1.43, 2.86, 5.71: the two left go to .86 and .71.
    assert_eq!(split(10, &[1, 2, 4]), Ok(vec![1, 3, 6]));
    assert_eq!(split(7, &[0, 5, 0]), Ok(vec![0, 7, 0]));
    assert_eq!(split(i64::MIN, &[u64::MAX]), Ok(vec![i64::MIN]));
    assert_eq!(split(1, &[0, 0]), Err(MoneyError::NoWeights));
    assert_eq!(split(1, &[]), Err(MoneyError::NoWeights));
}

#[test]
fn an_amount_becomes_money_of_its_own_currency_alone() {
    let amount = Amount::from(usd(42));
    assert_eq!(amount.money::<Usd>(), Ok(usd(42)));
    assert_eq!(
        amount.money::<Cny>(),
        Err(MoneyError::OtherCurrency { wanted: Currency::Cny, found: Currency::Usd })
    );
}

#[test]
fn an_amount_crosses_as_a_number_that_every_reader_holds_exactly() {
    let json = |micro| serde_json::to_string(&Amount::from_micro(micro, Currency::Cny));
    assert_eq!(json(-1_250_000).unwrap(), r#"{"micro":-1250000,"currency":"CNY"}"#);
    assert!(json(9_007_199_254_740_991).is_ok());
    assert!(json(9_007_199_254_740_992).is_err());
    assert!(json(i64::MIN).is_err());
    for refused in [
        r#"{"micro":9007199254740992,"currency":"CNY"}"#,
        r#"{"micro":1.5,"currency":"CNY"}"#,
        r#"{"micro":1,"currency":"RMB"}"#,
        r#"{"micro":null,"currency":"CNY"}"#,
        r#"{"currency":"CNY"}"#,
    ] {
        assert!(serde_json::from_str::<Amount>(refused).is_err(), "{refused}");
    }
}

#[test]
fn an_amount_is_written_without_loss() {
    for (micro, shown) in
        [(1_250_000, "1.25 USD"), (-1, "-0.000001 USD"), (0, "0 USD"), (72_500, "0.0725 USD")]
    {
        assert_eq!(Amount::from_micro(micro, Currency::Usd).to_string(), shown);
    }
}

proptest! {
    #[test]
    fn parts_are_the_whole_and_within_one_of_their_share(
        micro in any::<i64>(),
        weights in prop::collection::vec(0_u64..1_000_000, 1..65),
    ) {
        let total: u128 = weights.iter().copied().map(u128::from).sum();
        prop_assume!(total > 0);
        let parts = usd(micro).split(&weights).unwrap();
        prop_assert_eq!(Money::checked_sum(parts.iter().copied()), Ok(usd(micro)));
        for (part, weight) in parts.iter().zip(&weights) {
            let share = u128::from(micro.unsigned_abs()) * u128::from(*weight) / total;
            prop_assert!(u128::from(part.micro().unsigned_abs()) - share <= 1);
        }
    }

    #[test]
    fn sums_undo_differences(a in any::<i32>(), b in any::<i32>()) {
        let (a, b) = (usd(a.into()), usd(b.into()));
        prop_assert_eq!(a.checked_sub(b).and_then(|rest| rest.checked_add(b)), Ok(a));
    }

    #[test]
    fn a_product_is_within_half_a_micro_unit(micro in any::<i32>(), mantissa in any::<i32>(), scale in 0_u32..10) {
        let factor = Decimal::new(mantissa.into(), scale);
        let exact = i128::from(micro) * i128::from(mantissa);
        let product = i128::from(usd(micro.into()).times(factor).unwrap().micro());
        prop_assert!((product * 10_i128.pow(scale) - exact).abs() * 2 <= 10_i128.pow(scale));
    }

    #[test]
    fn an_amount_survives_its_json(micro in -LARGEST_EXACT..=LARGEST_EXACT, which in 0..Currency::ALL.len()) {
        let amount = Amount::from_micro(micro, Currency::ALL[which]);
        let json = serde_json::to_string(&amount).unwrap();
        prop_assert_eq!(serde_json::from_str::<Amount>(&json).unwrap(), amount);
    }
}
