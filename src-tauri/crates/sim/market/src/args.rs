//! The command line, as types.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args as Arguments, Parser, Subcommand, ValueEnum};
use fanfare_sim_state::scenario::parse_duration;
use fanfare_sim_state::{StateError, Symbol, Target};

/// Sets up and drives a simulated rig of NVIDIA cards.
#[derive(Debug, Parser)]
#[command(name = "fanfare-sim", version, about, max_term_width = 100)]
pub(crate) struct Args {
    /// State file of the rig
    #[arg(long, global = true, env = "FANFARE_SIM_STATE")]
    pub(crate) state: Option<PathBuf>,
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Set up a new rig
    Init(Init),
    /// Tell the rig's rentals over HTTP on 127.0.0.1, until the input ends
    Serve {
        /// Port; 0 for one that is free
        #[arg(long, default_value_t = 0)]
        port: u16,
    },
    /// Tell the past day of a rig of eight, a JSON object a line
    Past(Past),
    #[command(flatten)]
    Live(Verb),
}

/// Tell the past day of a rig of eight, a JSON object a line.
#[derive(Debug, Arguments)]
pub(crate) struct Past {
    /// Scratch file, made and taken away again
    pub(crate) file: PathBuf,
    /// How long a past
    #[arg(long, default_value = "24h", value_parser = past_span)]
    pub(crate) span: Duration,
    /// Time between two readings, in whole seconds
    #[arg(long, default_value = "10s", value_parser = past_span)]
    pub(crate) every: Duration,
    /// Seed of identities, noise and rentals
    #[arg(long, default_value_t = 2)]
    pub(crate) seed: u64,
}

/// Set up a new rig.
#[derive(Debug, Arguments)]
pub(crate) struct Init {
    /// State file to make; readable and writable by every user, as its lock must be
    pub(crate) file: PathBuf,
    /// Kind of rig: rtx4060x8 or rtx4080s
    #[arg(long, default_value = "rtx4060x8")]
    pub(crate) profile: String,
    /// Number of cards, 0 to 64 [default: the profile's]
    #[arg(long)]
    pub(crate) cards: Option<usize>,
    /// Seed of identities, noise and rentals
    #[arg(long, default_value_t = 2)]
    pub(crate) seed: u64,
    /// How simulated time passes
    #[arg(long, value_enum, default_value_t = ClockArg::Real)]
    pub(crate) clock: ClockArg,
    /// Speed of a real clock
    #[arg(long, default_value_t = 1.0)]
    pub(crate) speed: f64,
    /// Who may write through the library
    #[arg(long, value_enum, default_value_t = WritesArg::Privileged)]
    pub(crate) writes: WritesArg,
    /// What happens when: a scenario file
    #[arg(long)]
    pub(crate) scenario: Option<PathBuf>,
    /// CPU time that every call burns, in microseconds
    #[arg(long, default_value_t = 0)]
    pub(crate) call_cost_us: u32,
    /// No rentals: every card idles unless told otherwise
    #[arg(long)]
    pub(crate) no_rentals: bool,
    /// Cards without power telemetry, by slot
    #[arg(long, value_delimiter = ',', value_name = "CARD,..")]
    pub(crate) no_power: Vec<usize>,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum ClockArg {
    Real,
    Manual,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum WritesArg {
    Privileged,
    Anyone,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Switch {
    On,
    Off,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Verb {
    /// Show the rig
    Show {
        /// As JSON
        #[arg(long)]
        json: bool,
    },
    /// Stop, start or move the clock
    #[command(subcommand)]
    Clock(ClockVerb),
    /// Hold a card's utilisation, or give it back to the schedule
    Load {
        card: usize,
        /// Percent, or `schedule`
        #[arg(value_parser = |text: &str| unless(text, "schedule"))]
        percent: OrDefault,
    },
    /// Pin a card's temperature, or free it
    Temp {
        card: usize,
        /// Degrees Celsius, or `free`
        #[arg(value_parser = |text: &str| unless(text, "free"), allow_negative_numbers = true)]
        celsius: OrDefault,
    },
    /// Set the room's temperature
    Ambient {
        /// Degrees Celsius
        #[arg(allow_negative_numbers = true)]
        celsius: i32,
    },
    /// Let a card fall off the bus
    Lose { card: usize },
    /// Bring a lost card back
    Find { card: usize },
    /// Take a card out
    Remove { card: usize },
    /// Put a new card into the lowest empty slot
    Add,
    /// Put another card into a slot
    Swap { card: usize },
    /// Let the driver enumerate the slots in another order
    Order {
        /// Slots, as 2,0,1
        #[arg(value_delimiter = ',', required = true)]
        slots: Vec<usize>,
    },
    /// Let the driver report an Xid
    Xid { card: usize, code: u32 },
    /// Let calls hang
    Hang {
        /// Slot, or `all`
        #[arg(value_name = "CARD", value_parser = target)]
        target: Target,
        /// Only this call
        #[arg(long, value_parser = symbol)]
        symbol: Option<Symbol>,
        /// For so long of simulated time, as 10s or 2m
        #[arg(long = "for", value_parser = duration)]
        span: Option<Duration>,
    },
    /// Let calls that hang return
    Release {
        /// Slot, or `all`
        #[arg(value_name = "CARD", value_parser = target)]
        target: Target,
    },
    /// Let calls return an error
    Error {
        /// NVML code, or `none` to end injected errors
        #[arg(value_parser = |text: &str| unless(text, "none"))]
        code: OrDefault,
        /// Only for this card
        #[arg(long)]
        card: Option<usize>,
        /// Only this call, or one field as field:185
        #[arg(long, value_parser = symbol)]
        symbol: Option<Symbol>,
    },
    /// Let the library no longer fit the kernel module
    Mismatch { switch: Switch },
    /// Reload the driver
    Reload,
    /// Block or free the blades of a card's fans
    BlockFan { card: usize, switch: Switch },
    /// Take away or give back a card's power telemetry
    NoPower { card: usize, switch: Switch },
    /// Limit a card's link, as a bad riser does, or free it
    Link {
        card: usize,
        /// Greatest generation, or `free`
        #[arg(value_parser = |text: &str| unless(text, "free"))]
        generation: OrDefault,
        /// Greatest width in lanes
        #[arg(default_value_t = 32)]
        width: u32,
    },
    /// Set the CPU time that every call burns
    CallCost {
        /// Microseconds
        micros: u32,
    },
    /// Say who may write
    Writes { who: WritesArg },
    /// Show how often each call was made
    Calls {
        /// As JSON
        #[arg(long)]
        json: bool,
        /// Start again from 0, after showing
        #[arg(long)]
        reset: bool,
    },
    /// Show the calls that changed something
    Sets {
        /// As JSON
        #[arg(long)]
        json: bool,
    },
    /// Take in a scenario file; its times count from now
    Scenario { file: PathBuf },
}

#[derive(Debug, Subcommand)]
pub(crate) enum ClockVerb {
    /// Move a manual clock on
    Advance {
        /// As 500ms, 10s, 2m, 3h
        #[arg(value_parser = duration)]
        by: Duration,
    },
    /// Stop the clock
    Manual,
    /// Let the clock run as real time does
    Real,
    /// Let the clock run at another speed
    Speed { speed: f64 },
}

/// A number, or the word that means "no number".
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct OrDefault(pub(crate) Option<i32>);

/// Why an argument is wrong.
#[derive(Debug, thiserror::Error)]
enum BadArgument {
    /// Neither a number nor the word.
    #[error("a whole number or `{0}`")]
    NeitherNumberNor(&'static str),
    /// Not a span of time.
    #[error("a span of time such as 500ms, 10s, 2m or 3h")]
    NoDuration,
    /// Not a span of whole seconds within the bounds of a past.
    #[error("a span from 1s to 400d")]
    NoPast,
}

fn unless(text: &str, word: &'static str) -> Result<OrDefault, BadArgument> {
    if text == word {
        return Ok(OrDefault(None));
    }
    text.parse().map(|number| OrDefault(Some(number))).map_err(|_| BadArgument::NeitherNumberNor(word))
}

fn target(text: &str) -> Result<Target, BadArgument> {
    if text == "all" {
        return Ok(Target::All);
    }
    text.parse().map(Target::Card).map_err(|_| BadArgument::NeitherNumberNor("all"))
}

fn symbol(text: &str) -> Result<Symbol, StateError> {
    text.parse()
}

fn duration(text: &str) -> Result<Duration, BadArgument> {
    parse_duration(text).ok_or(BadArgument::NoDuration)
}

/// A span that a past may have, or the step of one.
fn past_span(text: &str) -> Result<Duration, BadArgument> {
    let bounds = Duration::from_secs(1)..=Duration::from_secs(400 * 86_400);
    parse_duration(text).filter(|span| bounds.contains(span)).ok_or(BadArgument::NoPast)
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        Args::command().debug_assert();
    }

    #[test]
    fn arguments_with_a_word_take_number_or_word() {
        assert_eq!(unless("schedule", "schedule").ok(), Some(OrDefault(None)));
        assert_eq!(unless("-5", "free").ok(), Some(OrDefault(Some(-5))));
        assert_eq!(unless("5.5", "free").unwrap_err().to_string(), "a whole number or `free`");
        assert_eq!(target("all").ok(), Some(Target::All));
        assert_eq!(target("3").ok(), Some(Target::Card(3)));
        assert!(target("three").is_err());
    }

    #[test]
    fn a_past_has_bounds() {
        for (text, seconds) in [
            ("1s", Some(1)),
            ("24h", Some(86_400)),
            ("400d", Some(34_560_000)),
            ("999ms", None),
            ("401d", None),
        ] {
            assert_eq!(past_span(text).ok(), seconds.map(Duration::from_secs), "{text}");
        }
    }
}
