//! A card's page.

use fanfare_engine::{
    api::{ApiError, ErrorCode},
    frame::CardPage,
};
use fanfare_rig::clock::Clock;
use tauri::State;

use super::rig::named;
use crate::rig::Rig;

/// Every quantity of a card as it was last read.
///
/// # Errors
/// No such card is known, or the engine did not start.
#[tauri::command]
pub(crate) async fn card_page(
    rig: State<'_, Rig>,
    clock: State<'_, Clock>,
    uuid: String,
) -> Result<CardPage, ApiError> {
    let uuid = named(&uuid)?;
    let state = rig.engine().await?.rig().borrow().clone();
    CardPage::of(&state, &uuid, &clock.stamp()).ok_or_else(|| ApiError {
        code: ErrorCode::UnknownCard,
        message: "no such card is known".into(),
        detail: Some(uuid.as_str().to_owned()),
    })
}
