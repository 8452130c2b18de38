//! The reader of Rust binaries and the manifest that the crate `nri` embeds: both implement the
//! layout independently.

use std::fs;

use nri::plugin::Plugin;
use nri::prelude::*;
use nri_compat::check::content::{File, HEAD};
use nri_compat::check::events::{self, proto_name};
use nri_compat::check::evidence::READERS;
use nri_compat::sighting::{Certainty, FileKind, Interface, Role, Sighting};
use nri_tests::examples::example;
use nri_tests::hostile::elf;

fn sightings(name: &str, bytes: &[u8]) -> Vec<Sighting> {
    let file = File {
        place: name.into(),
        name: name.to_owned(),
        head: bytes[..bytes.len().min(HEAD)].to_vec().into(),
        content: &bytes,
        disk: None,
    };
    let readers = READERS.iter().filter(|reader| reader.recognises(&file));
    readers.flat_map(|reader| reader.read(&file).unwrap()).collect()
}

#[derive(NriPlugin)]
#[nri(
    name = "counter",
    index = "10",
    protocol = "0.11",
    required(StopContainer),
    required_fields("adjust.linux.memory_policy")
)]
struct Counter;

impl RunPodSandbox for Counter {
    async fn run_pod_sandbox(&self, _: &EventContext, _: PodSandbox) -> nri::Result<()> {
        Ok(())
    }
}

impl StopContainer for Counter {
    async fn stop_container(
        &self,
        _: &EventContext,
        _: PodSandbox,
        _: Container,
    ) -> nri::Result<Updates> {
        Ok(Updates::default())
    }
}

#[test]
fn all_that_a_manifest_says_is_read() {
    let found = sightings("counter", &elf::with(Counter::MANIFEST).bytes);
    assert_eq!(found.len(), 1, "{found:#?}");
    let seen = &found[0];
    assert_eq!((seen.kind, seen.role), (FileKind::RustBinary, Role::Plugin));
    assert_eq!((seen.name.as_deref(), seen.index.as_deref()), (Some("counter"), Some("10")));
    assert_eq!(seen.interface, Interface::Dedicated);
    assert_eq!(seen.events.names, ["RunPodSandbox", "StopContainer"]);
    assert_eq!(seen.events.certainty, Certainty::Exact);
    assert_eq!(seen.required, ["StopContainer"]);
    // The field is newer than the release that `protocol` names.
    assert_eq!(seen.min_protocol.as_deref(), Some("v0.12.0"));
    let evidence: String = seen.evidence.iter().map(|evidence| format!("{evidence:?}")).collect();
    assert!(evidence.contains("ignores adjust.linux.memory_policy"), "{evidence}");
}

#[test]
fn a_launched_plugin_goes_by_the_name_of_its_file() {
    let seen = sightings("42-other", &elf::with(Counter::MANIFEST).bytes);
    assert_eq!((seen[0].name.as_deref(), seen[0].index.as_deref()), (Some("other"), Some("42")));
}

#[test]
fn a_cut_manifest_is_unknown() {
    let whole = Counter::MANIFEST;
    // Marker, length and the first bytes of the text.
    for end in 22..whole.len() {
        let seen = sightings("cut", &elf::with(&whole[..end]).bytes);
        assert_eq!(seen.len(), 1, "cut at {end}");
        let unknown = matches!(seen[0].interface, Interface::Unknown(_));
        assert!(unknown, "cut at {end}: {seen:#?}");
    }
}

#[test]
fn the_example_plugins_are_read_from_their_binaries() {
    for (name, interface, events) in [
        ("validator", Interface::Dedicated, Some(vec!["ValidateContainerAdjustment"])),
        ("device-injector", Interface::Dedicated, Some(vec!["CreateContainer"])),
        ("template", Interface::Dedicated, None),
        ("logger", Interface::Dedicated, None),
        ("legacy", Interface::Funnelled, None),
    ] {
        let seen = sightings(name, &fs::read(example(name)).unwrap());
        assert_eq!(seen.len(), 1, "{name}: {seen:#?}");
        assert_eq!(seen[0].role, Role::Plugin, "{name}");
        assert_eq!(seen[0].interface, interface, "{name}");
        assert_eq!(seen[0].events.certainty, Certainty::Exact, "{name}");
        match events {
            Some(events) => assert_eq!(seen[0].events.names, events, "{name}"),
            None => assert!(!seen[0].events.names.is_empty(), "{name}"),
        }
    }
}

#[test]
fn the_events_are_those_of_the_newest_protocol() {
    let history = nri_schema::history::History::embedded().unwrap();
    let protocol = history.revisions().last().unwrap().protocol().unwrap();
    let events = &protocol.nri.as_ref().unwrap().events;
    let names: Vec<&str> = events.iter().map(|event| event.rpc_name.as_str()).collect();
    assert_eq!(names, events::names());
    for event in events {
        assert_eq!(event.name, proto_name(&event.rpc_name));
    }
}
