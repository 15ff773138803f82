//! One transaction for all that waits: new segments, new series, marks, and a row of the whole rig for each segment and hour.

use rusqlite::{Connection, Transaction, params};

use crate::{
    block::batch::Batch,
    mark::{self, PastMark},
    roster::{Roster, write_segment},
    segment::Segment,
    store::{HistoryError, begin},
    tail::Key,
};

/// Writes everything or nothing.
pub(super) fn commit(
    connection: &mut Connection,
    roster: &Roster,
    new_segments: &[Segment],
    batches: &[(Key, Batch)],
    marks: &[PastMark],
) -> Result<(), HistoryError> {
    let transaction = begin(connection)?;
    roster.write_new(&transaction)?;
    for segment in new_segments {
        write_segment(&transaction, segment)?;
    }
    for (key, batch) in batches {
        write_row(&transaction, *key, batch)?;
    }
    mark::write(&transaction, marks)?;
    Ok(transaction.commit()?)
}

fn write_row(transaction: &Transaction<'_>, key: Key, batch: &Batch) -> Result<(), HistoryError> {
    let (Some(first), Some(last)) = (batch.times.first(), batch.times.last()) else { return Ok(()) };
    let block = batch.block().map_err(HistoryError::block("sweeps"))?;
    let sweeps = i64::try_from(batch.times.len()).unwrap_or(i64::MAX);
    transaction
        .prepare_cached(
            "INSERT INTO tail (segment, hour, sweeps, first_us, last_us, block) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
        )?
        .execute(params![key.segment, key.hour, sweeps, first, last, block])?;
    Ok(())
}
