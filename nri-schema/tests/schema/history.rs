//! The tables and the models together: names of versions, unknown names, and the release that added
//! each element.

use nri_schema::history::{History, Interface, RemovalStatus};
use nri_schema::model::Carrier;
use nri_schema::{ErrorKind, source};

fn history() -> History {
    History::embedded().unwrap()
}

#[test]
fn tables_and_protos_fit_together() {
    history().check().unwrap();
}

#[test]
fn a_version_is_found_by_every_spelling() {
    let history = history();
    for (spec, name, revision) in [
        ("0.12.5", "v0.12.5", "v0.12.4"),
        ("v0.12.1", "v0.12.1", "v0.12.0"),
        ("v0.11", "v0.11.0", "v0.11.0"),
        ("0.3", "v0.3.0", "v0.2.0"),
        ("0.9", "v0.9.0", "v0.9.0"),
        ("containerd@2.2.1", "v0.11.0", "v0.11.0"),
        ("containerd@v2.4", "v0.12.3", "v0.12.2"),
        ("cri-o@1.26.2", "v0.3.0", "v0.2.0"),
    ] {
        let release = history.version(spec).unwrap_or_else(|error| panic!("{spec}: {error:?}"));
        assert_eq!((&*release.name, &*release.revision), (name, revision), "{spec}");
    }
    let untagged = "v0.9.1-0.20250219030224-e597e7849f24";
    assert_eq!(history.version(untagged).unwrap().name, untagged);
    assert_eq!(history.version("cri-o@1.33").unwrap().name, untagged);
    let newest = history.releases().last().unwrap();
    assert_eq!(history.version("latest").unwrap(), newest);
}

#[test]
fn an_unknown_version_lists_its_neighbours() {
    let history = history();
    for (spec, fact, near) in [
        ("v0.12.9", "unknown NRI release `v0.12.9`", "v0.12."),
        ("0.9.1", "unknown NRI release `0.9.1`", "v0.9.0"),
        ("lastest", "unknown NRI release `lastest`", "latest"),
        ("0", "`0` does not name a single NRI release", "v0.2.0"),
        ("", "unknown NRI release ``", "v0.12.5"),
        ("contianerd@2.2.1", "unknown runtime `contianerd`", "containerd"),
        ("openshift@4.16", "unknown runtime `openshift`", "`kubectl get nodes -o wide` shows"),
        ("containerd@2.2.99", "unknown release `2.2.99` of containerd", "containerd@2.2."),
        ("cri-o@one", "unknown release `one` of cri-o", "cri-o@1.2.3"),
    ] {
        let error = history.version(spec).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Version, "{spec}");
        assert_eq!(error.to_string(), fact);
        let help = error.help().unwrap();
        assert!(help.contains(near), "{spec}: {help}");
    }
}

#[test]
fn a_release_before_the_protocol_is_known_and_refused() {
    let history = history();
    for (spec, fact) in [
        ("v0.1.0", "NRI v0.1.0 has no protocol"),
        ("containerd@1.6.8", "containerd v1.6.8 links NRI v0.1.0, which has no protocol"),
        ("containerd@1.6.25", "containerd v1.6.25 links NRI v0.1.1, which has no protocol"),
    ] {
        let error = history.version(spec).unwrap_err();
        assert_eq!((error.kind(), error.to_string()), (ErrorKind::Version, fact.to_owned()));
        assert!(error.help().unwrap().contains("v0.2.0"));
    }
}

/// The table from NRI's own documentation and code: event, number, release of its RPC, release
/// since which StateChange sent it.
const TRAVELS: [(&str, i32, &str, Option<&str>); 14] = [
    ("RUN_POD_SANDBOX", 1, "v0.12.0", Some("v0.2.0")),
    ("STOP_POD_SANDBOX", 2, "v0.12.0", Some("v0.2.0")),
    ("REMOVE_POD_SANDBOX", 3, "v0.12.0", Some("v0.2.0")),
    ("CREATE_CONTAINER", 4, "v0.2.0", None),
    ("POST_CREATE_CONTAINER", 5, "v0.12.0", Some("v0.2.0")),
    ("START_CONTAINER", 6, "v0.12.0", Some("v0.2.0")),
    ("POST_START_CONTAINER", 7, "v0.12.0", Some("v0.2.0")),
    ("UPDATE_CONTAINER", 8, "v0.2.0", None),
    ("POST_UPDATE_CONTAINER", 9, "v0.12.0", Some("v0.2.0")),
    ("STOP_CONTAINER", 10, "v0.2.0", None),
    ("REMOVE_CONTAINER", 11, "v0.12.0", Some("v0.2.0")),
    ("UPDATE_POD_SANDBOX", 12, "v0.10.0", None),
    ("POST_UPDATE_POD_SANDBOX", 13, "v0.12.0", Some("v0.10.0")),
    ("VALIDATE_CONTAINER_ADJUSTMENT", 14, "v0.10.0", None),
];

#[test]
fn events_travelled_as_documented() {
    let history = history();
    let revision = history.revision_of(history.release("0.12.5").unwrap()).unwrap();
    let events = &revision.protocol().unwrap().nri.as_ref().unwrap().events;
    assert_eq!(events.len(), TRAVELS.len());
    for (event, (name, number, rpc_since, state_change)) in events.iter().zip(TRAVELS) {
        assert_eq!((&*event.name, event.number), (name, number));
        assert_eq!(event.bit, 1 << (number - 1));
        let travelled = history.event(revision.name(), event).unwrap();
        assert_eq!(travelled.rpc_since.as_deref(), Some(rpc_since), "{name}");
        assert_eq!(travelled.state_change_since.as_deref(), state_change, "{name}");
        assert_eq!(travelled.state_change_until.as_deref(), state_change.map(|_| rpc_since));
        assert_eq!(travelled.since.as_deref(), Some(state_change.unwrap_or(rpc_since)));
    }
}

#[test]
fn masks_follow_the_sentinel() {
    let history = history();
    let untagged = "v0.9.1-0.20250219030224-e597e7849f24";
    for (revision, last, mask) in [
        ("v0.2.0", 12, 0x7ff),
        ("v0.9.0", 12, 0x7ff),
        (untagged, 14, 0x1fff),
        ("v0.10.0", 15, 0x3fff),
        ("v0.12.4", 15, 0x3fff),
    ] {
        let revision = history.revision_of(history.release(revision).unwrap()).unwrap();
        let nri = revision.protocol().unwrap().nri.as_ref().unwrap();
        assert_eq!((nri.last, nri.valid_mask), (Some(last), mask));
        assert_eq!(nri.events.iter().fold(0, |bits, event| bits | event.bit), mask);
    }
}

#[test]
fn an_old_revision_carries_by_state_change_and_deprecates_nothing() {
    let history = history();
    let protocol = history.revisions()[0].protocol().unwrap();
    let event = protocol.nri.as_ref().unwrap().event("RUN_POD_SANDBOX").unwrap();
    assert_eq!(event.carrier, Carrier::StateChange);
    assert_eq!(event.request.as_deref(), Some("nri.pkg.api.v1alpha1.StateChangeEvent"));
    let travelled = history.event("v0.2.0", event).unwrap();
    assert_eq!((travelled.rpc_since, travelled.state_change_until), (None, None));
    assert!(history.deprecated_in("v0.11.0").unwrap().is_empty());
    let deprecated = history.deprecated_in("v0.12.2").unwrap();
    assert_eq!(deprecated.len(), 1);
    assert!(
        matches!(&deprecated[0].interface, Interface::Rpc { rpc, .. } if rpc.ends_with("Plugin.StateChange"))
    );
    assert_eq!(deprecated[0].removal.status, RemovalStatus::Planned);
    assert_eq!(deprecated[0].outlook().unwrap(), "removal is planned for containerd 2.7");
}

#[test]
fn fields_have_the_release_that_brought_them() {
    let history = history();
    for (element, since) in [
        ("FailurePolicy.keep_connected", "v0.12.4"),
        ("ConfigureResponse.failure_policy", "v0.12.4"),
        ("SynchronizeRequest.more", "v0.7.0"),
        ("RegisterPluginRequest.NRI_version", "v0.12.0"),
        ("Runtime.RegisterPlugin", "v0.2.0"),
    ] {
        let release = history.since("v0.12.4", &format!("nri.pkg.api.v1alpha1.{element}")).unwrap();
        assert_eq!(release.unwrap().name, since, "{element}");
    }
    assert_eq!(history.since("v0.12.4", "nri.pkg.api.v1alpha1.Nothing").unwrap(), None);
}

#[test]
fn resolving_says_what_it_resolved() {
    let compiled = source::resolve("containerd@2.2.1").unwrap();
    assert_eq!(compiled.origin, "containerd@2.2.1 (NRI v0.11.0)");
    assert_eq!(compiled.release.as_ref().unwrap().name, "v0.11.0");
    assert!(compiled.read.is_empty());
    assert_eq!(compiled.files().count(), 1);
}
