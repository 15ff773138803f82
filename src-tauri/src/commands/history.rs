//! The past: courses of quantities, marks, energy, the hours of the week, and what all of it takes on the disk.

use fanfare_engine::api::{
    ApiError, CourseQuestion, EnergyReport, HistoryUsage, Marks, Reply, Request, WeekReport,
};
use tauri::{State, ipc::Response};

use super::rig::named;
use crate::rig::{Rig, beside_the_point};

/// The course of some quantities of some cards, as a block of bytes: a day of eight cards would be 2 MB of JSON.
///
/// # Errors
/// The engine's.
#[tauri::command]
pub(crate) async fn course(rig: State<'_, Rig>, question: CourseQuestion) -> Result<Response, ApiError> {
    match rig.ask(Request::Course { question }).await? {
        Reply::Course { block } => Ok(Response::new(block.0)),
        other => Err(beside_the_point(&other)),
    }
}

/// What the driver reported of a card between two moments.
///
/// # Errors
/// The engine's.
#[tauri::command]
pub(crate) async fn marks(
    rig: State<'_, Rig>,
    uuid: String,
    from_ms: i64,
    to_ms: i64,
) -> Result<Marks, ApiError> {
    match rig.ask(Request::Marks { uuid: Some(named(&uuid)?), from_ms, to_ms }).await? {
        Reply::Marks(marks) => Ok(marks),
        other => Err(beside_the_point(&other)),
    }
}

/// The energy of every card between two moments.
///
/// # Errors
/// The engine's.
#[tauri::command]
pub(crate) async fn energy(rig: State<'_, Rig>, from_ms: i64, to_ms: i64) -> Result<EnergyReport, ApiError> {
    match rig.ask(Request::Energy { from_ms, to_ms }).await? {
        Reply::Energy(report) => Ok(report),
        other => Err(beside_the_point(&other)),
    }
}

/// What cards did by the hour of the week.
///
/// # Errors
/// The engine's.
#[tauri::command]
pub(crate) async fn week(rig: State<'_, Rig>, from_ms: i64, to_ms: i64) -> Result<WeekReport, ApiError> {
    match rig.ask(Request::Week { from_ms, to_ms }).await? {
        Reply::Week(report) => Ok(report),
        other => Err(beside_the_point(&other)),
    }
}

/// What the history takes on the disk.
///
/// # Errors
/// The engine's.
#[tauri::command]
pub(crate) async fn history_usage(rig: State<'_, Rig>) -> Result<HistoryUsage, ApiError> {
    match rig.ask(Request::HistoryUsage).await? {
        Reply::HistoryUsage(usage) => Ok(usage),
        other => Err(beside_the_point(&other)),
    }
}

/// Begins to write the history anew, to give free room back to the disk.
///
/// # Errors
/// The engine's.
#[tauri::command]
pub(crate) async fn compact_history(rig: State<'_, Rig>) -> Result<(), ApiError> {
    rig.order(Request::CompactHistory).await
}
