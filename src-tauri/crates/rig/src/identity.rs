//! What names a card: its UUID, and the slot it sits in.
//!
//! NVML's index is no name: "the order in which NVML enumerates devices has no guarantees of consistency between reboots"
//! (`nvml.h`). A moved card keeps its UUID, a swapped slot keeps its bus id, and a GeForce has no serial number; so these two are
//! all there is, and an index is never stored.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};

/// A card's UUID, as NVML spells it: `GPU-` and the usual 8-4-4-4-12 hexadecimal digits.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String")]
pub struct CardUuid(String);

/// The text is no card UUID.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is no card UUID: GPU-xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx is wanted")]
pub struct CardUuidError(String);

impl CardUuid {
    /// The UUID as NVML spells it.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// `GPU-` and the first eight digits: enough to tell the cards of a rig apart, too little to follow one across rigs.
    pub fn short(&self) -> &str {
        &self.0[..12]
    }
}

impl FromStr for CardUuid {
    type Err = CardUuidError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let refused = || CardUuidError(text.chars().take(64).collect());
        let digits = text.strip_prefix("GPU-").ok_or_else(refused)?;
        let groups: Vec<&str> = digits.split('-').collect();
        let lengths: Vec<usize> = groups.iter().map(|group| group.len()).collect();
        let all_hexadecimal = groups.iter().all(|group| group.bytes().all(|b| b.is_ascii_hexdigit()));
        if lengths != [8, 4, 4, 4, 12] || !all_hexadecimal {
            return Err(refused());
        }
        Ok(Self(format!("GPU-{}", digits.to_ascii_lowercase())))
    }
}

impl TryFrom<String> for CardUuid {
    type Error = CardUuidError;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        text.parse()
    }
}

impl fmt::Display for CardUuid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A PCI address: domain, bus, device and function. It orders as slots are listed.
///
/// NVML writes `00000000:01:00.0`, sysfs `0000:01:00.0` and the kernel log `0000:01:00`; all three are read, the sysfs form is
/// written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct BusId {
    domain: u32,
    bus: u8,
    device: u8,
    function: u8,
}

/// The text is no PCI address.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is no PCI address: domain:bus:device.function is wanted")]
pub struct BusIdError(String);

impl BusId {
    /// `01:00.0`: what an owner reads off `lspci`, for a domain of 0; the whole address otherwise.
    pub fn short(&self) -> String {
        match self.domain {
            0 => format!("{:02x}:{:02x}.{}", self.bus, self.device, self.function),
            _ => self.to_string(),
        }
    }
}

impl FromStr for BusId {
    type Err = BusIdError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        parse_bus_id(text).ok_or_else(|| BusIdError(text.chars().take(64).collect()))
    }
}

/// Device is five bits and function three (PCI Local Bus Specification 3.0, §3.2.2.3.2).
fn parse_bus_id(text: &str) -> Option<BusId> {
    let mut parts = text.trim().split(':');
    let (domain, bus, rest) = (parts.next()?, parts.next()?, parts.next()?);
    let (device, function) = rest.split_once('.').unwrap_or((rest, "0"));
    let id = BusId {
        domain: hexadecimal(domain, 4..=8)?,
        bus: u8::try_from(hexadecimal(bus, 2..=2)?).ok()?,
        device: u8::try_from(hexadecimal(device, 2..=2)?).ok()?,
        function: u8::try_from(hexadecimal(function, 1..=1)?).ok()?,
    };
    (parts.next().is_none() && id.device < 32 && id.function < 8).then_some(id)
}

/// Strictly digits (`from_str_radix` alone would take a sign), of a permitted length.
fn hexadecimal(text: &str, length: std::ops::RangeInclusive<usize>) -> Option<u32> {
    let digits = length.contains(&text.len()) && text.bytes().all(|b| b.is_ascii_hexdigit());
    digits.then(|| u32::from_str_radix(text, 16).ok()).flatten()
}

impl TryFrom<String> for BusId {
    type Error = BusIdError;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        text.parse()
    }
}

impl From<BusId> for String {
    fn from(id: BusId) -> Self {
        id.to_string()
    }
}

impl fmt::Display for BusId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:04x}:{:02x}:{:02x}.{}", self.domain, self.bus, self.device, self.function)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_three_spellings_of_a_slot_are_one() {
        for spelling in ["00000000:0B:00.0", "0000:0b:00.0", "0000:0B:00", " 0000:0b:00.0\n"] {
            let id: BusId = spelling.parse().unwrap();
            assert_eq!(id.to_string(), "0000:0b:00.0", "{spelling:?}");
            assert_eq!(id.short(), "0b:00.0");
        }
    }

    #[test]
    fn what_is_no_slot_is_refused() {
        for text in [
            "",
            "01:00.0",
            "0000:01:00.8",
            "0000:01:20.0",
            "0000:001:00.0",
            "0000:+1:00.0",
            "0000:01:00.0:1",
            "N/A",
        ] {
            assert!(text.parse::<BusId>().is_err(), "{text:?} was taken for a slot");
        }
    }

    #[test]
    fn slots_order_by_domain_then_bus() {
        let mut slots: Vec<BusId> = ["0001:01:00.0", "0000:0a:00.0", "0000:09:00.0"]
            .iter()
            .map(|text| text.parse().unwrap())
            .collect();
        slots.sort();
        let shown: Vec<String> = slots.iter().map(BusId::short).collect();
        assert_eq!(shown, ["09:00.0", "0a:00.0", "0001:01:00.0"]);
    }

    #[test]
    fn a_uuid_is_read_in_either_case_and_shortened() {
        let uuid: CardUuid = "GPU-0F0E0D0C-0b0a-0908-0706-050403020100".parse().unwrap();
        assert_eq!(uuid.as_str(), "GPU-0f0e0d0c-0b0a-0908-0706-050403020100");
        assert_eq!(uuid.short(), "GPU-0f0e0d0c");
    }

    #[test]
    fn what_is_no_uuid_is_refused() {
        for text in [
            "",
            "GPU-",
            "0f0e0d0c-0b0a-0908-0706-050403020100",
            "GPU-0f0e0d0c0b0a09080706050403020100",
            "GPU-gf0e0d0c-0b0a-0908-0706-050403020100",
        ] {
            assert!(text.parse::<CardUuid>().is_err(), "{text:?} was taken for a UUID");
        }
    }

    proptest! {
        #[test]
        fn a_slot_survives_its_spelling(domain in 0_u32.., bus: u8, device in 0_u8..32, function in 0_u8..8) {
            let id = BusId { domain, bus, device, function };
            prop_assert_eq!(id.to_string().parse::<BusId>(), Ok(id));
        }

        #[test]
        fn no_text_panics(text in "\\PC{0,40}") {
            let _ = text.parse::<BusId>();
            let _ = text.parse::<CardUuid>();
        }
    }
}
