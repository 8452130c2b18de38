//! Determines whether the stub would call a method: by name, and by number and kind of its
//! parameters and results.
//!
//! The signatures are those of the interfaces in
//! [pkg/stub](https://github.com/containerd/nri/blob/v0.12.0/pkg/stub/stub.go), with and without
//! the context that v0.3.0 added.

use super::syntax::{Signature, Type};

/// A handler that the stub looks for.
struct Handler {
    /// The interface of the stub that declares it.
    interface: &'static str,
    /// The name of the method and of the RPC of the event.
    event: &'static str,
    /// The minimum and maximum number of parameters after the context; early stubs pass fewer.
    parameters: (usize, usize),
    results: usize,
}

const fn handler(
    interface: &'static str,
    event: &'static str,
    parameters: (usize, usize),
    results: usize,
) -> Handler {
    Handler {
        interface,
        event,
        parameters,
        results,
    }
}

const HANDLERS: [Handler; 14] = [
    handler("RunPodInterface", "RunPodSandbox", (1, 1), 1),
    handler("UpdatePodInterface", "UpdatePodSandbox", (3, 3), 1),
    handler("StopPodInterface", "StopPodSandbox", (1, 1), 1),
    handler("RemovePodInterface", "RemovePodSandbox", (1, 1), 1),
    handler("PostUpdatePodInterface", "PostUpdatePodSandbox", (1, 1), 1),
    handler("CreateContainerInterface", "CreateContainer", (2, 2), 3),
    handler(
        "PostCreateContainerInterface",
        "PostCreateContainer",
        (2, 2),
        1,
    ),
    handler("StartContainerInterface", "StartContainer", (2, 2), 1),
    handler(
        "PostStartContainerInterface",
        "PostStartContainer",
        (2, 2),
        1,
    ),
    handler("UpdateContainerInterface", "UpdateContainer", (2, 3), 2),
    handler(
        "PostUpdateContainerInterface",
        "PostUpdateContainer",
        (2, 2),
        1,
    ),
    handler("StopContainerInterface", "StopContainer", (2, 2), 2),
    handler("RemoveContainerInterface", "RemoveContainer", (2, 2), 1),
    handler(
        "ValidateContainerAdjustmentInterface",
        "ValidateContainerAdjustment",
        (1, 1),
        1,
    ),
];

/// Interfaces of the stub without event handlers.
const WITHOUT_EVENTS: [&str; 5] = [
    "ConfigureInterface",
    "Plugin",
    "ShutdownInterface",
    "Stub",
    "SynchronizeInterface",
];

/// Returns the event that an interface of the stub declares: `Some(None)` if it declares none,
/// `None` if the stub has no such interface.
pub(super) fn of_interface(name: &str) -> Option<Option<&'static str>> {
    match HANDLERS.iter().find(|handler| handler.interface == name) {
        Some(handler) => Some(Some(handler.event)),
        None => WITHOUT_EVENTS.contains(&name).then_some(None),
    }
}

/// Returns the event that a method of this name would handle.
pub(super) fn event(name: &str) -> Option<&'static str> {
    Some(find(name)?.event)
}

/// Returns true if an event may arrive as `StateChange`, which has no answer: if its handler returns
/// nothing but an error.
pub(super) fn has_no_answer(event: &str) -> bool {
    find(event).is_some_and(|handler| handler.results == 1)
}

fn find(name: &str) -> Option<&'static Handler> {
    HANDLERS.iter().find(|handler| handler.event == name)
}

/// The result of matching a method with a handler.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fit {
    /// The signature differs from the one that the stub requires.
    No,
    /// The result depends on types that are not resolved here.
    Maybe,
    /// The signature is the one that the stub requires.
    Yes,
}

/// The meaning of names in a signature, in the file of the method.
pub(super) trait Names {
    /// Returns true if the type is a pointer to this message of NRI's API.
    fn is_message(&self, ty: &Type, message: &str) -> bool;
    /// Returns true if the name is a predeclared type.
    fn is_predeclared(&self, name: &str) -> bool;
}

/// Matches a method by its name and its signature.
pub(super) fn fit(name: &str, signature: &Signature, names: &dyn Names) -> Fit {
    let Some(handler) = find(name) else {
        return Fit::No;
    };
    // One more if a context comes first.
    let (fewest, most) = (handler.parameters.0, handler.parameters.1 + 1);
    let parameters = &signature.parameters;
    if !(fewest..=most).contains(&parameters.len())
        || signature.results.len() != handler.results
        || parameters.iter().any(|ty| cannot_fit(ty, names))
    {
        return Fit::No;
    }
    let subject = match handler.event {
        "ValidateContainerAdjustment" => "ValidateContainerAdjustmentRequest",
        _ => "PodSandbox",
    };
    let takes_subject = parameters
        .iter()
        .take(2)
        .any(|ty| names.is_message(ty, subject));
    if takes_subject { Fit::Yes } else { Fit::Maybe }
}

/// Returns true if no parameter type of a handler can be written this way.
fn cannot_fit(ty: &Type, names: &dyn Names) -> bool {
    match ty {
        Type::Container(_) | Type::Function | Type::Struct { .. } => true,
        Type::Pointer(to) => cannot_fit(to, names),
        Type::Named {
            qualifier: None,
            name,
        } => names.is_predeclared(name),
        Type::Named { .. } | Type::Interface { .. } | Type::Unknown => false,
    }
}
