//! A frame in parts that the window's channel carries at once.
//!
//! Tauri hands a message below 8,192 bytes to the page with the call that announces it; a larger one is parked, and the page
//! fetches it by a request of its own. A frame of eight cards is one part; one of 64 is a handful.

use serde::{Deserialize, Serialize};

use super::{RigFrame, Tile};

/// The most bytes of a part's JSON. A head with very long words of an error may be longer; it is carried all the same.
pub const PART_BYTES: usize = 8_000;

/// What the other keys of a part take, with room to spare.
const ENVELOPE: usize = 100;

/// A part of a frame. The parts of a frame come in order, the head first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export_to = "./"))]
#[serde(rename_all = "snake_case", tag = "part")]
pub enum FramePart {
    /// A frame begins, with its first tiles.
    Head {
        /// The frame, with the tiles that fit.
        frame: RigFrame,
        /// How many parts follow; without any the frame is whole.
        more: u32,
    },
    /// Further tiles of the frame that began last.
    Tiles {
        /// That frame's number.
        #[cfg_attr(test, ts(type = "number"))]
        number: u64,
        /// The tiles, in order.
        tiles: Vec<Tile>,
        /// How many parts follow; without any the frame is whole.
        more: u32,
    },
}

/// The parts of a frame: at least one, each with as many tiles as fit.
#[must_use]
pub fn parts(mut frame: RigFrame) -> Vec<FramePart> {
    let tiles = std::mem::take(&mut frame.tiles);
    let mut room = PART_BYTES.saturating_sub(json_bytes(&frame) + ENVELOPE);
    let mut groups = vec![Vec::new()];
    for tile in tiles {
        let bytes = json_bytes(&tile) + 1;
        if bytes > room {
            groups.push(Vec::new());
            room = PART_BYTES - ENVELOPE;
        }
        room = room.saturating_sub(bytes);
        if let Some(group) = groups.last_mut() {
            group.push(tile);
        }
    }
    numbered(frame, groups)
}

fn numbered(frame: RigFrame, groups: Vec<Vec<Tile>>) -> Vec<FramePart> {
    let number = frame.number;
    let mut head = Some(frame);
    let mut more = u32::try_from(groups.len()).unwrap_or(u32::MAX);
    let mut parts = Vec::with_capacity(groups.len());
    for tiles in groups {
        more = more.saturating_sub(1);
        parts.push(match head.take() {
            Some(frame) => FramePart::Head { frame: RigFrame { tiles, ..frame }, more },
            None => FramePart::Tiles { number, tiles, more },
        });
    }
    parts
}

/// The bytes of a value's JSON. What cannot be written, which no frame is, takes none.
fn json_bytes(value: &impl Serialize) -> usize {
    serde_json::to_vec(value).map_or(0, |json| json.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        frame::{Level, Missing, Shown, Status, TileState, TileValues},
        occupancy::{Occupancy, Source, Usage},
        profile::Profile,
    };

    fn long<T>() -> Shown<T> {
        Shown::Missing { missing: Missing::Stuck { since_ms: 1_796_000_000_000 } }
    }

    /// A tile whose every word is as long as it gets.
    fn longest(seat: u32) -> Tile {
        Tile {
            seat,
            uuid: format!("GPU-00000000-0000-0000-0000-{seat:012}"),
            name: Some("RTX PRO 6000 Blackwell Max-Q Workstation Edition".into()),
            slot: Some("00000000:01:00.0".into()),
            state: TileState::Missing { last_seen_ms: 1_796_000_000_000 },
            occupancy: Occupancy {
                usage: Usage::Rented { platform: "Genesis Cloud".into() },
                source: Source::Simulation,
            },
            values: Some(TileValues {
                at_ms: 1_796_000_000_000,
                age_ms: 86_400_000,
                temperature_c: long(),
                utilisation_percent: long(),
                memory_used_bytes: long(),
                memory_total_bytes: long(),
                power_mw: long(),
                power_limit_mw: long(),
                fans_percent: Shown::Value(vec![long(), long(), long(), long()]),
                processes: long(),
            }),
        }
    }

    fn frame(cards: u32) -> RigFrame {
        RigFrame {
            number: 7,
            profile: Profile::Real,
            simulated: false,
            at_ms: Some(1_796_000_000_000),
            age_ms: Some(12),
            stale_after_ms: 3_000,
            driver: None,
            status: Status { level: Level::Calm, matters: Vec::new(), cards, answering: cards, rented: 0 },
            tiles: (1..=cards).map(longest).collect(),
        }
    }

    /// As the page joins them.
    fn joined(parts: Vec<FramePart>) -> RigFrame {
        let mut parts = parts.into_iter();
        let Some(FramePart::Head { mut frame, mut more }) = parts.next() else { panic!("no head") };
        for part in parts {
            let FramePart::Tiles { number, tiles, more: still } = part else { panic!("a second head") };
            assert_eq!((number, still + 1), (frame.number, more));
            more = still;
            frame.tiles.extend(tiles);
        }
        assert_eq!(more, 0);
        frame
    }

    #[test]
    fn the_parts_of_every_frame_are_small_and_make_it_whole_again() {
        for cards in [0, 1, 8, 9, 63, 64] {
            let parts = parts(frame(cards));
            for part in &parts {
                assert!(json_bytes(part) <= PART_BYTES, "{cards} cards: {}", json_bytes(part));
            }
            assert_eq!(joined(parts), frame(cards), "{cards} cards");
        }
    }

    #[test]
    fn a_frame_without_cards_is_one_part_and_sixty_four_of_the_longest_are_more() {
        assert_eq!(parts(frame(0)).len(), 1);
        assert!(parts(frame(64)).len() > 1);
    }

    #[test]
    fn a_head_that_is_too_long_by_itself_goes_alone() {
        let mut long = frame(1);
        long.driver = Some(crate::frame::DriverLine {
            version: Shown::Value("5".repeat(PART_BYTES)),
            library: Shown::Missing { missing: Missing::NotYet },
            cuda: Shown::Missing { missing: Missing::NotYet },
        });
        let parts = parts(long.clone());
        assert!(
            matches!(&parts[0], FramePart::Head { frame, more: 1 } if frame.tiles.is_empty()),
            "{parts:?}"
        );
        assert_eq!(joined(parts), long);
    }
}
