/// A set of events, in the form of `ConfigureResponse.events`: bit `number - 1` for each event.
///
/// It cannot contain a bit that this revision does not know, because a runtime drops a plugin that
/// sends one. An empty set is sent as 0, which a runtime interprets as all events that it knows.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct EventMask(i32);

/// Bits that belong to no event of this revision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnknownEvents(i32);

/// A name that belongs to no event of this revision.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownEventName(::prost::alloc::string::String);

impl UnknownEvents {
    /// Returns the unknown bits.
    pub const fn bits(self) -> i32 {
        self.0
    }
}

impl UnknownEventName {
    /// Returns the unknown name, in lower case.
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
