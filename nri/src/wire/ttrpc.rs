//! The messages of ttrpc itself: the envelopes around NRI's messages.
//!
//! Fields that nothing here reads are not declared (`Request.metadata`, `Status.details`). Decoding
//! skips them, so a peer cannot turn a small message into a large structure.

use std::time::Duration;

use bytes::Bytes;

use super::status::{Code, Status};
use crate::codec::message;

/// `ttrpc.Request`: a call of a method.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RequestEnvelope {
    /// Fully qualified service name.
    pub service: String,
    /// Method name.
    pub method: String,
    /// Encoded request of the method.
    pub payload: Bytes,
    /// The time that the caller waits, in nanoseconds; 0 means without limit.
    pub timeout_nano: i64,
}

message! { RequestEnvelope, "RequestEnvelope" { 4 => timeout_nano, 3 => payload, 2 => method, 1 => service } }

impl RequestEnvelope {
    /// Returns how long the caller waits: `None` without limit, zero if the time was over when the
    /// call was sent.
    pub fn timeout(&self) -> Option<Duration> {
        match self.timeout_nano {
            0 => None,
            nanos => Some(Duration::from_nanos(u64::try_from(nanos).unwrap_or(0))),
        }
    }
}

/// Converts a timeout to the wire's nanoseconds. Zero, which means "no limit" there, becomes 1 ns.
pub(crate) fn timeout_nano(timeout: Option<Duration>) -> i64 {
    timeout.map_or(0, |t| i64::try_from(t.as_nanos()).unwrap_or(i64::MAX).max(1))
}

/// `ttrpc.Response`: the answer to a call.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ResponseEnvelope {
    /// Absent, or of code 0, for success.
    pub status: Option<StatusEnvelope>,
    /// Encoded answer of the method.
    pub payload: Bytes,
}

/// `google.rpc.Status`: an error.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StatusEnvelope {
    /// Status code, see [`Code`].
    pub code: i32,
    /// A human-readable description.
    pub message: String,
}

message! { ResponseEnvelope, "ResponseEnvelope" { 2 => payload, 1 => status } }
message! { StatusEnvelope, "StatusEnvelope" { 2 => message, 1 => code } }

impl From<Result<Bytes, Status>> for ResponseEnvelope {
    fn from(answer: Result<Bytes, Status>) -> Self {
        match answer {
            Ok(payload) => Self { status: None, payload },
            Err(Status { code, message }) => {
                let code = if code == Code::OK { Code::UNKNOWN } else { code };
                Self {
                    status: Some(StatusEnvelope { code: code.0, message }),
                    payload: Bytes::new(),
                }
            }
        }
    }
}

impl From<ResponseEnvelope> for Result<Bytes, Status> {
    fn from(response: ResponseEnvelope) -> Self {
        match response.status {
            Some(status) if status.code != Code::OK.0 => {
                Err(Status::new(Code(status.code), status.message))
            }
            _ => Ok(response.payload),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::codec::Message as _;

    #[test]
    fn request_has_the_bytes_of_the_specification() {
        let request = RequestEnvelope {
            service: "s".into(),
            method: "m".into(),
            payload: Bytes::from_static(b"p"),
            timeout_nano: 2,
        };
        assert_eq!(request.encode_to_vec(), b"\x0a\x01s\x12\x01m\x1a\x01p\x20\x02");
    }

    #[test]
    fn fields_nobody_reads_are_skipped() {
        let with_metadata = b"\x0a\x01s\x2a\x06\x0a\x01k\x12\x01v";
        let request = RequestEnvelope::decode(&with_metadata[..]).unwrap();
        assert_eq!(request.service, "s");
    }

    #[test]
    fn a_timeout_of_zero_is_sent_as_one_nanosecond() {
        assert_eq!(timeout_nano(None), 0);
        assert_eq!(timeout_nano(Some(Duration::ZERO)), 1);
        assert_eq!(timeout_nano(Some(Duration::MAX)), i64::MAX);
    }

    #[test]
    fn success_may_have_a_status_and_an_error_never_reads_as_success() {
        let response = ResponseEnvelope {
            status: Some(StatusEnvelope { code: 0, message: String::new() }),
            payload: Bytes::from_static(b"x"),
        };
        assert_eq!(Result::from(response), Ok(Bytes::from_static(b"x")));

        let sent = ResponseEnvelope::from(Err(Status::new(Code::OK, "odd")));
        assert_eq!(Result::from(sent), Err(Status::new(Code::UNKNOWN, "odd")));
    }
}
