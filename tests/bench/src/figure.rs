//! One measured figure: its row in the table, and in `docs/bench.json`.

use std::{fs, path::Path};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::{failure::Failure, rounds::Summary};

/// One measured figure.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Figure {
    /// Name; begins with its bench's.
    pub(crate) name: String,
    /// What ours came to, the median.
    pub(crate) ours: f64,
    /// What the peer came to, the median; `None` without a peer.
    pub(crate) peer: Option<f64>,
    /// Ours by the peer's, the median over rounds; `None` without a peer.
    pub(crate) ratio: Option<f64>,
    /// The most that the judged value may be.
    pub(crate) goal: f64,
    /// Unit of `ours` and `peer`.
    pub(crate) unit: String,
    /// Whether the worse quartile of the judged value meets the goal.
    pub(crate) pass: bool,
    /// Lower and upper quartile of the judged value: the ratio where there is a peer, else ours.
    pub(crate) spread: [f64; 2],
    /// When it was measured.
    pub(crate) at: Timestamp,
    /// How, in words.
    pub(crate) how: String,
}

impl Figure {
    /// A figure that is judged by itself.
    pub(crate) fn alone(name: &str, values: Vec<f64>, goal: f64, unit: &str, how: &str) -> Self {
        let summary = Summary::of(values);
        Self {
            name: name.into(),
            ours: summary.median,
            peer: None,
            ratio: None,
            goal,
            unit: unit.into(),
            pass: summary.upper_quartile <= goal,
            spread: [summary.lower_quartile, summary.upper_quartile],
            at: Timestamp::now(),
            how: how.into(),
        }
    }

    /// A figure that is judged by its ratio to a peer's, round by round.
    pub(crate) fn beside(name: &str, rounds: &[(f64, f64)], goal: f64, unit: &str, how: &str) -> Self {
        let side = |pick: fn(&(f64, f64)) -> f64| Summary::of(rounds.iter().map(pick).collect());
        let ratio = side(|(ours, peer)| ours / peer);
        Self {
            name: name.into(),
            ours: side(|(ours, _)| *ours).median,
            peer: Some(side(|(_, peer)| *peer).median),
            ratio: Some(ratio.median),
            goal,
            unit: unit.into(),
            pass: ratio.upper_quartile <= goal,
            spread: [ratio.lower_quartile, ratio.upper_quartile],
            at: Timestamp::now(),
            how: how.into(),
        }
    }
}

/// The figures as a table.
pub(crate) fn table(figures: &[Figure]) -> String {
    let optional = |value: Option<f64>| value.map_or_else(|| "–".into(), |value| format!("{value:.3}"));
    let mut table = format!(
        "{:<32} {:>10} {:>10} {:>8} {:>8}  {:<17} {:<8} {}\n",
        "name", "ours", "peer", "ratio", "goal", "quartiles", "unit", "met"
    );
    for figure in figures {
        table.push_str(&format!(
            "{:<32} {:>10.3} {:>10} {:>8} {:>8}  {:<17} {:<8} {}\n",
            figure.name,
            figure.ours,
            optional(figure.peer),
            optional(figure.ratio),
            format!("≤ {}", figure.goal),
            format!("{:.3} … {:.3}", figure.spread[0], figure.spread[1]),
            figure.unit,
            if figure.pass { "yes" } else { "NO" },
        ));
    }
    table
}

/// Replaces these figures' rows in the file of results and leaves the others.
pub(crate) fn keep(figures: &[Figure], path: &Path) -> Result<(), Failure> {
    let mut kept: Vec<Figure> = match fs::read(path) {
        Ok(bytes) => serde_json::from_slice(&bytes).map_err(|_| Failure::Results(path.into()))?,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Vec::new(),
        Err(error) => return Err(error.into()),
    };
    for figure in figures {
        match kept.iter_mut().find(|row| row.name == figure.name) {
            Some(row) => *row = figure.clone(),
            None => kept.push(figure.clone()),
        }
    }
    let mut text = serde_json::to_string_pretty(&kept)?;
    text.push('\n');
    Ok(fs::write(path, text)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_worse_quartile_decides() {
        let values = |high: f64| (0..15).map(|n| if n < 11 { 1.0 } else { high }).collect::<Vec<_>>();
        // The twelfth of fifteen is the upper quartile, and is the first of the high ones.
        assert!(!Figure::alone("x", values(3.0), 2.0, "µs", "").pass);
        assert!(Figure::alone("x", values(2.0), 2.0, "µs", "").pass);
    }

    #[test]
    fn a_ratio_is_taken_round_by_round() {
        let figure = Figure::beside("x", &[(1.0, 10.0), (4.0, 20.0), (9.0, 30.0)], 0.5, "µs", "");
        // 0.1, 0.2 and 0.3.
        assert_eq!((figure.ratio, figure.ours, figure.peer), (Some(0.2), 4.0, Some(20.0)));
    }

    #[test]
    fn a_run_of_one_bench_leaves_the_others_rows() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("bench.json");
        let figure = |name: &str, value: f64| Figure::alone(name, vec![value], 1.0, "", "");
        keep(&[figure("a", 0.1), figure("b", 0.2)], &path).unwrap();
        keep(&[figure("b", 0.3)], &path).unwrap();
        let kept: Vec<Figure> = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
        let rows: Vec<(&str, f64)> = kept.iter().map(|row| (row.name.as_str(), row.ours)).collect();
        assert_eq!(rows, [("a", 0.1), ("b", 0.3)]);
    }
}
