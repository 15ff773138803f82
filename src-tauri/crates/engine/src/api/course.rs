//! What is asked of the history: the course of quantities, marks on it, and what it takes on the disk.
//!
//! Moments are milliseconds since 1970, as the page has them. A course crosses as one block of bytes, laid out as
//! `fanfare_history`'s `pack` says; over the socket, which carries text, in base64.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use fanfare_history::Quantity;
use fanfare_rig::CardUuid;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};

/// The course of some quantities of some cards. Its curves come card by card, and within a card in the order of the quantities.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export_to = "./"))]
pub struct CourseQuestion {
    /// Of which cards.
    #[cfg_attr(test, ts(type = "Array<string>"))]
    pub uuids: Vec<CardUuid>,
    /// Of what.
    pub quantities: Vec<Quantity>,
    /// From this moment on …
    #[cfg_attr(test, ts(type = "number"))]
    pub from_ms: i64,
    /// … and before this.
    #[cfg_attr(test, ts(type = "number"))]
    pub to_ms: i64,
    /// The most points of a curve, 1 to 2,000: one a pixel is enough.
    pub points: u32,
}

/// Bytes that are text on the socket.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Block(pub Vec<u8>);

impl Serialize for Block {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&STANDARD.encode(&self.0))
    }
}

impl<'de> Deserialize<'de> for Block {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = <std::borrow::Cow<'de, str>>::deserialize(deserializer)?;
        STANDARD.decode(text.as_bytes()).map(Self).map_err(D::Error::custom)
    }
}

/// What the driver reported of its own accord between two moments, in their order.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export_to = "./"))]
pub struct Marks {
    /// The newest 2,000.
    pub marks: Vec<Mark>,
    /// How many older ones are left out.
    #[cfg_attr(test, ts(type = "number"))]
    pub left_out: u64,
}

/// A moment that stands out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export_to = "./"))]
pub struct Mark {
    /// When.
    #[cfg_attr(test, ts(type = "number"))]
    pub at_ms: i64,
    /// The card, if the driver named one.
    #[cfg_attr(test, ts(type = "string | null"))]
    pub uuid: Option<CardUuid>,
    /// What it was.
    pub kind: MarkKind,
}

/// What happened at a mark.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export_to = "./"))]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum MarkKind {
    /// An Xid error.
    Xid {
        /// Its number.
        #[cfg_attr(test, ts(type = "number"))]
        number: u64,
    },
}

/// What the history takes on the disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export_to = "./"))]
pub struct HistoryUsage {
    /// The file; its log is not in this.
    #[cfg_attr(test, ts(type = "number"))]
    pub file_bytes: u64,
    /// Bytes that a day of samples takes, by what is there so far; none before the first hour was sealed.
    #[cfg_attr(test, ts(type = "number | null"))]
    pub sample_bytes_a_day: Option<u64>,
    /// Bytes that a day of minutes takes; none before the first day was packed.
    #[cfg_attr(test, ts(type = "number | null"))]
    pub minute_bytes_a_day: Option<u64>,
    /// Bytes of the hours, which are kept for ever.
    #[cfg_attr(test, ts(type = "number"))]
    pub hours_bytes: u64,
    /// Since when the file is being written anew to give free room back; none while it is not.
    #[cfg_attr(test, ts(type = "number | null"))]
    pub compacting_since_ms: Option<i64>,
    /// Whether the last writing anew came to nothing, for want of room or because somebody read for too long: the file is as it was.
    pub compacting_failed: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_survives_the_socket() {
        let block = Block(vec![0, 1, 254, 255]);
        let json = serde_json::to_string(&block).unwrap();
        assert_eq!(json, r#""AAH+/w==""#);
        assert_eq!(serde_json::from_str::<Block>(&json).unwrap(), block);
        assert!(serde_json::from_str::<Block>(r#""no base64!""#).is_err());
    }
}
