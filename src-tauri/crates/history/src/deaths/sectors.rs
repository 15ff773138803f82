//! What a disk makes of a write that it did not finish, and the dice that decide.

/// What a disk writes at once.
const SECTOR: usize = 512;

/// Numbers that look random and are the same each time.
pub(super) struct Dice(pub(super) u64);

impl Dice {
    pub(super) fn roll(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
        usize::try_from(self.0 >> 33).unwrap() % sides
    }
}

/// Of each sector that differs the old, the new or garbage. What a write does not change in a sector stays: SQLite relies on that
/// (its `SQLITE_IOCAP_POWERSAFE_OVERWRITE`), since the end of a log shares a sector with what follows.
pub(super) fn torn(old: &[u8], new: &[u8], dice: &mut Dice) -> Vec<u8> {
    let mut torn = new.to_vec();
    for (number, sector) in torn.chunks_mut(SECTOR).enumerate() {
        let begin = number * SECTOR;
        let before = old.get(begin..(begin + sector.len()).min(old.len())).unwrap_or_default();
        if before == sector {
            continue;
        }
        match dice.roll(4) {
            0 | 1 => {}
            2 => {
                sector.fill(0);
                sector[..before.len()].copy_from_slice(before);
            }
            _ => {
                let changed =
                    sector.iter_mut().enumerate().filter(|(at, byte)| before.get(*at) != Some(byte));
                changed.for_each(|(_, byte)| *byte = u8::try_from(dice.roll(256)).unwrap());
            }
        }
    }
    torn
}
