//! How much there is to be told in each series: the least bits a sample that any coder of single values, or of single differences,
//! could do with; and what the history needs.
//!
//! A coder that sees more than one value at a time, as a run of equal ones, may need less than either.

use std::{collections::HashMap, fmt::Write, path::Path};

use rusqlite::Connection;

use super::day::Day;
use crate::failure::Failure;

/// The table, a line a series.
pub(super) fn table(day: &Day, history: &Path) -> Result<String, Failure> {
    let packed = packed_bytes(history)?;
    let mut table = String::from(
        "Bits a sample: entropy of the values and of their differences, and what the history takes.\n\
         A simulated day of eight cards, a sample a second.\n\n",
    );
    table.push_str(&format!(
        "{:<14} {:<20} {:>8} {:>12} {:>8}\n",
        "card", "quantity", "values", "differences", "history"
    ));
    for (place, series) in day.series().enumerate() {
        let values: Vec<i64> = day.values(place).collect();
        let differences: Vec<i64> = values.windows(2).map(|pair| pair[1] - pair[0]).collect();
        let bytes = packed.get(&(series.subject.to_string(), series.quantity.number())).copied().unwrap_or(0);
        let card: String = series.subject.chars().take(12).collect();
        // Writing to a string does not fail.
        let _ = writeln!(
            table,
            "{card:<14} {:<20} {:>8.3} {:>12.3} {:>8.3}",
            format!("{:?}", series.quantity),
            entropy(&values),
            entropy(&differences),
            bytes as f64 * 8.0 / values.len() as f64,
        );
    }
    Ok(table)
}

/// Shannon's entropy of values taken one by one, in bits.
fn entropy(values: &[i64]) -> f64 {
    let mut counts: HashMap<i64, u32> = HashMap::new();
    for value in values {
        *counts.entry(*value).or_default() += 1;
    }
    let all = values.len() as f64;
    counts.values().map(|count| f64::from(*count) / all).map(|share| -share * share.log2()).sum()
}

/// Bytes of the sealed samples of each series, without their pages.
fn packed_bytes(history: &Path) -> Result<HashMap<(String, u8), i64>, Failure> {
    let connection = Connection::open(history.join(fanfare_history::FILE))?;
    let mut statement = connection.prepare(
        "SELECT subject, quantity, sum(length(block)) FROM chunk JOIN series ON series.id = chunk.series GROUP BY series.id",
    )?;
    let rows = statement.query_map([], |row| Ok(((row.get(0)?, row.get(1)?), row.get(2)?)))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn four_values_alike_in_number_are_two_bits_and_one_value_is_none() {
        assert!((entropy(&[1, 2, 3, 4, 1, 2, 3, 4]) - 2.0).abs() < 1e-12);
        assert!(entropy(&[7, 7, 7]).abs() < 1e-12);
        // A half, a quarter and two eighths: 0.5 + 0.5 + 2 × 0.375.
        assert!((entropy(&[0, 0, 0, 0, 1, 1, 2, 3]) - 1.75).abs() < 1e-12);
    }
}
