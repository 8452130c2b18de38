/// An RPC of this revision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rpc {
    /// Full name of the service.
    pub service: &'static str,
    /// Name of the method.
    pub method: &'static str,
    /// The event that it carries; `None` for `StateChange`, which carries several, and for RPCs
    /// without an event.
    pub event: ::core::option::Option<Event>,
    /// The NRI release that added it; `None` if it is in no release.
    pub since: ::core::option::Option<&'static str>,
    /// The NRI release that deprecated it, if it is deprecated in this revision.
    pub deprecated_since: ::core::option::Option<&'static str>,
}

/// An event of this revision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EventInfo {
    /// The event.
    pub event: Event,
    /// Name of the enum value: `RUN_POD_SANDBOX`.
    pub name: &'static str,
    /// Its bit in an [`EventMask`].
    pub bit: i32,
    /// The method of service `Plugin` that carries it: the dedicated one, or `StateChange`.
    pub rpc: &'static str,
    /// The NRI release that added the event; `None` if it is in no release.
    pub since: ::core::option::Option<&'static str>,
    /// The NRI release that added its dedicated RPC; `None` if it is in no release.
    pub rpc_since: ::core::option::Option<&'static str>,
    /// The NRI releases that sent it as `StateChange`, if any.
    pub state_change: ::core::option::Option<StateChangeCoverage>,
}

/// The releases in which `StateChange` carried an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StateChangeCoverage {
    /// The first release.
    pub since: &'static str,
    /// The release that added the dedicated RPC; since then `StateChange` is only a fallback.
    /// `None` if this revision still sends it.
    pub until: ::core::option::Option<&'static str>,
}
