/// A set of events, as `ConfigureResponse.events` carries it: bit `number - 1` for each event.
///
/// It cannot hold a bit that this revision does not know: a runtime drops a plugin that sends one. An empty
/// set is sent as 0, which a runtime reads as everything it knows.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct EventMask(i32);

/// Bits that stand for no event of this revision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnknownEvents(i32);

/// A name that stands for no event of this revision.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownEventName(::prost::alloc::string::String);

impl UnknownEvents {
    /// Returns the bits that are not known.
    pub const fn bits(self) -> i32 {
        self.0
    }
}

impl UnknownEventName {
    /// Returns the name that is not known, in lower case.
    pub fn name(&self) -> &str {
        &self.0
    }
}

impl ::core::fmt::Display for UnknownEvents {
    fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
        ::core::write!(f, "unknown events 0x{:x}", self.0)
    }
}

impl ::core::fmt::Display for UnknownEventName {
    fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
        ::core::write!(f, "unknown event {:?}", self.0)
    }
}

impl ::core::error::Error for UnknownEvents {}
impl ::core::error::Error for UnknownEventName {}
