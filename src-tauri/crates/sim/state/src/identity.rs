//! Who a card is: its UUID follows the board, its bus address follows the slot.

use crate::noise::{Use, bits};

/// NVML's form of the UUID of board `board`, in the lay-out of a version-4 UUID.
///
/// Derived from seed and board alone: the same rig has the same cards in each run, and a card that is put in
/// later never repeats one.
#[must_use]
pub fn uuid(seed: u64, board: u32) -> String {
    let high = bits(seed, Use::Identity, u64::from(board), 0);
    let low = bits(seed, Use::Identity, u64::from(board), 1);
    let time = (high & !0xf000) | 0x4000;
    let node = (low & !(0b11 << 62)) | (0b10 << 62);
    format!(
        "GPU-{:08x}-{:04x}-{:04x}-{:04x}-{:012x}",
        time >> 32,
        (time >> 16) & 0xffff,
        time & 0xffff,
        node >> 48,
        node & 0xffff_ffff_ffff
    )
}

/// PCI bus number of `slot`: slot 0 sits on bus 1.
#[must_use]
pub fn bus(slot: usize) -> u32 {
    crate::quantise::small(slot) + 1
}

/// NVML's form of the bus address, eight digits of domain.
#[must_use]
pub fn bus_id(slot: usize) -> String {
    format!("00000000:{:02X}:00.0", bus(slot))
}

/// The legacy form, four digits of domain.
#[must_use]
pub fn bus_id_legacy(slot: usize) -> String {
    format!("0000:{:02X}:00.0", bus(slot))
}

/// The slot that a bus address names, in any of the forms that NVML takes (`domain:bus:device.function` or
/// `bus:device.function`, hexadecimal, any number of digits); `None` if it is not of that form or names
/// another domain, device or function than a card of this rig can have.
#[must_use]
pub fn slot_of_bus_id(text: &str) -> Option<usize> {
    let (front, function) = text.rsplit_once('.')?;
    let mut parts = front.rsplit(':');
    let hex = |part: &str| u32::from_str_radix(part, 16).ok();
    let device = hex(parts.next()?)?;
    let bus = hex(parts.next()?)?;
    let domain = parts.next().map_or(Some(0), hex)?;
    if parts.next().is_some() || hex(function)? != 0 || device != 0 || domain != 0 {
        return None;
    }
    usize::try_from(bus.checked_sub(1)?).ok().filter(|slot| *slot < crate::layout::MAX_CARDS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_uuid_has_nvmls_form_and_is_never_repeated() {
        let all: std::collections::BTreeSet<String> = (0..500).map(|board| uuid(1, board)).collect();
        assert_eq!(all.len(), 500);
        for uuid in &all {
            assert_eq!(uuid.len(), 40, "{uuid}");
            assert!(uuid.starts_with("GPU-"));
            assert_eq!(uuid.as_bytes().get(18), Some(&b'4'), "{uuid}");
            assert!(uuid.as_bytes().get(23).is_some_and(|c| b"89ab".contains(c)), "{uuid}");
        }
        assert_ne!(uuid(1, 0), uuid(2, 0));
    }

    #[test]
    fn every_form_of_a_bus_address_names_the_slot() {
        for (text, slot) in [
            ("00000000:01:00.0", Some(0)),
            ("0000:01:00.0", Some(0)),
            ("0000:0a:00.0", Some(9)),
            ("0000:0A:00.0", Some(9)),
            ("8:0.0", Some(7)),
            ("0001:01:00.0", None),
            ("0000:01:00.1", None),
            ("0000:00:00.0", None),
            ("0000:41:00.0", None),
            ("9:9:9:9.0", None),
            ("", None),
            ("0000:01:00", None),
        ] {
            assert_eq!(slot_of_bus_id(text), slot, "{text}");
        }
    }
}
