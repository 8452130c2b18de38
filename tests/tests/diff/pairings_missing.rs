//! Pairings of protocols of which one side lacks a service, a call or an enum, or has it under
//! another name or in another file: peers find each other by full names and calls by theirs, and
//! nothing else of a schema is on the wire.

use std::path::Path;

use nri_compat::diff::diff;
use nri_compat::report::diff::DiffReport;
use nri_compat::report::finding::{Category, Level};
use nri_compat::report::pairing::{ItemKind, PairingOutcome};
use nri_schema::History;

use PairingOutcome::{Dropped, Fails, Loses, Unknown, Works};

const PACKAGE: &str = "nri.pkg.api.v1alpha1";

fn newest() -> String {
    let history = History::embedded().expect("the embedded tables fit together");
    let revision = history.revisions().last().expect("there are revisions");
    revision.proto().to_owned()
}

/// The files of one side; the path of the one to compare, or empty for all.
struct Files {
    files: Vec<(&'static str, String)>,
    named: &'static str,
}

impl Files {
    fn one(text: String) -> Self {
        Self { files: vec![("api.proto", text)], named: "" }
    }

    fn write(&self, folder: &Path) -> String {
        for (name, text) in &self.files {
            let path = folder.join(name);
            std::fs::create_dir_all(path.parent().expect("a folder")).expect("a new folder");
            std::fs::write(path, text).expect("a folder that can be written to");
        }
        folder.join(self.named).to_string_lossy().into_owned()
    }
}

fn compare(before: &Files, after: &Files) -> DiffReport {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let write = |name: &str, files: &Files| {
        let path = folder.path().join(name);
        std::fs::create_dir(&path).expect("a new folder");
        files.write(&path)
    };
    let (before, after) = (write("before", before), write("after", after));
    diff(&before, &after, Category::File).unwrap_or_else(|error| panic!("{error}"))
}

/// Returns the newest protocol with one part replaced.
fn with(from: &str, to: &str) -> Files {
    let text = newest();
    assert!(text.contains(from), "{from}");
    Files::one(text.replace(from, to))
}

/// Returns the newest protocol without one call.
fn without_rpc(name: &str) -> Files {
    Files::one(without(&newest(), &rpc_line(name)))
}

/// Returns the beginning of the line that declares a call.
fn rpc_line(name: &str) -> String {
    format!("  rpc {name}(")
}

/// Returns a protocol without the lines that begin like this.
fn without(protocol: &str, beginning: &str) -> String {
    let rest: String = protocol
        .lines()
        .filter(|line| !line.starts_with(beginning))
        .map(|line| format!("{line}\n"))
        .collect();
    assert!(rest.len() < protocol.len(), "{beginning}");
    rest
}

/// Returns the newest protocol with service `Plugin` in a file of its own.
fn split(named: &'static str) -> Files {
    let text = newest();
    let start = text.find("service Plugin {").expect("the service");
    let end = start + text[start..].find("\n}\n").expect("its end") + 3;
    let rest = format!("{}{}", &text[..start], &text[end..]);
    let head = format!("syntax = \"proto3\";\npackage {PACKAGE};\nimport \"api.proto\";\n");
    let plugin = format!("{head}{}", &text[start..end]);
    Files { files: vec![("api.proto", rest), ("plugin.proto", plugin)], named }
}

/// Returns the newest protocol with the enum of events gone, and its field a number.
fn without_events() -> Files {
    let text = newest();
    let start = text.find("enum Event {").expect("the enum");
    let end = start + text[start..].find("\n}\n").expect("its end") + 3;
    let rest = format!("{}{}", &text[..start], &text[end..]);
    assert!(rest.contains("  Event event = 1;"));
    Files::one(rest.replace("  Event event = 1;", "  int32 event = 1;"))
}

/// Returns the newest protocol beside a file of another package that comes first.
fn beside(name: &'static str, other: String) -> Files {
    Files { files: vec![("api.proto", newest()), (name, other)], named: "" }
}

fn unrelated() -> String {
    "syntax = \"proto3\";\npackage a;\nmessage Ping {}\nservice Plugin { rpc Ping(Ping) returns (Ping); }\n".to_owned()
}

#[test]
fn what_is_missing_decides_the_pairing() {
    // The outcome of an old plugin on the new runtime, and of a new plugin on the old runtime.
    let renamed_package = newest().replace(PACKAGE, "nri.pkg.api.v1beta1");
    let second = format!("{PACKAGE}2");
    let cases = [
        ("Plugin renamed", with("service Plugin {", "service NriPlugin {"), [Dropped; 2]),
        ("Runtime renamed", with("service Runtime {", "service NriRuntime {"), [Dropped; 2]),
        ("Plugin in other letters", with("service Plugin {", "service plugin {"), [Dropped; 2]),
        ("package renamed", Files::one(renamed_package), [Dropped; 2]),
        ("without Configure", without_rpc("Configure"), [Dropped; 2]),
        ("without RegisterPlugin", without_rpc("RegisterPlugin"), [Dropped; 2]),
        // A runtime that never calls it does not wait for an answer.
        ("without Synchronize", without_rpc("Synchronize"), [Loses, Dropped]),
        ("without Shutdown", without_rpc("Shutdown"), [Loses, Fails]),
        ("Configure renamed", with("rpc Configure(", "rpc Setup("), [Dropped; 2]),
        ("Plugin moved to another file", split(""), [Works; 2]),
        ("Plugin in a file that imports the rest", split("plugin.proto"), [Works; 2]),
        ("Plugin in a file that is not compared", split("api.proto"), [Dropped; 2]),
        ("enum of events renamed", renamed_events(), [Works; 2]),
        ("enum of events gone", without_events(), [Unknown; 2]),
        ("something else", Files::one(unrelated()), [Dropped; 2]),
        ("another Plugin beside it", beside("a.proto", unrelated()), [Works; 2]),
        (
            "a second version beside it",
            beside("a.proto", newest().replace(PACKAGE, &second)),
            [Works; 2],
        ),
        (
            "an older version beside it",
            beside("a.proto", newest().replace(PACKAGE, "nri.pkg.api.v1")),
            [Works; 2],
        ),
    ];
    for (name, changed, expected) in cases {
        let before = Files::one(newest());
        assert_outcomes(name, &compare(&before, &changed), expected);
        // The other way round, each peer is on the other side.
        let [one, other] = expected;
        assert_outcomes(name, &compare(&changed, &before), [other, one]);
    }
}

fn renamed_events() -> Files {
    let text = newest().replace("enum Event {", "enum Happening {");
    Files::one(text.replace("  Event event = 1;", "  Happening event = 1;"))
}

fn assert_outcomes(name: &str, report: &DiffReport, expected: [PairingOutcome; 2]) {
    let found: Vec<PairingOutcome> =
        report.pairings.iter().map(|pairing| pairing.outcome()).collect();
    assert_eq!(found, expected, "{name}: {:#?}", report.pairings);
    for pairing in &report.pairings {
        let explained = pairing.items.iter().filter(|item| item.outcome >= Unknown);
        for item in explained {
            assert!(!item.detail.is_empty(), "{name}: {item:?}");
        }
        // A peer that never talks to the other one loses no single event.
        let apart = pairing.items.iter().any(|item| item.kind == ItemKind::Service);
        assert!(!apart || pairing.items.iter().all(|item| item.outcome == Dropped), "{name}");
    }
    let works = expected == [Works; 2];
    for finding in report.findings.iter().filter(|finding| finding.level == Level::Error) {
        let says_so = finding.message.contains("NRI peers still understand each other");
        assert!(!works || says_so, "{name}: {finding:?}");
    }
}

/// A plugin without StateChange does not understand the events of a runtime that sends all of them
/// so.
#[test]
fn without_state_change_the_events_of_an_old_runtime_fail() {
    let history = History::embedded().expect("the embedded tables fit together");
    let old = history
        .revisions()
        .iter()
        .find(|revision| revision.name() == "v0.11.0")
        .expect("the revision");
    let before = Files::one(old.proto().to_owned());
    let report = compare(&before, &without_rpc("StateChange"));
    // The second pairing is that of the new plugin with the old runtime.
    let event = report.pairings[1]
        .items
        .iter()
        .filter(|item| item.kind == ItemKind::Event)
        .find(|item| item.element.ends_with("RUN_POD_SANDBOX"))
        .expect("the event");
    assert_eq!(event.outcome, Fails, "{event:?}");
    assert!(event.detail.contains("UNIMPLEMENTED"), "{event:?}");
}

/// Each renamed service is named with both names.
#[test]
fn a_renamed_service_is_named() {
    let before = Files::one(newest());
    let report = compare(&before, &with("service Plugin {", "service NriPlugin {"));
    let details: Vec<&str> =
        report.pairings.iter().map(|pairing| pairing.items[0].detail.as_str()).collect();
    assert!(details.iter().all(|detail| detail.contains("NriPlugin")), "{details:?}");
    assert!(
        details[0].starts_with("the runtime") && details[1].starts_with("the plugin"),
        "{details:?}"
    );
}

/// Schemas have no pairings if neither is an NRI protocol.
#[test]
fn other_protocols_have_no_pairings() {
    let after = unrelated().replace("message Ping {}", "message Ping { string text = 1; }");
    let report = compare(&Files::one(unrelated()), &Files::one(after));
    assert_eq!(report.pairings, []);
    assert!(!report.from.is_nri && !report.to.is_nri);
}

/// A set of descriptors whose first file is an import.
#[test]
fn an_import_before_the_protocol_does_not_change_its_package() {
    let import = "syntax = \"proto3\";\n\nimport \"google/protobuf/timestamp.proto\";\n";
    let field = "uint32 pid = 12; google.protobuf.Timestamp since = 99;";
    let text =
        newest().replacen("syntax = \"proto3\";", import, 1).replacen("uint32 pid = 12;", field, 1);
    let report = compare(&Files::one(newest()), &Files::one(text));
    let outcomes: Vec<PairingOutcome> =
        report.pairings.iter().map(|pairing| pairing.outcome()).collect();
    assert_eq!(outcomes, [Works, Loses], "{:#?}", report.pairings);
    let changed = report.pairings.iter().flat_map(|pairing| &pairing.items);
    let events = changed.filter(|item| item.kind == ItemKind::Event && item.outcome == Works);
    assert!(events.count() > 20);
}

/// Returns the outcomes of the item of an element, of the old plugin on the new runtime and the
/// other way round.
fn outcomes_of(report: &DiffReport, kind: ItemKind, element: &str) -> [Option<PairingOutcome>; 2] {
    [0, 1].map(|pairing: usize| {
        let found = report.pairings[pairing]
            .items
            .iter()
            .find(|item| item.kind == kind && item.element.ends_with(&format!(".{element}")));
        found.map(|item| item.outcome)
    })
}

/// Only the steps before the first event decide whether a plugin is dropped.
#[test]
fn unreadable_requests_drop_a_plugin_only_before_the_first_event() {
    let before = Files::one(newest());
    for (message, field, rpc, outcome) in [
        ("ConfigureRequest", "string config = 1;", "Plugin.Configure", Dropped),
        ("CreateContainerRequest", "PodSandbox pod = 1;", "Plugin.CreateContainer", Fails),
    ] {
        let mut text = newest();
        let start = text.find(&format!("message {message} {{")).expect(message);
        let field = start + text[start..].find(field).expect(field);
        let name = field + text[field..].find(' ').expect("a name follows the type");
        text.replace_range(field..name, "fixed64");
        let report = compare(&before, &Files::one(text));
        let found = outcomes_of(&report, ItemKind::Rpc, rpc);
        assert_eq!(found, [Some(outcome); 2], "{rpc}");
    }
}

#[test]
fn synchronize_is_judged_only_if_both_sides_have_it() {
    let before = Files::one(newest());
    let outcomes_without = |rpc| {
        let report = compare(&before, &without_rpc(rpc));
        outcomes_of(&report, ItemKind::Synchronize, "Synchronize")
    };
    assert_eq!(outcomes_without("Synchronize"), [None; 2]);
    assert_eq!(outcomes_without("Shutdown"), [Some(Works); 2]);
}

/// An event that the plugin does not know arrives as StateChange, if the runtime repeats it so.
#[test]
fn an_event_that_is_unknown_to_the_plugin_arrives_if_it_is_repeated() {
    for (event, rpc, outcome) in [
        ("POST_START_CONTAINER", "PostStartContainer", Works),
        ("CREATE_CONTAINER", "CreateContainer", Fails),
    ] {
        let plugin = without(&without(&newest(), &rpc_line(rpc)), &format!("  {event} = "));
        let report = compare(&Files::one(plugin), &Files::one(newest()));
        let [old_plugin, _] = outcomes_of(&report, ItemKind::Event, event);
        assert_eq!(old_plugin, Some(outcome), "{event}");
    }
}

/// A plugin that declares neither the RPC nor StateChange answers UNIMPLEMENTED twice.
#[test]
fn without_the_rpc_and_state_change_an_event_fails() {
    let without_event = without(&newest(), &rpc_line("RunPodSandbox"));
    let plugin = Files::one(without(&without_event, &rpc_line("StateChange")));
    let report = compare(&plugin, &Files::one(newest()));
    let [old_plugin, _] = outcomes_of(&report, ItemKind::Event, "RUN_POD_SANDBOX");
    assert_eq!(old_plugin, Some(Fails));
}
