//! Status codes and the status that an answer carries.

use std::fmt;

/// A status code, as gRPC numbers them.
///
/// A peer may send any number, so this is not an enum.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Code(pub i32);

macro_rules! codes {
    ($($name:ident = $number:literal, $doc:literal;)*) => {
        /// The codes of the
        /// [gRPC specification](https://grpc.github.io/grpc/core/md_doc_statuscodes.html).
        impl Code {
            $(#[doc = $doc] pub const $name: Self = Self($number);)*

            /// The name of the code, or `None` if the specification has none for it.
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
    CANCELLED = 1, "The caller gave up.";
    UNKNOWN = 2, "An error without a better code; what Go servers send for plain errors.";
    INVALID_ARGUMENT = 3, "The request makes no sense.";
    DEADLINE_EXCEEDED = 4, "The time was over before the work was done.";
    NOT_FOUND = 5, "What was asked for does not exist.";
    ALREADY_EXISTS = 6, "What should be created exists.";
    PERMISSION_DENIED = 7, "The caller may not do this.";
    RESOURCE_EXHAUSTED = 8, "A limit is reached; a message too large to send, too.";
    FAILED_PRECONDITION = 9, "The state does not allow it.";
    ABORTED = 10, "A conflict ended the work.";
    OUT_OF_RANGE = 11, "Past the valid range.";
    UNIMPLEMENTED = 12, "Unknown service or method; makes an NRI runtime fall back to older calls.";
    INTERNAL = 13, "A defect on the answering side.";
    UNAVAILABLE = 14, "Not reachable now.";
    DATA_LOSS = 15, "Data are lost or damaged.";
    UNAUTHENTICATED = 16, "The caller is not known.";
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.name() {
            Some(name) => write!(f, "{name} ({})", self.0),
            None => write!(f, "code {}", self.0),
        }
    }
}

/// An answer that is an error: a code and what it is about.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}: {code}")]
pub struct Status {
    /// What kind of error.
    pub code: Code,
    /// What went wrong, for people.
    pub message: String,
}

impl Status {
    /// A status of the given code.
    ///
    /// On the wire [`Code::OK`] would read as success, so a status of that code is sent as
    /// [`Code::UNKNOWN`].
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
        }
    }

    /// The answer to a service that is not served here.
    pub fn unknown_service(service: &str) -> Self {
        Self::new(Code::UNIMPLEMENTED, format!("unknown service {service}"))
    }

    /// The answer to a method that the service does not have.
    pub fn unknown_method(service: &str, method: &str) -> Self {
        Self::new(
            Code::UNIMPLEMENTED,
            format!("unknown method {service}/{method}"),
        )
    }

    /// The answer to a request that cannot be read or comes out of turn.
    pub fn invalid_argument(message: impl Into<String>) -> Self {
        Self::new(Code::INVALID_ARGUMENT, message)
    }

    /// The answer to a request beyond a limit.
    pub fn resource_exhausted(message: impl Into<String>) -> Self {
        Self::new(Code::RESOURCE_EXHAUSTED, message)
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
    fn unknown_service_and_method_have_the_code_that_makes_a_runtime_fall_back() {
        assert_eq!(Status::unknown_service("s").code, Code(12));
        let status = Status::unknown_method("s", "m");
        assert_eq!(status.to_string(), "unknown method s/m: UNIMPLEMENTED (12)");
    }
}
