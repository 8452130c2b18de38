//! The events to subscribe to with this runtime.
//!
//! A runtime drops a plugin that subscribes to an event unknown to it, and interprets 0 as all
//! events that it knows.

use crate::api::{Event, EventMask};
use crate::context::runtime::{Runtime, parse};
use crate::plugin::Rpc;
use crate::plugin::rpcs::RPCS;
use crate::{Error, ErrorKind, Result};

/// Returns the events to subscribe to, which are never none, and a warning about events that the
/// runtime does not know, or may not know. The plugin has handlers for `handled`, and refuses to
/// run without `required`. `chosen` is the mask that its handler of Configure returned, of which 0
/// stands for all events that it handles.
///
/// # Errors
///
/// Returns [`ErrorKind::Unsupported`] if the runtime does not know a required event or any of those
/// wanted, and [`ErrorKind::Config`] if the plugin chose an event that it does not handle.
pub(super) fn subscribe(
    runtime: &Runtime,
    handled: EventMask,
    required: EventMask,
    chosen: i32,
) -> Result<(EventMask, Option<String>)> {
    let chosen = check_chosen(chosen, handled)?;
    let (known, unknown): (Vec<_>, Vec<_>) = events().partition(|(rpc, _)| knows(runtime, rpc));
    let unknown_of = |wanted: EventMask| {
        unknown
            .iter()
            .filter(|(_, event)| wanted.contains(*event))
            .map(|(rpc, _)| named(rpc))
            .collect::<Vec<_>>()
            .join(", ")
    };
    let required_but_unknown = unknown_of(required);
    if !required_but_unknown.is_empty() {
        let what = "an event that the plugin requires";
        return Err(unsupported(runtime, &required_but_unknown, what));
    }
    let missing = unknown_of(chosen);
    let subscribed = known.iter().filter(|(_, event)| chosen.contains(*event));
    let events = subscribed.fold(EventMask::EMPTY, |mask, (_, event)| mask.with(*event));
    if events.is_empty() {
        return Err(unsupported(runtime, &missing, "every event that the plugin wants"));
    }
    let warning = (!missing.is_empty())
        .then(|| format!("{runtime} {} {missing}: the plugin will not receive it", verb(runtime)));
    Ok((events, warning))
}

/// Returns all events, each with its RPC.
fn events() -> impl Iterator<Item = (&'static Rpc, Event)> {
    RPCS.iter().filter_map(|rpc| Some((*rpc, rpc.event?)))
}

/// Returns true if the runtime knows the event. A runtime of an unknown NRI release is assumed to
/// know only the events of all releases.
fn knows(runtime: &Runtime, rpc: &Rpc) -> bool {
    let Some(since) = rpc.event_since else {
        return false;
    };
    runtime.is_at_least(since).unwrap_or_else(|| parse(since) == first_release())
}

fn first_release() -> Option<semver::Version> {
    events().filter_map(|(rpc, _)| parse(rpc.event_since?)).min()
}

fn check_chosen(chosen: i32, handled: EventMask) -> Result<EventMask> {
    if chosen == 0 {
        return Ok(handled);
    }
    let wanted = chosen & handled.bits();
    let unhandled = if wanted == 0 { chosen } else { chosen & !handled.bits() & !groups(chosen) };
    if unhandled != 0 {
        let message = format!(
            "the handler of Configure chose events that the plugin has no handler for: {unhandled:#x}"
        );
        return Err(Error::with_kind(ErrorKind::Config, message)
            .with_help("choose among the events that are handled"));
    }
    Ok(EventMask::from_bits_truncate(wanted))
}

/// Returns the events of each group that is chosen as a whole. It stands for those of its events
/// that are handled, because it has more of them in a later version of this crate.
fn groups(chosen: i32) -> i32 {
    let groups = [EventMask::POD, EventMask::CONTAINER].map(EventMask::bits);
    groups.iter().filter(|group| chosen & **group == **group).fold(0, |all, group| all | group)
}

pub(super) fn unsupported(runtime: &Runtime, missing: &str, what: &str) -> Error {
    let verb = verb(runtime);
    Error::with_kind(ErrorKind::Unsupported, format!("{runtime} {verb} {what}: {missing}"))
        .with_help(NEWER_RUNTIME)
}

/// How to fix a runtime that is too old.
pub(super) const NEWER_RUNTIME: &str =
    "run the plugin under a runtime that links this NRI release or a newer one";

fn verb(runtime: &Runtime) -> &'static str {
    if runtime.nri_version().is_some() { "does not know" } else { "may not know" }
}

fn named(rpc: &Rpc) -> String {
    format!("{} (since NRI {})", rpc.name, rpc.event_since.unwrap_or(rpc.since))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Subscribes to the events that the plugin handles, or to those chosen by its handler.
    fn subscribed(
        handled: EventMask,
        chosen: i32,
        runtime: &Runtime,
    ) -> Result<(EventMask, Option<String>)> {
        subscribe(runtime, handled, EventMask::EMPTY, chosen)
    }

    fn mask(events: [Event; 2]) -> EventMask {
        EventMask::EMPTY.with(events[0]).with(events[1])
    }

    #[test]
    fn each_release_is_asked_for_what_it_knows() {
        let newest = EventMask::ALL.bits();
        for (nri, known) in [
            ("v0.2.0", 0x7ff),
            ("v0.9.0", 0x7ff),
            ("v0.9.1-0.20250219030224-e597e7849f24", 0x1fff),
            ("v0.10.0", 0x3fff),
            ("v0.12.5", 0x3fff),
            ("v1.0.0", newest),
            ("", 0x7ff),
        ] {
            let runtime = Runtime::new("some-runtime", "1.0", nri);
            let (all, warning) = subscribed(EventMask::ALL, 0, &runtime).unwrap();
            assert_eq!(all.bits(), known, "{nri}");
            assert_eq!(warning.is_some(), known != newest, "{nri}");
        }
    }

    #[test]
    fn what_is_required_and_not_known_is_an_error() {
        let handled = mask([Event::RunPodSandbox, Event::ValidateContainerAdjustment]);
        let required = EventMask::EMPTY.with(Event::ValidateContainerAdjustment);
        let under = |nri| subscribe(&Runtime::new("other", "", nri), handled, required, 0);
        let error = under("v0.9.0").unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Unsupported);
        assert_eq!(
            error.to_string(),
            "other (NRI v0.9.0) does not know an event that the plugin requires: \
             ValidateContainerAdjustment (since NRI v0.10.0)"
        );
        assert!(under("v0.10.0").is_ok());
        assert!(under("").is_err());
    }

    #[test]
    fn a_group_stands_for_its_events_that_are_handled() {
        let runtime = Runtime::new("other", "", "v0.12.0");
        let handled = mask([Event::RunPodSandbox, Event::StartContainer]);
        let start = EventMask::from_event(Event::StartContainer).bits();
        let (events, warning) = subscribed(handled, EventMask::CONTAINER.bits(), &runtime).unwrap();
        assert_eq!((events.bits(), warning), (start, None));
        assert_eq!(subscribed(handled, EventMask::ALL.bits(), &runtime).unwrap().0, handled);
        // A single event was named by somebody, and so was a group of which none is handled.
        let stop = EventMask::from_event(Event::StopContainer).bits();
        let only_pods = EventMask::from_event(Event::RunPodSandbox);
        for (offered, chosen) in [(handled, start | stop), (only_pods, EventMask::CONTAINER.bits())]
        {
            let error = subscribed(offered, chosen, &runtime).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Config);
        }
    }

    #[test]
    fn nothing_left_is_an_error_and_not_0() {
        let handled = EventMask::EMPTY.with(Event::UpdatePodSandbox);
        let error = subscribed(handled, 0, &Runtime::new("other", "", "v0.9.0")).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Unsupported);
        assert!(error.to_string().contains("every event that the plugin wants: UpdatePodSandbox"));
    }

    proptest! {
        #[test]
        fn a_subscription_is_never_empty_and_never_more_than_wanted_and_known(
            chosen: i32, handled in 1..0x4000i32, release in 2..14u64,
        ) {
            let handled = EventMask::from_bits_truncate(handled);
            let runtime = Runtime::new("", "", &format!("v0.{release}.0"));
            let known = if release < 10 { 0x7ff } else { 0x3fff };
            if let Ok((events, _)) = subscribed(handled, chosen, &runtime) {
                prop_assert_ne!(events.bits(), 0);
                prop_assert_eq!(events.bits() & !(handled.bits() & known), 0);
            }
        }
    }
}
