//! stub
use std::path::Path;
use std::time::Duration;
use crate::{Setup, StateError, World};
#[derive(Debug, thiserror::Error)]
#[error("scenario")]
pub struct ScenarioError;
#[derive(Debug)]
pub struct Script;
impl Script { pub fn apply(&self, _w: &World) -> Result<(), StateError> { Ok(()) } }
pub fn load(_p: &Path, _s: &Setup) -> Result<Script, StateError> { Ok(Script) }
pub fn load_live(_p: &Path, _s: &World) -> Result<Script, StateError> { Ok(Script) }
/// A span of time: a number and one of ns, us, ms, s, m, h, d.
#[must_use]
pub fn parse_duration(text: &str) -> Option<Duration> {
    let digits = text.find(|c: char| !c.is_ascii_digit() && c != '.')?;
    let (number, unit) = text.split_at(digits);
    let scale = match unit {
        "us" => 1e-6,
        "ms" => 1e-3,
        "s" => 1.0,
        "m" => 60.0,
        "h" => 3600.0,
        "d" => 86_400.0,
        _ => return None,
    };
    Duration::try_from_secs_f64(number.parse::<f64>().ok()? * scale).ok()
}
