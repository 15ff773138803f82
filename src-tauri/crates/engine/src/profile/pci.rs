//! Whether an NVIDIA device is on the PCI bus, by the kernel's own list: it shows a card whose driver is not even installed.

use std::{fs, io, path::Path};

/// NVIDIA's PCI vendor number, as sysfs writes it.
const NVIDIA: &str = "0x10de";
/// No more devices than this are looked at.
const DEVICES_MOST: usize = 4_096;

/// What the bus shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PciEvidence {
    /// At least one NVIDIA device, of whatever kind.
    Nvidia,
    /// None.
    NoNvidia,
    /// The list cannot be read.
    Unreadable,
}

/// Looks at the devices under `devices`, which is `/sys/bus/pci/devices` on a running system.
///
/// A machine without a PCI bus has no such folder, and no such device.
pub fn look_for_nvidia(devices: &Path) -> PciEvidence {
    match vendors(devices) {
        Ok(vendors) if vendors.iter().any(|vendor| vendor.trim() == NVIDIA) => PciEvidence::Nvidia,
        Ok(_) => PciEvidence::NoNvidia,
        Err(error) if error.kind() == io::ErrorKind::NotFound => PciEvidence::NoNvidia,
        Err(_) => PciEvidence::Unreadable,
    }
}

fn vendors(devices: &Path) -> io::Result<Vec<String>> {
    let mut vendors = Vec::new();
    for device in fs::read_dir(devices)?.take(DEVICES_MOST) {
        match fs::read_to_string(device?.path().join("vendor")) {
            Ok(vendor) => vendors.push(vendor),
            // It was unplugged between the listing and the reading.
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
    }
    Ok(vendors)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bus(vendors: &[&str]) -> tempfile::TempDir {
        let bus = tempfile::tempdir().unwrap();
        for (number, vendor) in vendors.iter().enumerate() {
            let device = bus.path().join(format!("0000:{number:02x}:00.0"));
            fs::create_dir(&device).unwrap();
            fs::write(device.join("vendor"), format!("{vendor}\n")).unwrap();
        }
        bus
    }

    #[test]
    fn a_card_without_any_driver_is_seen() {
        assert_eq!(look_for_nvidia(bus(&["0x8086", "0x10de"]).path()), PciEvidence::Nvidia);
    }

    #[test]
    fn other_vendors_and_an_empty_bus_are_no_nvidia_device() {
        assert_eq!(look_for_nvidia(bus(&["0x8086", "0x1002"]).path()), PciEvidence::NoNvidia);
        assert_eq!(look_for_nvidia(bus(&[]).path()), PciEvidence::NoNvidia);
        assert_eq!(look_for_nvidia(Path::new("/nonexistent/pci")), PciEvidence::NoNvidia);
    }

    #[test]
    fn a_bus_that_cannot_be_listed_is_no_empty_bus() {
        let file = tempfile::NamedTempFile::new().unwrap();
        assert_eq!(look_for_nvidia(file.path()), PciEvidence::Unreadable);
    }

    #[test]
    fn a_device_without_a_vendor_is_passed_over() {
        let bus = bus(&["0x10de"]);
        fs::create_dir(bus.path().join("0000:ff:00.0")).unwrap();
        assert_eq!(look_for_nvidia(bus.path()), PciEvidence::Nvidia);
    }
}
