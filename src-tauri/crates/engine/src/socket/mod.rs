//! How a process that holds a data directory serves the others: `engine.sock`, a Unix socket of its user's alone.
//!
//! The holder pushes the newest state of the rig and answers requests; a client gets both in the types that the engine itself
//! uses. Neither side trusts the other to be well: every wait has a limit, every line a length, and every number of things a most.

mod client;
mod place;
mod server;
mod wire;

use tokio::sync::oneshot;

use crate::api::{ApiError, ErrorCode, Reply, Request};

pub(crate) use client::{ConnectError, Connection, Left};
pub(crate) use place::{Bound, place};
pub(crate) use server::Server;
pub(crate) use wire::{Hello, WireError};

/// A request on its way to whoever answers it.
#[derive(Debug)]
pub(crate) struct Order {
    pub(crate) request: Request,
    pub(crate) answer: oneshot::Sender<Result<Reply, ApiError>>,
}

/// So many requests of one process may wait for their answers; the next waits for its turn.
pub(crate) const ORDERS_MOST: usize = 16;

/// The holder did not answer, or there is none.
pub(crate) fn no_answer(message: &str) -> ApiError {
    ApiError { code: ErrorCode::NoAnswer, message: message.into(), detail: None }
}
