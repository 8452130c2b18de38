//! Errors of decoding.

use std::fmt;

use super::wire_type::WireType;

/// An encoded message that cannot be decoded.
///
/// ```
/// use nri::api::PodSandbox;
/// use nri::codec::Message;
///
/// let error = PodSandbox::decode(b"\x0a\x02\xff\xff").unwrap_err();
/// assert_eq!(
///     error.to_string(),
///     "failed to decode Protobuf message: PodSandbox.id: invalid string value: data is not UTF-8 encoded",
/// );
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DecodeError(Box<Located>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct Located {
    problem: Problem,
    /// Message and field, from the innermost to the outermost.
    places: Vec<(&'static str, &'static str)>,
}

/// The problem of a message, in the words of prost.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum Problem {
    #[error("invalid varint")]
    Varint,
    #[error("recursion limit reached")]
    TooDeep,
    #[error("invalid wire type value: {0}")]
    NoWireType(u64),
    #[error("invalid key value: {0}")]
    Key(u64),
    #[error("invalid tag value: 0")]
    FieldZero,
    #[error("invalid wire type: {actual:?} (expected {expected:?})")]
    WireType { actual: WireType, expected: WireType },
    #[error("buffer underflow")]
    Cut,
    #[error("unexpected end group tag")]
    EndGroup,
    #[error("invalid string value: data is not UTF-8 encoded")]
    Text,
    /// Not from prost, which has no such limit.
    #[error("the message needs more than {0} bytes of memory")]
    OverBudget(usize),
}

impl DecodeError {
    /// Returns true if the message would take more memory than a message of its size may, whether
    /// or not it is valid.
    pub fn is_over_budget(&self) -> bool {
        matches!(self.0.problem, Problem::OverBudget(_))
    }

    /// Returns the error without the words that prost puts before each.
    #[cfg(feature = "prost")]
    pub(super) fn description(&self) -> String {
        self.0.to_string()
    }

    /// Adds the field of a message that contains the value.
    #[cold]
    pub(super) fn within(mut self, message: &'static str, field: &'static str) -> Self {
        self.0.places.push((message, field));
        self
    }
}

impl From<Problem> for DecodeError {
    #[cold]
    fn from(problem: Problem) -> Self {
        let places = Vec::new();
        DecodeError(Box::new(Located { problem, places }))
    }
}

impl fmt::Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "failed to decode Protobuf message: {}", self.0)
    }
}

impl fmt::Display for Located {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (message, field) in &self.places {
            write!(f, "{message}.{field}: ")?;
        }
        self.problem.fmt(f)
    }
}

impl std::error::Error for DecodeError {}

/// A number that is not a value of an enum.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown enumeration value {0}")]
pub struct UnknownEnumValue(pub i32);
