//! The Rig view: the stream of frames, the last half hour, and what the owner says of a card.

use fanfare_engine::{
    api::{ApiError, ErrorCode, Reply, Request},
    frame::{FramePart, Recent},
};
use fanfare_rig::CardUuid;
use tauri::{State, ipc::Channel};

use crate::{
    rig::{Rig, beside_the_point},
    stream::{Page, Word},
};

/// Begins the stream of frames, in place of the one that the page before had.
///
/// # Errors
/// The engine did not start.
#[tauri::command]
pub(crate) async fn rig_subscribe(
    rig: State<'_, Rig>,
    page: State<'_, Page>,
    channel: Channel<FramePart>,
) -> Result<(), ApiError> {
    rig.engine().await?;
    page.say(Word::Subscribed(channel)).await;
    Ok(())
}

/// The page has shown the frame of this number, and may be sent another.
///
/// # Errors
/// None.
#[tauri::command]
pub(crate) async fn rig_acknowledge(page: State<'_, Page>, number: u64) -> Result<(), ApiError> {
    page.say(Word::Acknowledged(number)).await;
    Ok(())
}

/// The page is seen, or not. One that is not seen is sent nothing.
///
/// # Errors
/// None.
#[tauri::command]
pub(crate) async fn page_visible(page: State<'_, Page>, visible: bool) -> Result<(), ApiError> {
    page.say(Word::Visible(visible)).await;
    Ok(())
}

/// The temperatures of the last half hour.
///
/// # Errors
/// The engine's.
#[tauri::command]
pub(crate) async fn recent(rig: State<'_, Rig>) -> Result<Recent, ApiError> {
    match rig.ask(Request::Recent).await? {
        Reply::Recent(recent) => Ok(recent),
        other => Err(beside_the_point(&other)),
    }
}

/// The owner says whether a card does own work.
///
/// # Errors
/// No such card is known, or it cannot be kept.
#[tauri::command]
pub(crate) async fn mark_own_job(rig: State<'_, Rig>, uuid: String, own: bool) -> Result<(), ApiError> {
    rig.order(Request::MarkOwnJob { uuid: named(&uuid)?, own }).await
}

/// The owner says that a card is gone for good.
///
/// # Errors
/// No such card is known, or it cannot be kept.
#[tauri::command]
pub(crate) async fn forget_card(rig: State<'_, Rig>, uuid: String) -> Result<(), ApiError> {
    rig.order(Request::ForgetCard { uuid: named(&uuid)? }).await
}

/// The card of this name. What is no name is the name of no card.
pub(super) fn named(uuid: &str) -> Result<CardUuid, ApiError> {
    uuid.parse().map_err(|error: fanfare_rig::CardUuidError| ApiError {
        code: ErrorCode::UnknownCard,
        message: "no such card is known".into(),
        detail: Some(error.to_string()),
    })
}
