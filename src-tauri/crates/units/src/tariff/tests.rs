use jiff::{ToSpan, civil::date};
use proptest::prelude::*;

use super::*;
use crate::DayCutError;

fn price(text: &str) -> Decimal {
    text.parse().unwrap()
}

fn segments(begins: &[(u8, u8, Period)]) -> Vec<Segment> {
    begins
        .iter()
        .map(|(hour, minute, period)| Segment { hour: *hour, minute: *minute, period: *period })
        .collect()
}

/// A commercial tariff of 2024: sharp in July and August alone, valley over midnight.
fn time_of_use() -> TariffPlan {
    use Period::{Flat, Peak, Sharp, Valley};
    let usual = segments(&[
        (8, 0, Flat),
        (10, 0, Peak),
        (15, 0, Flat),
        (18, 0, Peak),
        (21, 0, Flat),
        (23, 30, Valley),
    ]);
    let summer = segments(&[
        (23, 30, Valley),
        (8, 0, Flat),
        (10, 0, Peak),
        (11, 0, Sharp),
        (13, 0, Peak),
        (15, 0, Flat),
    ]);
    TariffPlan {
        currency: Currency::Cny,
        zone: "Asia/Shanghai".into(),
        valid_from: date(2024, 1, 1),
        valid_to: Some(date(2025, 1, 1)),
        rate: Rate::TimeOfUse {
            prices: Prices {
                sharp: Some(price("1.5008")),
                peak: Some(price("1.2061")),
                flat: Some(price("0.7208")),
                valley: Some(price("0.2912")),
                deep_valley: None,
            },
            seasons: vec![
                Season { month: 9, day: 1, segments: usual },
                Season { month: 7, day: 1, segments: summer },
            ],
        },
        surcharge_per_kwh: price("0.16"),
        monthly_fee: price("30"),
    }
}

fn single(per_kwh: &str, zone: &str) -> TariffPlan {
    TariffPlan {
        zone: zone.into(),
        rate: Rate::Single { per_kwh: price(per_kwh) },
        surcharge_per_kwh: Decimal::ZERO,
        ..time_of_use()
    }
}

#[test]
fn the_price_is_that_of_season_and_hour_with_the_surcharge() {
    use Period::{Flat, Peak, Sharp, Valley};
    let tariff = Tariff::new(time_of_use()).unwrap();
    // Instants in UTC; Shanghai is 8 hours ahead.
    let table = [
        // 2024-02-15 23:30 and 07:59 of the next day: one valley over midnight.
        ("2024-02-15T15:29:59Z", Flat, "0.8808"),
        ("2024-02-15T15:30:00Z", Valley, "0.4512"),
        ("2024-02-15T16:00:00Z", Valley, "0.4512"),
        ("2024-02-15T23:59:59Z", Valley, "0.4512"),
        ("2024-02-16T00:00:00Z", Flat, "0.8808"),
        ("2024-02-16T02:00:00Z", Peak, "1.3661"),
        // 11:30 is sharp in summer alone, which ends with August.
        ("2024-06-30T03:30:00Z", Peak, "1.3661"),
        ("2024-07-01T03:30:00Z", Sharp, "1.6608"),
        ("2024-08-31T03:30:00Z", Sharp, "1.6608"),
        ("2024-09-01T03:30:00Z", Peak, "1.3661"),
        // 19:00 is flat in summer, peak else.
        ("2024-08-31T11:00:00Z", Flat, "0.8808"),
        ("2024-09-01T11:00:00Z", Peak, "1.3661"),
        // The season from September holds on into the next year.
        ("2024-01-01T03:30:00Z", Peak, "1.3661"),
    ];
    for (at, period, per_kwh) in table {
        let expected = Price { per_kwh: price(per_kwh), currency: Currency::Cny, period: Some(period) };
        assert_eq!(tariff.price_at(at.parse().unwrap()), Some(expected), "{at}");
    }
}

#[test]
fn a_tariff_holds_from_its_first_day_until_its_end() {
    let tariff = Tariff::new(single("0.6359", "Asia/Shanghai")).unwrap();
    // In Shanghai 2024 begins and ends at 16:00 UTC of the day before.
    for (at, holds) in [
        ("2023-12-31T15:59:59Z", false),
        ("2023-12-31T16:00:00Z", true),
        ("2024-12-31T15:59:59Z", true),
        ("2024-12-31T16:00:00Z", false),
    ] {
        let expected = Price { per_kwh: price("0.6359"), currency: Currency::Cny, period: None };
        assert_eq!(tariff.price_at(at.parse().unwrap()), holds.then_some(expected), "{at}");
    }
    let endless = TariffPlan { valid_to: None, ..single("0.6359", "Asia/Shanghai") };
    assert!(Tariff::new(endless).unwrap().price_at("2999-01-01T00:00:00Z".parse().unwrap()).is_some());
}

#[test]
fn a_day_of_a_named_price_is_weighed_by_its_hours() {
    use Period::{Flat, Peak, Sharp, Valley};
    // 8 h valley, 8 h flat, 6 h peak, 2 h sharp: (8·0.2912 + 8·0.7208 + 6·1.2061 + 2·1.5008) / 24 = 18.3342 / 24.
    let day = segments(&[(0, 0, Valley), (8, 0, Flat), (16, 0, Peak), (22, 0, Sharp)]);
    let mut plan = TariffPlan { surcharge_per_kwh: Decimal::ZERO, ..time_of_use() };
    if let Rate::TimeOfUse { seasons, .. } = &mut plan.rate {
        *seasons = vec![Season { month: 1, day: 1, segments: day }];
    }
    let tariff = Tariff::new(plan).unwrap();
    let begin: jiff::Timestamp = "2024-03-09T16:00:00Z".parse().unwrap();
    let sum: Decimal = (0..24).map(|hour| tariff.price_at(begin + hour.hours()).unwrap().per_kwh).sum();
    assert_eq!(sum, price("18.3342"));
}

#[test]
fn a10_every_hour_of_a_day_on_which_clocks_change_is_priced_once() {
    let tariff = Tariff::new(single("1", "Europe/Paris")).unwrap();
    let cut = crate::DayCut::new("Europe/Paris", 0).unwrap();
    for (day, hours) in [(date(2024, 10, 27), "25"), (date(2024, 3, 31), "23")] {
        let (begin, end) = cut.bounds(day).unwrap();
        let cost: Decimal = (0_i64..26)
            .map(|hour| begin + hour.hours())
            .take_while(|at| *at < end)
            .map(|at| tariff.price_at(at).unwrap().per_kwh)
            .sum();
        assert_eq!(cost, price(hours), "1 kW at 1 a kWh on {day}");
    }
}

#[test]
fn an_hour_that_occurs_twice_has_its_price_twice() {
    let mut plan = TariffPlan { zone: "Europe/Paris".into(), ..time_of_use() };
    if let Rate::TimeOfUse { seasons, .. } = &mut plan.rate {
        let night = segments(&[(2, 0, Period::Valley), (3, 0, Period::Peak)]);
        *seasons = vec![Season { month: 1, day: 1, segments: night }];
    }
    let tariff = Tariff::new(plan).unwrap();
    // 02:30 occurs at 00:30 and 01:30 UTC on 2024-10-27.
    for (at, period) in [
        ("2024-10-26T23:59:59Z", Period::Peak),
        ("2024-10-27T00:30:00Z", Period::Valley),
        ("2024-10-27T01:30:00Z", Period::Valley),
        ("2024-10-27T02:00:00Z", Period::Peak),
        // 02:00 to 03:00 does not occur on 2024-03-31: no valley that night.
        ("2024-03-31T00:59:59Z", Period::Peak),
        ("2024-03-31T01:00:00Z", Period::Peak),
    ] {
        assert_eq!(tariff.price_at(at.parse().unwrap()).and_then(|price| price.period), Some(period), "{at}");
    }
}

#[test]
fn the_29th_of_february_begins_a_season_in_every_year() {
    let mut plan = TariffPlan { zone: "UTC".into(), valid_to: None, ..time_of_use() };
    if let Rate::TimeOfUse { seasons, .. } = &mut plan.rate {
        let all = |period| segments(&[(0, 0, period)]);
        *seasons = vec![
            Season { month: 2, day: 29, segments: all(Period::Peak) },
            Season { month: 2, day: 1, segments: all(Period::Valley) },
        ];
    }
    let tariff = Tariff::new(plan).unwrap();
    for (at, period) in [
        ("2024-02-28T23:59:59Z", Period::Valley),
        ("2024-02-29T00:00:00Z", Period::Peak),
        ("2025-02-28T23:59:59Z", Period::Valley),
        ("2025-03-01T00:00:00Z", Period::Peak),
        ("2026-01-31T00:00:00Z", Period::Peak),
    ] {
        assert_eq!(tariff.price_at(at.parse().unwrap()).and_then(|price| price.period), Some(period), "{at}");
    }
}

#[test]
fn what_cannot_serve_is_refused_with_its_reason() {
    let begin = |month, day, hour, minute| {
        let mut plan = time_of_use();
        if let Rate::TimeOfUse { seasons, .. } = &mut plan.rate {
            let segments = segments(&[(0, 0, Period::Flat), (hour, minute, Period::Valley)]);
            seasons.push(Season { month, day, segments });
        }
        plan
    };
    let with = |change: &dyn Fn(&mut Vec<Season>)| {
        let mut plan = time_of_use();
        if let Rate::TimeOfUse { seasons, .. } = &mut plan.rate {
            change(seasons);
        }
        plan
    };
    let one = || Season { month: 1, day: 1, segments: segments(&[(0, 0, Period::Flat)]) };
    let table = [
        (single("-0.01", "UTC"), TariffError::Price(price("-0.01"))),
        (single("1000000.1", "UTC"), TariffError::Price(price("1000000.1"))),
        (single("0.123456789", "UTC"), TariffError::Price(price("0.123456789"))),
        (single("1", "GMT-8"), TariffError::Zone(DayCutError::Zone("GMT-8".into()))),
        (TariffPlan { valid_to: Some(date(2024, 1, 1)), ..time_of_use() }, TariffError::NeverValid),
        (TariffPlan { surcharge_per_kwh: price("-1"), ..time_of_use() }, TariffError::Price(price("-1"))),
        (TariffPlan { monthly_fee: price("-1"), ..time_of_use() }, TariffError::Price(price("-1"))),
        (begin(13, 1, 8, 0), TariffError::SeasonBegin { month: 13, day: 1 }),
        (begin(0, 1, 8, 0), TariffError::SeasonBegin { month: 0, day: 1 }),
        (begin(2, 30, 8, 0), TariffError::SeasonBegin { month: 2, day: 30 }),
        (begin(4, 0, 8, 0), TariffError::SeasonBegin { month: 4, day: 0 }),
        (begin(7, 1, 8, 0), TariffError::SeasonTwice { month: 7, day: 1 }),
        (begin(4, 1, 24, 0), TariffError::SegmentBegin { hour: 24, minute: 0 }),
        (begin(4, 1, 8, 60), TariffError::SegmentBegin { hour: 8, minute: 60 }),
        (begin(4, 1, 0, 0), TariffError::SegmentTwice { hour: 0, minute: 0 }),
        (with(&|seasons| seasons.clear()), TariffError::Seasons(0)),
        (with(&|seasons| seasons.resize(13, one())), TariffError::Seasons(13)),
        (with(&|seasons| seasons[0].segments.clear()), TariffError::Segments(0)),
        (
            with(&|seasons| seasons[0].segments = segments(&[(0, 0, Period::Flat); 49])),
            TariffError::Segments(49),
        ),
        (
            with(&|seasons| seasons[0].segments = segments(&[(0, 0, Period::DeepValley)])),
            TariffError::NoPrice(Period::DeepValley),
        ),
    ];
    for (plan, refused) in table {
        assert_eq!(Tariff::new(plan.clone()), Err(refused), "{plan:?}");
    }
}

#[test]
fn a_tariff_survives_its_json() {
    for plan in [time_of_use(), single("0.6359", "Asia/Shanghai")] {
        let json = serde_json::to_string(&plan).unwrap();
        assert_eq!(serde_json::from_str::<TariffPlan>(&json).unwrap(), plan);
    }
    // Decimals cross as text: no reader makes them a float.
    let json = serde_json::to_value(single("0.6359", "Asia/Shanghai")).unwrap();
    assert_eq!(json["rate"]["per_kwh"], "0.6359");
    assert_eq!(json["valid_from"], "2024-01-01");
}

proptest! {
    #[test]
    fn every_instant_of_a_valid_tariff_has_a_price(
        second in 1_704_100_000_i64..1_735_600_000,
        begins in prop::collection::btree_set((1_u8..13, 1_u8..29), 1..12),
        hours in prop::collection::btree_set((0_u8..24, 0_u8..60), 1..48),
    ) {
        let day: Vec<Segment> = hours
            .iter()
            .map(|(hour, minute)| Segment { hour: *hour, minute: *minute, period: Period::ALL[usize::from(minute % 4)] })
            .collect();
        let mut plan = TariffPlan { zone: "America/Los_Angeles".into(), ..time_of_use() };
        if let Rate::TimeOfUse { seasons, .. } = &mut plan.rate {
            *seasons = begins.iter().rev().map(|(month, day_of_month)| Season {
                month: *month, day: *day_of_month, segments: day.clone(),
            }).collect();
        }
        let tariff = Tariff::new(plan).unwrap();
        prop_assert!(tariff.price_at(jiff::Timestamp::from_second(second).unwrap()).is_some());
    }
}
