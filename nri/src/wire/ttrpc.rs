//! The messages of ttrpc itself: the envelopes around NRI's messages.
//!
//! Fields that nothing here reads are not declared (`Request.metadata`, `Status.details`). Decoding
//! skips them, so a peer cannot turn a small message into a large structure.

use std::time::Duration;

use bytes::Bytes;

use super::status::{Code, Status};
use crate::codec::wire::{WireType, put_bytes, put_key, put_varint, varint_len};
use crate::codec::{DecodeError, decode_shared, message};

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
    /// Decodes an envelope whose payload shares the memory of `encoded`.
    ///
    /// # Errors
    ///
    /// Returns a [`DecodeError`] if the bytes are not an envelope.
    pub fn read(encoded: &Bytes) -> Result<Self, DecodeError> {
        decode_shared(encoded)
    }

    /// Returns how long the caller waits: `None` without limit, zero if the time was over when the call was sent.
    pub fn timeout(&self) -> Option<Duration> {
        match self.timeout_nano {
            0 => None,
            nanos => Some(Duration::from_nanos(u64::try_from(nanos).unwrap_or(0))),
        }
    }
}

/// A call to send: what [`RequestEnvelope`] holds, borrowed, so that sending copies nothing but the payload.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Call<'a> {
    /// Fully qualified service name.
    pub service: &'a str,
    /// Method name.
    pub method: &'a str,
    /// Encoded request of the method.
    pub payload: &'a [u8],
    /// The time that the caller waits; `None` without limit.
    pub timeout: Option<Duration>,
}

/// Field numbers of `ttrpc.Request`.
const SERVICE: u32 = 1;
const METHOD: u32 = 2;
const PAYLOAD: u32 = 3;
const TIMEOUT: u32 = 4;

/// The length of a key of these.
const KEY_LEN: usize = 1;

impl Call<'_> {
    /// Returns the length of the encoded envelope in bytes.
    pub fn encoded_len(&self) -> usize {
        let texts = [
            self.service.as_bytes(),
            self.method.as_bytes(),
            self.payload,
        ];
        let texts: usize = texts.into_iter().map(field_len).sum();
        texts
            + match self.timeout_nano() {
                0 => 0,
                nanos => KEY_LEN + varint_len(nanos),
            }
    }

    /// Appends the encoded envelope, as [`RequestEnvelope`] encodes it.
    pub fn encode(&self, buffer: &mut Vec<u8>) {
        put_field(SERVICE, self.service.as_bytes(), buffer);
        put_field(METHOD, self.method.as_bytes(), buffer);
        put_field(PAYLOAD, self.payload, buffer);
        let nanos = self.timeout_nano();
        if nanos != 0 {
            put_key(TIMEOUT, WireType::Varint, buffer);
            put_varint(nanos, buffer);
        }
    }

    fn timeout_nano(&self) -> u64 {
        timeout_nano(self.timeout).unsigned_abs()
    }
}

/// Returns the encoded length of a bytes field; empty fields are left out, as proto3 demands.
fn field_len(value: &[u8]) -> usize {
    match value.len() {
        0 => 0,
        length => KEY_LEN + varint_len(length as u64) + length,
    }
}

fn put_field(number: u32, value: &[u8], buffer: &mut Vec<u8>) {
    if !value.is_empty() {
        put_bytes(number, value, buffer);
    }
}

/// Converts a timeout to the wire's nanoseconds. Zero, which means "no limit" there, becomes 1 ns.
pub fn timeout_nano(timeout: Option<Duration>) -> i64 {
    timeout.map_or(0, |t| {
        i64::try_from(t.as_nanos()).unwrap_or(i64::MAX).max(1)
    })
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

impl ResponseEnvelope {
    /// Decodes an envelope whose payload shares the memory of `encoded`.
    ///
    /// # Errors
    ///
    /// Returns a [`DecodeError`] if the bytes are not an envelope.
    pub fn read(encoded: &Bytes) -> Result<Self, DecodeError> {
        decode_shared(encoded)
    }
}

impl From<Result<Bytes, Status>> for ResponseEnvelope {
    fn from(answer: Result<Bytes, Status>) -> Self {
        match answer {
            Ok(payload) => Self {
                status: None,
                payload,
            },
            Err(status) => Self {
                status: Some(status.into()),
                payload: Bytes::new(),
            },
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

impl From<Status> for StatusEnvelope {
    fn from(status: Status) -> Self {
        let code = if status.code == Code::OK {
            Code::UNKNOWN
        } else {
            status.code
        };
        Self {
            code: code.0,
            message: status.message,
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
        assert_eq!(
            request.encode_to_vec(),
            b"\x0a\x01s\x12\x01m\x1a\x01p\x20\x02"
        );
    }

    #[test]
    fn a_borrowed_call_encodes_as_the_envelope_does() {
        for (service, method, payload, timeout) in [
            ("", "", &b""[..], None),
            ("s", "", b"", Some(Duration::ZERO)),
            ("service", "method", &[7; 300], Some(Duration::from_secs(2))),
            ("service", "method", b"p", Some(Duration::MAX)),
        ] {
            let call = Call {
                service,
                method,
                payload,
                timeout,
            };
            let envelope = RequestEnvelope {
                service: service.into(),
                method: method.into(),
                payload: Bytes::copy_from_slice(payload),
                timeout_nano: timeout_nano(timeout),
            };
            let mut encoded = Vec::new();
            call.encode(&mut encoded);
            assert_eq!(encoded, envelope.encode_to_vec(), "{call:?}");
            assert_eq!(encoded.len(), call.encoded_len(), "{call:?}");
        }
    }

    #[test]
    fn fields_nobody_reads_are_skipped() {
        let with_metadata = b"\x0a\x01s\x2a\x06\x0a\x01k\x12\x01v";
        let request = RequestEnvelope::decode(&with_metadata[..]).unwrap();
        assert_eq!(request.service, "s");
    }

    #[test]
    fn timeout_is_none_without_limit_and_zero_when_over() {
        let timeout = |timeout_nano| {
            RequestEnvelope {
                timeout_nano,
                ..Default::default()
            }
            .timeout()
        };
        assert_eq!(timeout(0), None);
        assert_eq!(timeout(-5), Some(Duration::ZERO));
        assert_eq!(timeout(7), Some(Duration::from_nanos(7)));
        assert_eq!(timeout_nano(None), 0);
        assert_eq!(timeout_nano(Some(Duration::ZERO)), 1);
        assert_eq!(timeout_nano(Some(Duration::MAX)), i64::MAX);
    }

    #[test]
    fn success_may_have_a_status_and_an_error_never_reads_as_success() {
        let response = ResponseEnvelope {
            status: Some(StatusEnvelope {
                code: 0,
                message: String::new(),
            }),
            payload: Bytes::from_static(b"x"),
        };
        assert_eq!(Result::from(response), Ok(Bytes::from_static(b"x")));

        let sent = ResponseEnvelope::from(Err(Status::new(Code::OK, "odd")));
        assert_eq!(Result::from(sent), Err(Status::new(Code::UNKNOWN, "odd")));
    }
}
