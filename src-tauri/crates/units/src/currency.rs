//! The currencies that money is counted in: a closed list.
//!
//! A rig's owner pays power and hardware at home and is paid by platforms in US dollars or yuan; so the list holds those two and the
//! money of the places where cards are rented out from. It is closed because a wrong number of minor digits is wrong money: yen has
//! none, most have two, a dinar three (ISO 4217, list one, "minor unit"). A crypto-currency is none of these: it is valued when it
//! is paid out. Adding one is a line here.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};

/// A type that stands for one currency, so that [`Money`](crate::Money) of two currencies cannot meet.
pub trait Tender: fmt::Debug + Clone + Copy + PartialEq + Eq + PartialOrd + Ord + std::hash::Hash {
    /// The currency it stands for.
    const CURRENCY: Currency;
}

macro_rules! currencies {
    ($($name:ident $code:literal $digits:literal $doc:literal),+ $(,)?) => {
        /// A currency, by its ISO 4217 code.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(try_from = "String", into = "&'static str")]
        pub enum Currency {
            $(#[doc = $doc] $name),+
        }

        impl Currency {
            /// All of them, in the order of their codes.
            pub const ALL: &'static [Self] = &[$(Self::$name),+];

            /// The ISO 4217 code.
            pub const fn code(self) -> &'static str {
                match self { $(Self::$name => $code),+ }
            }

            /// Digits after the point in which it is paid.
            pub const fn minor_digits(self) -> u32 {
                match self { $(Self::$name => $digits),+ }
            }
        }

        /// The types that stand for one currency each.
        pub mod tender {
            use super::{Currency, Tender};
            $(
                #[doc = $doc]
                #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
                pub enum $name {}
                impl Tender for $name {
                    const CURRENCY: Currency = Currency::$name;
                }
            )+
        }
    };
}

currencies! {
    Aed "AED" 2 "UAE dirham.",
    Ars "ARS" 2 "Argentine peso.",
    Aud "AUD" 2 "Australian dollar.",
    Brl "BRL" 2 "Brazilian real.",
    Cad "CAD" 2 "Canadian dollar.",
    Chf "CHF" 2 "Swiss franc.",
    Clp "CLP" 0 "Chilean peso.",
    Cny "CNY" 2 "Yuan renminbi.",
    Czk "CZK" 2 "Czech koruna.",
    Dkk "DKK" 2 "Danish krone.",
    Eur "EUR" 2 "Euro.",
    Gbp "GBP" 2 "Pound sterling.",
    Hkd "HKD" 2 "Hong Kong dollar.",
    Huf "HUF" 2 "Forint.",
    Idr "IDR" 2 "Rupiah.",
    Ils "ILS" 2 "New Israeli sheqel.",
    Inr "INR" 2 "Indian rupee.",
    Isk "ISK" 0 "Iceland krona.",
    Jpy "JPY" 0 "Yen.",
    Krw "KRW" 0 "Won.",
    Kwd "KWD" 3 "Kuwaiti dinar.",
    Kzt "KZT" 2 "Tenge.",
    Mxn "MXN" 2 "Mexican peso.",
    Myr "MYR" 2 "Malaysian ringgit.",
    Nok "NOK" 2 "Norwegian krone.",
    Nzd "NZD" 2 "New Zealand dollar.",
    Php "PHP" 2 "Philippine peso.",
    Pln "PLN" 2 "Zloty.",
    Ron "RON" 2 "Romanian leu.",
    Rub "RUB" 2 "Russian ruble.",
    Sek "SEK" 2 "Swedish krona.",
    Sgd "SGD" 2 "Singapore dollar.",
    Thb "THB" 2 "Baht.",
    Try "TRY" 2 "Turkish lira.",
    Twd "TWD" 2 "New Taiwan dollar.",
    Uah "UAH" 2 "Hryvnia.",
    Usd "USD" 2 "US dollar.",
    Vnd "VND" 0 "Dong.",
    Zar "ZAR" 2 "Rand.",
}

/// The text is no code of a currency that is known here.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is no currency known here: an ISO 4217 code such as USD is wanted")]
pub struct CurrencyError(String);

impl FromStr for Currency {
    type Err = CurrencyError;

    /// The code as ISO 4217 writes it, in capitals; anything else is refused, not guessed.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let found = Self::ALL.iter().find(|currency| currency.code() == text);
        found.copied().ok_or_else(|| CurrencyError(text.chars().take(16).collect()))
    }
}

impl TryFrom<String> for Currency {
    type Error = CurrencyError;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        text.parse()
    }
}

impl From<Currency> for &'static str {
    fn from(currency: Currency) -> Self {
        currency.code()
    }
}

impl fmt::Display for Currency {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.code())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_is_read_and_written_as_iso_4217_has_it() {
        for (code, currency, digits) in [
            ("USD", Currency::Usd, 2),
            ("CNY", Currency::Cny, 2),
            ("JPY", Currency::Jpy, 0),
            ("KRW", Currency::Krw, 0),
            ("KWD", Currency::Kwd, 3),
        ] {
            assert_eq!(code.parse(), Ok(currency));
            assert_eq!((currency.to_string().as_str(), currency.minor_digits()), (code, digits));
            assert_eq!(serde_json::to_string(&currency).unwrap(), format!("{code:?}"));
            assert_eq!(serde_json::from_str::<Currency>(&format!("{code:?}")).unwrap(), currency);
        }
    }

    #[test]
    fn a_text_that_is_no_known_code_is_refused() {
        for text in ["", "usd", "USD ", "US$", "RMB", "XXX", "BTC", "USDT", "¥", "DOLLARDOLLARDOLLAR"] {
            let refused = text.parse::<Currency>().unwrap_err().to_string();
            assert!(refused.contains("is no currency known here"), "{refused}");
            assert!(serde_json::from_str::<Currency>(&format!("{text:?}")).is_err());
        }
    }

    #[test]
    fn codes_are_three_capitals_and_in_order_without_repeats() {
        let codes: Vec<&str> = Currency::ALL.iter().map(|currency| currency.code()).collect();
        assert!(codes.iter().all(|code| code.len() == 3 && code.bytes().all(|b| b.is_ascii_uppercase())));
        assert!(codes.windows(2).all(|pair| pair[0] < pair[1]), "{codes:?}");
    }
}
