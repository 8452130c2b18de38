//! Status codes, and the status of an answer.

use std::fmt::{self, Write as _};

/// The maximum number of characters of a message that are shown: peers choose it.
const MAX_SHOWN: usize = 2000;

/// A gRPC status code.
///
/// Not an enum, because a peer may send any number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Code(pub i32);

macro_rules! codes {
    ($($name:ident = $number:literal, $doc:literal;)*) => {
        /// The codes of the
        /// [gRPC specification](https://grpc.github.io/grpc/core/md_doc_statuscodes.html).
        impl Code {
            $(#[doc = $doc] pub const $name: Self = Self($number);)*

            /// Returns the name of the code, or `None` if the specification does not name it.
            pub const fn name(self) -> Option<&'static str> {
                match self.0 {
                    $($number => Some(stringify!($name)),)*
                    _ => None,
                }
            }
        }
    };
}

codes! {
    OK = 0, "No error.";
    CANCELLED = 1, "The caller cancelled the call.";
    UNKNOWN = 2, "An error without a more specific code. Go servers use it for plain errors.";
    INVALID_ARGUMENT = 3, "The request is invalid.";
    DEADLINE_EXCEEDED = 4, "The deadline passed before the call completed.";
    NOT_FOUND = 5, "The requested entity does not exist.";
    ALREADY_EXISTS = 6, "The entity to create exists already.";
    PERMISSION_DENIED = 7, "The caller lacks permission.";
    RESOURCE_EXHAUSTED = 8, "A limit is exceeded, such as the size of a message.";
    FAILED_PRECONDITION = 9, "The system is not in the required state.";
    ABORTED = 10, "The call was aborted, typically by a conflict.";
    OUT_OF_RANGE = 11, "A value is out of range.";
    UNIMPLEMENTED = 12, "The service or method is unknown. An NRI runtime falls back to StateChange.";
    INTERNAL = 13, "An internal error of the peer.";
    UNAVAILABLE = 14, "The service is unavailable.";
    DATA_LOSS = 15, "Data is lost or corrupted.";
    UNAUTHENTICATED = 16, "The caller is not authenticated.";
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.name() {
            Some(name) => write!(f, "{name} ({})", self.0),
            None => write!(f, "code {}", self.0),
        }
    }
}

/// An error that a call is answered with: a code and a message.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}: {code}", OneLine::new(message, MAX_SHOWN))]
pub struct Status {
    /// The kind of error.
    pub code: Code,
    /// A human-readable description.
    pub message: String,
}

impl Status {
    /// Creates a status.
    ///
    /// A status with [`Code::OK`] would mean success to the peer, so it is sent as
    /// [`Code::UNKNOWN`].
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Self { code, message: message.into() }
    }

    /// Creates the answer to a call of an unknown service.
    pub fn unknown_service(service: &str) -> Self {
        Self::new(Code::UNIMPLEMENTED, format!("unknown service {service}"))
    }

    /// Creates the answer to a call of an unknown method.
    pub fn unknown_method(service: &str, method: &str) -> Self {
        Self::new(Code::UNIMPLEMENTED, format!("unknown method {service}/{method}"))
    }

    /// Creates the answer to a request that is unreadable or out of order.
    pub fn invalid_argument(message: impl Into<String>) -> Self {
        Self::new(Code::INVALID_ARGUMENT, message)
    }

    /// Creates the answer to a request that exceeds a limit.
    pub fn resource_exhausted(message: impl Into<String>) -> Self {
        Self::new(Code::RESOURCE_EXHAUSTED, message)
    }
}

/// Shows a text on one line, at most a number of characters of it.
///
/// Control characters, and those that change the direction of text, are escaped: a text with a line
/// end would forge a line of the log.
pub struct OneLine<'t> {
    text: &'t str,
    max: usize,
}

impl<'t> OneLine<'t> {
    /// Shows at most `max` characters, and `…` for the others.
    pub const fn new(text: &'t str, max: usize) -> Self {
        Self { text, max }
    }
}

impl fmt::Display for OneLine<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut characters = self.text.chars();
        for c in characters.by_ref().take(self.max) {
            if c.is_control() || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}') {
                write!(f, "{}", c.escape_default())?;
            } else {
                f.write_char(c)?;
            }
        }
        match characters.next() {
            Some(_) => f.write_char('…'),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_is_shown_with_name_and_number() {
        assert_eq!(Code::UNIMPLEMENTED.to_string(), "UNIMPLEMENTED (12)");
        assert_eq!(Code(99).to_string(), "code 99");
    }

    #[test]
    fn a_text_stays_on_its_line_and_has_an_end() {
        let shown = |text: &str, max| OneLine::new(text, max).to_string();
        assert_eq!(shown("a\nb\u{1b}[1m", 9), "a\\nb\\u{1b}[1m");
        assert_eq!(shown("\u{202e}é", 9), "\\u{202e}é");
        assert_eq!(shown("éé", 2), "éé");
        assert_eq!(shown("ééé", 2), "éé…");
        assert_eq!(shown("", 0), "");
    }
}
