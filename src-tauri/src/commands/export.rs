//! Files for the owner, of whatever view shows something worth keeping.

use fanfare_engine::api::ApiError;
use tauri::{
    State,
    ipc::{InvokeBody, Request},
};

use crate::exports::{ExportError, Exports};

/// The headers in which the name and the kind of a file come: a body of bytes leaves no room for arguments.
const NAME: &str = "Fanfare-Name";
/// As above.
const KIND: &str = "Fanfare-Kind";

/// Writes the bytes of the call's body into the download directory, and tells where they lie.
///
/// # Errors
/// The call is not of the agreed shape, or the file cannot be written.
#[tauri::command]
pub(crate) async fn keep_export(
    exports: State<'_, Exports>,
    request: Request<'_>,
) -> Result<String, ApiError> {
    let header = |name| request.headers().get(name).and_then(|value| value.to_str().ok());
    let name = header(NAME).ok_or(ExportError::Unnamed)?.to_owned();
    let kind = header(KIND).unwrap_or_default().parse()?;
    let InvokeBody::Raw(bytes) = request.body() else { return Err(ExportError::NoBytes.into()) };
    let (exports, bytes) = (exports.inner().clone(), bytes.clone());
    // A disk may take seconds; the other commands do not wait for it.
    let kept = tokio::task::spawn_blocking(move || exports.keep(&name, kind, &bytes)).await;
    let path = kept.map_err(|_| ExportError::GivenUp)??;
    Ok(path.to_string_lossy().into_owned())
}
