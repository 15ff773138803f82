//! What goes over the socket: one JSON object a line, a greeting first from each side.
//!
//! The greeting names the protocol. Within a protocol fields and requests may be added; a change of meaning is a new protocol, and
//! either side refuses one that is not its own by name. So the greeting alone keeps its shape for ever: an object with the
//! numbers `protocol` and `pid` and the string `version`.

use std::{io, sync::Arc};

use futures_util::SinkExt;
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use tokio::net::UnixStream;
use tokio_util::codec::{Framed, LinesCodec, LinesCodecError};

use crate::{
    api::{ApiError, Holder, Reply, Request},
    rig_state::RigState,
};

/// The protocol this build speaks.
pub(crate) const PROTOCOL: u32 = 1;

/// The longest line that a client reads, in bytes. The state of 64 cards with all their processes is below 1 MiB; the largest block
/// that answers a question of the past is 10 MB, which is 13.4 MB of text.
pub(crate) const LINE_MOST: usize = 16 << 20;

/// The longest line that a holder reads, in bytes: the largest request, a change of every setting, is below 4 KiB.
pub(crate) const REQUEST_MOST: usize = 64 << 10;

/// A socket as lines.
pub(crate) type Lines = Framed<UnixStream, LinesCodec>;

/// The first line of each side.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Hello {
    /// What it speaks.
    pub(crate) protocol: u32,
    /// Who it is.
    #[serde(flatten)]
    pub(crate) who: Holder,
}

/// What a client sends after its greeting.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Ask {
    /// The client's number for it; the answer carries it.
    pub(crate) id: u64,
    /// The request.
    pub(crate) request: Request,
}

/// What a holder sends after its greeting.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Said {
    /// The newest state.
    State(Arc<RigState>),
    /// The answer to a request.
    Reply {
        /// The client's number for the request.
        id: u64,
        /// The answer.
        reply: Box<Reply>,
    },
    /// Why a request was not fulfilled.
    Refusal {
        /// The client's number for the request.
        id: u64,
        /// Why.
        error: ApiError,
    },
}

/// Why the other side's line does not serve.
#[derive(Debug, thiserror::Error)]
pub(crate) enum WireError {
    /// It is not JSON of the agreed shape.
    #[error("a line cannot be read: {0}")]
    Garbage(#[from] serde_json::Error),
    /// The socket failed.
    #[error("the socket failed: {0}")]
    Socket(#[from] io::Error),
    /// A line without end.
    #[error("a line is longer than agreed")]
    TooLong,
    /// It speaks another protocol.
    #[error(
        "the other side is version {version} and speaks protocol {protocol}; this is protocol {PROTOCOL}"
    )]
    Protocol {
        /// Its protocol.
        protocol: u32,
        /// Its version, as it says.
        version: String,
    },
}

impl From<LinesCodecError> for WireError {
    fn from(error: LinesCodecError) -> Self {
        match error {
            LinesCodecError::MaxLineLengthExceeded => Self::TooLong,
            LinesCodecError::Io(error) => Self::Socket(error),
        }
    }
}

impl Hello {
    /// The greeting of `who`.
    pub(crate) const fn of(who: Holder) -> Self {
        Self { protocol: PROTOCOL, who }
    }

    /// Reads a greeting.
    ///
    /// # Errors
    /// It is none, or of another protocol.
    pub(crate) fn read(line: &str) -> Result<Self, WireError> {
        // The protocol first, apart: another one must be named as such even where the rest of its greeting cannot be read.
        #[derive(Deserialize)]
        struct Protocol {
            protocol: u32,
            #[serde(default)]
            version: String,
        }
        let Protocol { protocol, version } = serde_json::from_str(line)?;
        if protocol != PROTOCOL {
            return Err(WireError::Protocol { protocol, version });
        }
        Ok(serde_json::from_str(line)?)
    }
}

/// Reads a line.
pub(crate) fn read<T: DeserializeOwned>(line: &str) -> Result<T, WireError> {
    Ok(serde_json::from_str(line)?)
}

/// Sends a line.
pub(crate) async fn send<T: Serialize + Sync>(lines: &mut Lines, what: &T) -> Result<(), WireError> {
    Ok(lines.send(serde_json::to_string(what)?).await?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        api::{Block, Kind},
        recording::POINTS_MOST,
    };

    #[test]
    fn a_greeting_of_another_protocol_is_named_even_in_a_shape_nobody_knows() {
        let newer = r#"{"protocol": 2, "version": "9.0.0", "pid": 5, "kind": "swarm", "who": []}"#;
        let Err(WireError::Protocol { protocol: 2, version }) = Hello::read(newer) else { panic!() };
        assert_eq!(version, "9.0.0");
    }

    #[test]
    fn a_field_that_a_later_build_added_is_ignored() {
        let line = r#"{"protocol": 1, "version": "0.9.0", "pid": 5, "kind": "window", "mood": "good"}"#;
        let hello = Hello::read(line).unwrap();
        assert_eq!(hello.who, Holder { pid: 5, kind: Kind::Window, version: "0.9.0".into() });
    }

    #[test]
    fn the_largest_answer_of_the_past_is_a_line_that_a_client_reads() {
        // 200 curves of 2,000 points: 25 bytes a point and 8 a time, and a head.
        let block = Block(vec![0xff; 400_000 * 25 + 2_000 * 8 + 24]);
        assert_eq!(POINTS_MOST, 400_000);
        let said = Said::Reply { id: u64::MAX, reply: Box::new(Reply::Course { block }) };
        let line = serde_json::to_string(&said).unwrap();
        assert!(line.len() < LINE_MOST, "{} bytes", line.len());
    }

    #[test]
    fn what_is_no_greeting_is_garbage() {
        for line in ["", "{}", "GET / HTTP/1.1", r#"{"protocol": "one"}"#, r#"{"protocol": 1}"#] {
            assert!(matches!(Hello::read(line), Err(WireError::Garbage(_))), "{line}");
        }
    }
}
