//! Facts about an RPC that do not depend on a plugin.

use crate::api::Event;

/// One RPC of the Plugin service.
#[derive(Debug)]
pub struct Rpc {
    /// Its name, such as `RunPodSandbox`, which is its handler trait's name too.
    pub name: &'static str,
    /// The event that it carries; `None` for Configure, Synchronize, Shutdown and StateChange.
    pub event: Option<Event>,
    /// The event's name in the proto, such as `RUN_POD_SANDBOX`.
    pub event_name: Option<&'static str>,
    /// The first NRI release that has it, such as `v0.12.0`.
    pub since: &'static str,
    /// The first NRI release that has the event, which need not be tagged: CRI-O ships two that are not. Older runtimes
    /// drop a plugin that subscribes to it.
    pub event_since: Option<&'static str>,
    /// For an event that StateChange carries too: the field numbers of the request, each with the number that the same
    /// field has in StateChangeEvent.
    pub change_fields: Option<&'static [(u32, u32)]>,
    /// Since when, until when, and what replaces it.
    pub deprecated: Option<Deprecation>,
}

/// A deprecated interface, as told to a plugin's author and to whoever runs it.
#[derive(Clone, Copy, Debug)]
pub struct Deprecation {
    /// The NRI release that deprecated it, such as `v0.12.0`.
    pub since: &'static str,
    /// When it is planned to go, such as `containerd 2.7`.
    pub removal: &'static str,
    /// The handler traits to implement instead.
    pub instead: &'static [&'static str],
}
