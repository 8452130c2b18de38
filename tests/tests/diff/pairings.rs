//! Pairings of the newest protocol with changed copies of it: what happens on the wire is named,
//! and no finding contradicts it.

mod properties;

use std::path::Path;

use nri_compat::diff::diff;
use nri_compat::report::diff::DiffReport;
use nri_compat::report::finding::{Category, Level};
use nri_compat::report::pairing::{Pairing, PairingOutcome};
use nri_schema::History;

/// Rules about what a schema may become, or about source code: the bytes stay as they are.
const NOT_ON_THE_WIRE: [&str; 5] = [
    "FIELD_SAME_ONEOF",
    "FILE_SAME_PACKAGE",
    "RESERVED_ENUM_NO_DELETE",
    "RESERVED_MESSAGE_NO_DELETE",
    "RPC_SAME_IDEMPOTENCY_LEVEL",
];

fn newest() -> String {
    let history = History::embedded().expect("the embedded tables fit together");
    let revision = history.revisions().last().expect("there are revisions");
    revision.proto().to_owned()
}

/// Compares the newest protocol, which is compiled already, with another one.
fn compare_newest(after: &str, category: Category) -> Option<DiffReport> {
    let newest = nri_protos::REVISIONS.last().expect("there are revisions");
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("api.proto");
    std::fs::write(&file, after).expect("a folder that can be written to");
    diff(newest.name, &file.to_string_lossy(), category).ok()
}

fn compare(before: &str, after: &str, category: Category) -> Option<DiffReport> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::create_dir(&path).expect("a new folder");
        std::fs::write(path.join("api.proto"), text).expect("a folder that can be written to");
        Path::new(&path).to_string_lossy().into_owned()
    };
    diff(&write("before", before), &write("after", after), category).ok()
}

/// Returns the newest protocol against itself with `from` replaced by `to`.
fn changed(from: &str, to: &str) -> DiffReport {
    let before = newest();
    assert!(before.contains(from), "{from}");
    let after = before.replacen(from, to, 1);
    compare_newest(&after, Category::File).expect("it compiles")
}

fn outcomes(report: &DiffReport, element: &str) -> Vec<PairingOutcome> {
    let items = report.pairings.iter().flat_map(|pairing| &pairing.items);
    let named = items.filter(|item| item.element.ends_with(element));
    named.map(|item| item.outcome).collect()
}

fn is_wire(rule: &str) -> bool {
    let rule = nri_compat::rules::get(rule).expect("a known rule");
    let on_the_wire = [Category::Wire, Category::Nri];
    rule.categories.iter().any(|category| on_the_wire.contains(category))
        && !NOT_ON_THE_WIRE.contains(&rule.id)
}

/// Asserts that an error about the wire comes with trouble in a pairing, and that pairings that
/// simply work have no errors other than those that do not affect peers.
fn assert_consistent(report: &DiffReport, changes: &str) {
    let errors = report.findings.iter().filter(|finding| finding.level == Level::Error);
    let works = report.pairings.iter().all(|pairing| pairing.outcome() == PairingOutcome::Works);
    for error in errors {
        let concerned = report.pairings.iter().any(|pairing| pairing.concerns(&error.element));
        let says_so = error.message.contains("NRI peers still understand each other");
        assert!(says_so || !works, "{changes}: {error:?} beside pairings that work");
        assert!(
            concerned || says_so || !is_wire(error.rule),
            "{changes}: no pairing has {error:?}"
        );
    }
}

#[test]
fn what_happens_on_the_wire_is_named() {
    let cases = [
        ("Hooks hooks = 10;", "string hooks = 10;", "Container.hooks", PairingOutcome::Fails),
        ("Hooks hooks = 10;", "string hooks = 10;", "CREATE_CONTAINER", PairingOutcome::Fails),
        ("Hooks hooks = 10;", "string hooks = 10;", "Plugin.Synchronize", PairingOutcome::Dropped),
        ("uint32 pid = 12;", "string pid = 12;", "Container.pid", PairingOutcome::Fails),
        ("uint32 pid = 12;", "int32 pid = 12;", "Container.pid", PairingOutcome::Misreads),
        (
            "rpc CreateContainer(",
            "rpc CreateContainer(stream ",
            "CREATE_CONTAINER",
            PairingOutcome::Fails,
        ),
        (
            "rpc Shutdown(Empty)",
            "rpc Shutdown(Container)",
            "Plugin.Shutdown",
            PairingOutcome::Loses,
        ),
        (
            "uint32 pid = 12;",
            "optional uint32 pid = 12;",
            "Container.pid",
            PairingOutcome::LosesPresence,
        ),
        (
            "uint32 pid = 12;",
            "oneof process { uint32 pid = 12; }",
            "Container.pid",
            PairingOutcome::LosesPresence,
        ),
        (
            "int32 events = 2;",
            "sint32 events = 2;",
            "ConfigureResponse.events",
            PairingOutcome::Misreads,
        ),
        (
            "int32 events = 2;",
            "repeated int32 events = 2;",
            "ConfigureResponse.events",
            PairingOutcome::Fails,
        ),
        (
            "repeated Hook prestart = 1;",
            "repeated Mount prestart = 1;",
            "Hooks.prestart",
            PairingOutcome::Misreads,
        ),
        ("LAST = 15;", "", "CREATE_CONTAINER", PairingOutcome::Dropped),
        ("bool more = 2;", "bool more = 3;", "Plugin.Synchronize", PairingOutcome::Dropped),
        ("RUN_POD_SANDBOX = 1;", "RUN_POD_SANDBOX = 16;", "RUN_POD_SANDBOX", PairingOutcome::Fails),
    ];
    for (from, to, element, outcome) in cases {
        let report = changed(from, to);
        let found = outcomes(&report, element);
        assert!(found.contains(&outcome), "{from} to {to}: {element} is {found:?}");
        let outcomes: Vec<PairingOutcome> = report.pairings.iter().map(Pairing::outcome).collect();
        assert!(
            outcomes.iter().any(|one| *one > PairingOutcome::Fallback),
            "{from} to {to}: {outcomes:?}"
        );
    }
}

/// A plugin that cannot register is dropped, whichever side lacks the RPC.
#[test]
fn without_registration_nothing_works() {
    let unregistered = changed("rpc RegisterPlugin(RegisterPluginRequest) returns (Empty);", "");
    for pairing in &unregistered.pairings {
        assert_eq!(pairing.outcome(), PairingOutcome::Dropped, "{pairing:?}");
    }
    let unsynchronized =
        changed("rpc Synchronize(SynchronizeRequest) returns (SynchronizeResponse);", "");
    let outcomes: Vec<PairingOutcome> =
        unsynchronized.pairings.iter().map(Pairing::outcome).collect();
    assert!(outcomes.contains(&PairingOutcome::Dropped), "{outcomes:?}");
}

/// The values of fields that exchanged their numbers arrive in each other; those of a field that
/// was renamed arrive.
#[test]
fn fields_that_exchange_their_numbers_are_misread() {
    let exchanged = newest()
        .replacen("string runtime_name = 2;", "string runtime_name = 3;", 1)
        .replacen("string runtime_version = 3;", "string runtime_version = 2;", 1);
    let report = compare_newest(&exchanged, Category::File).expect("it compiles");
    for pairing in &report.pairings {
        assert_eq!(pairing.outcome(), PairingOutcome::Misreads, "{pairing:?}");
    }
    assert_consistent(&report, "exchanged numbers");
    let renamed = changed("string runtime_name = 2;", "string runtime = 2;");
    for pairing in &renamed.pairings {
        assert_eq!(pairing.outcome(), PairingOutcome::Works, "{pairing:?}");
    }
}

/// A number that belongs to another value of an enum is read as that value; a value that was
/// renamed is the same on the wire.
#[test]
fn enum_values_that_exchange_their_numbers_are_misread() {
    let cases = [
        (
            "CONTAINER_CREATED = 1;",
            "CONTAINER_CREATED = 2;",
            "CONTAINER_PAUSED = 2;",
            "CONTAINER_PAUSED = 1;",
        ),
        (
            "CONTAINER_CREATED = 1;",
            "CONTAINER_NEW = 1;",
            "CONTAINER_STOPPED = 4;",
            "CONTAINER_CREATED = 4;",
        ),
        (
            "CONTAINER_UNKNOWN = 0;",
            "CONTAINER_UNKNOWN = 0; option allow_alias = true;",
            "CONTAINER_PAUSED = 2;",
            "CONTAINER_PAUSED = 1;",
        ),
    ];
    for (first, first_new, second, second_new) in cases {
        let before = newest();
        assert!(before.contains(first) && before.contains(second));
        let after = before.replacen(first, first_new, 1).replacen(second, second_new, 1);
        let report = compare_newest(&after, Category::File).expect("it compiles");
        let mut misread = report
            .pairings
            .iter()
            .flat_map(|pairing| &pairing.items)
            .filter(|item| item.outcome == PairingOutcome::Misreads);
        assert!(
            misread.any(|item| item.detail.contains("of another value")),
            "{first_new} {second_new}: {:?}",
            report.pairings
        );
        assert_consistent(&report, first_new);
    }
    let report = changed("CONTAINER_CREATED = 1;", "CONTAINER_NEW = 1;");
    for pairing in &report.pairings {
        assert_eq!(pairing.outcome(), PairingOutcome::Works, "{pairing:?}");
    }
}

/// Extensions have the form of fields on the wire.
#[test]
fn extensions_are_judged_like_fields() {
    let before = proto2("extend Empty { optional string note = 100; }");
    for (after, outcome) in [
        ("extend Empty { optional int32 note = 100; }", PairingOutcome::Dropped),
        ("", PairingOutcome::Loses),
        ("extend Empty { optional bytes note = 100; }", PairingOutcome::Dropped),
    ] {
        let report = compare(&before, &proto2(after), Category::File).expect("it compiles");
        let outcomes: Vec<_> = report.pairings.iter().map(Pairing::outcome).collect();
        assert!(outcomes.contains(&outcome), "{after}: {outcomes:?}");
        assert_consistent(&report, after);
    }
}

/// Returns a protocol in proto2 with an extension.
fn proto2(extension: &str) -> String {
    let empty = "message Empty { extensions 100 to max; }";
    format!(
        "syntax = \"proto2\"; package p; {empty}\n{extension}\n\
         enum Event {{ UNKNOWN = 0; RUN_POD_SANDBOX = 1; LAST = 2; }}\n\
         service Plugin {{ rpc Configure(Empty) returns (Empty); rpc StateChange(Empty) returns (Empty); }}\n\
         service Runtime {{ rpc RegisterPlugin(Empty) returns (Empty); }}"
    )
}

/// Bits 0 to 30 look the same in both types.
#[test]
fn a_wider_mask_is_compatible_and_the_finding_says_so() {
    let report = changed("int32 events = 2;", "int64 events = 2;");
    assert!(report.pairings.iter().all(|pairing| pairing.outcome() == PairingOutcome::Works));
    let mask = report.findings.iter().find(|finding| finding.rule == "NRI_MASK_FIELD_CHANGED");
    let mask = mask.expect("the change is found");
    assert_eq!(mask.level, Level::Note);
    assert!(mask.message.contains("carry the same bits"), "{}", mask.message);
}
