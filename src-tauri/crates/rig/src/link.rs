//! What a card's PCIe link says, and what it does not.
//!
//! A healthy Ada card runs generation 1 at idle and 4 under load, and may drop lanes at idle as well, so an idle link is no
//! evidence. Riser rigs run x1 by design, and an RTX 4060 has eight lanes, so "x8 of an x16 slot" is no fault. The measure is the
//! widest link ever seen for this card in this slot.

use std::time::Duration;

use serde::{Deserialize, Serialize};

/// Under load for this long, a narrow link is believed.
const BELIEVED_AFTER: Duration = Duration::from_secs(60);

/// Fewer lanes than this are worth a word even where they were never more.
const LANES_WORTH_A_WORD: u32 = 8;

/// A link as it runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct LinkState {
    /// Generation, 1 to 6.
    pub generation: u32,
    /// Lanes.
    pub width: u32,
}

/// The best link ever seen of one card in one slot; `None` before the first reading.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct SlotBaseline {
    /// The highest generation seen.
    pub generation: Option<u32>,
    /// The most lanes seen.
    pub width: Option<u32>,
}

impl SlotBaseline {
    /// The baseline after `link` was seen.
    #[must_use]
    pub fn with(self, link: LinkState) -> Self {
        Self {
            generation: self.generation.max(Some(link.generation)),
            width: self.width.max(Some(link.width)),
        }
    }
}

/// What a link says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LinkVerdict {
    /// The card is idle, or not long enough under load: nothing can be said.
    Unjudged,
    /// As good as it was ever seen, or as it can be.
    Sound,
    /// x1, x2 or x4, and this card was never seen wider in this slot: a riser, a slot's setting, or a fault from the start.
    AlwaysNarrow {
        /// The lanes it has.
        width: u32,
    },
    /// Narrower under load than this card was seen in this slot.
    Narrowed {
        /// The lanes it has.
        width: u32,
        /// The lanes it had.
        was: u32,
    },
    /// Slower under load than this card was seen in this slot.
    Slowed {
        /// The generation it runs.
        generation: u32,
        /// The generation it ran.
        was: u32,
    },
}

/// Judges a link against the best seen before this reading. `loaded_for` is how long the card has been under load without a
/// break, `None` at idle.
pub fn judge(link: LinkState, best: SlotBaseline, loaded_for: Option<Duration>) -> LinkVerdict {
    let seen_wider = best.width.is_some_and(|width| width > link.width);
    if link.width < LANES_WORTH_A_WORD && !seen_wider {
        return LinkVerdict::AlwaysNarrow { width: link.width };
    }
    if loaded_for.is_none_or(|span| span < BELIEVED_AFTER) {
        return LinkVerdict::Unjudged;
    }
    match best {
        SlotBaseline { width: Some(was), .. } if was > link.width => {
            LinkVerdict::Narrowed { width: link.width, was }
        }
        SlotBaseline { generation: Some(was), .. } if was > link.generation => {
            LinkVerdict::Slowed { generation: link.generation, was }
        }
        _ => LinkVerdict::Sound,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a29_generation_counts_only_under_load_and_width_by_what_was_seen() {
        let link = |generation, width| LinkState { generation, width };
        let seen = |generation, width| SlotBaseline { generation: Some(generation), width: Some(width) };
        let loaded = |seconds| Some(Duration::from_secs(seconds));
        let table = [
            ("idle at gen 1 x8", link(1, 8), seen(4, 8), None, LinkVerdict::Unjudged),
            ("loaded at gen 4 x8 in an x16 slot", link(4, 8), seen(4, 8), loaded(60), LinkVerdict::Sound),
            (
                "first seen at x1",
                link(4, 1),
                SlotBaseline::default(),
                None,
                LinkVerdict::AlwaysNarrow { width: 1 },
            ),
            ("never wider than x4", link(1, 4), seen(4, 4), None, LinkVerdict::AlwaysNarrow { width: 4 }),
            ("idle at x4, seen at x8", link(1, 4), seen(4, 8), None, LinkVerdict::Unjudged),
            ("x4 for 59 s of load", link(4, 4), seen(4, 8), loaded(59), LinkVerdict::Unjudged),
            (
                "x4 for 60 s of load",
                link(4, 4),
                seen(4, 8),
                loaded(60),
                LinkVerdict::Narrowed { width: 4, was: 8 },
            ),
            (
                "gen 3 under load",
                link(3, 8),
                seen(4, 8),
                loaded(60),
                LinkVerdict::Slowed { generation: 3, was: 4 },
            ),
        ];
        for (what, link, best, loaded_for, verdict) in table {
            assert_eq!(judge(link, best, loaded_for), verdict, "{what}");
        }
    }

    #[test]
    fn a_baseline_keeps_the_best_of_each() {
        let best = SlotBaseline::default().with(LinkState { generation: 1, width: 8 });
        assert_eq!(
            best.with(LinkState { generation: 4, width: 4 }),
            SlotBaseline { generation: Some(4), width: Some(8) }
        );
    }
}
