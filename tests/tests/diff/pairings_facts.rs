//! Changes whose effect follows from the meaning of a field, an event or a service, not from its
//! bytes alone.

use std::path::Path;

use nri_compat::diff::diff;
use nri_compat::report::diff::DiffReport;
use nri_compat::report::finding::{Category, Level};
use nri_compat::report::pairing::{Pairing, PairingOutcome};
use nri_schema::History;

fn newest() -> String {
    let history = History::embedded().expect("the embedded tables fit together");
    let revision = history.revisions().last().expect("there are revisions");
    revision.proto().to_owned()
}

/// Compares the newest protocol with one that consists of these files.
fn compare(files: &[(&str, String)]) -> DiffReport {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let before = side(&folder.path().join("before"), &[("api.proto", newest())]);
    let after = side(&folder.path().join("after"), files);
    diff(&before, &after, Category::File).expect("both sides compile")
}

/// Writes files into a new folder, and returns its path as text.
fn side(folder: &Path, files: &[(&str, String)]) -> String {
    std::fs::create_dir(folder).expect("a new folder");
    for (name, text) in files {
        std::fs::write(folder.join(name), text).expect("a folder that can be written to");
    }
    folder.to_str().expect("UTF-8").to_owned()
}

fn changed(from: &str, to: &str) -> DiffReport {
    let before = newest();
    assert!(before.contains(from), "{from}");
    compare(&[("api.proto", before.replacen(from, to, 1))])
}

fn outcomes(report: &DiffReport) -> Vec<PairingOutcome> {
    report.pairings.iter().map(Pairing::outcome).collect()
}

#[test]
fn a_plugin_without_name_or_index_cannot_register() {
    for (from, to) in [
        ("string plugin_idx = 2;", ""),
        ("string plugin_idx = 2;", "string plugin_idx = 22;"),
        ("string plugin_name = 1;", ""),
        ("string plugin_idx = 2;", "int32 plugin_idx = 2;"),
        // One side has both names, so that the number belongs to different fields.
        ("string plugin_idx = 2;", "string label = 2; string plugin_idx = 22;"),
    ] {
        let report = changed(from, to);
        assert_eq!(outcomes(&report), [PairingOutcome::Dropped; 2], "{from} to {to}");
    }
    let renamed = changed("string plugin_idx = 2;", "string index = 2;");
    assert_eq!(outcomes(&renamed), [PairingOutcome::Works; 2]);
}

#[test]
fn an_update_without_its_container_fails() {
    let newest = newest();
    let at = newest.find("message ContainerUpdate {").expect("declared");
    let field = newest[at..].find("string container_id = 1;").expect("declared") + at;
    let end = field + "string container_id = 1;".len();
    for to in ["", "string container_id = 9;"] {
        let after = format!("{}{to}{}", &newest[..field], &newest[end..]);
        let report = compare(&[("api.proto", after)]);
        assert_eq!(outcomes(&report), [PairingOutcome::Fails; 2], "{to}");
    }
}

#[test]
fn a_mask_that_does_not_arrive_is_misread_in_both_directions() {
    for to in
        ["", "bool events = 2;", "int32 events = 9;", "repeated int32 events = 2 [packed = false];"]
    {
        let report = changed("int32 events = 2;", to);
        for pairing in &report.pairings {
            assert!(pairing.outcome() >= PairingOutcome::Misreads, "{to}: {pairing:?}");
        }
        let mut errors = report.findings.iter().filter(|finding| finding.level == Level::Error);
        assert!(errors.any(|finding| finding.rule == "NRI_MASK_FIELD_CHANGED"), "{to}");
    }
    let renamed = changed("int32 events = 2;", "int32 subscription = 2;");
    assert_eq!(outcomes(&renamed), [PairingOutcome::Works; 2]);
    assert!(renamed.findings.iter().all(|finding| finding.rule != "NRI_MASK_FIELD_CHANGED"));
}

/// The name of a service contains its package, not its file.
#[test]
fn a_service_in_another_package_is_not_found() {
    let newest = newest();
    let start = newest.find("service HostFunctions").expect("declared");
    let end = start + newest[start..].find("\n}").expect("closed") + 2;
    let rest = format!("{}{}", &newest[..start], &newest[end..]);
    let host = |package: &str| {
        let text = newest[start..end]
            .replace("(Log", "(nri.pkg.api.v1alpha1.Log")
            .replace("(Empty", "(nri.pkg.api.v1alpha1.Empty");
        format!("syntax = \"proto3\";\npackage {package};\nimport \"api.proto\";\n{text}\n")
    };
    let files = |package| [("api.proto", rest.clone()), ("host.proto", host(package))];
    let report = compare(&files("nri.host"));
    assert_eq!(outcomes(&report), [PairingOutcome::Loses; 2], "{:#?}", report.pairings);
    let moved = compare(&files("nri.pkg.api.v1alpha1"));
    assert_eq!(outcomes(&moved), [PairingOutcome::Works; 2], "{:#?}", moved.pairings);
}

/// Names of constants are not on the wire.
#[test]
fn renamed_events_change_nothing() {
    let newest = newest();
    let start = newest.find("enum Event {").expect("declared");
    let end = start + newest[start..].find('}').expect("closed");
    let prefixed: String = newest[start..end]
        .lines()
        .map(|line| {
            let code = line.trim_start();
            if code.starts_with(|first: char| first.is_ascii_uppercase()) {
                format!("  EVENT_{code}\n")
            } else {
                format!("{line}\n")
            }
        })
        .collect();
    let one = |from: &str, to: &str| newest.replacen(from, to, 1);
    for after in [
        one(" RUN_POD_SANDBOX = 1;", " SANDBOX_RUNS = 1;"),
        one(" STOP_CONTAINER = ", " END_CONTAINER = "),
        one(" LAST = ", " END = "),
        format!("{}{prefixed}{}", &newest[..start], &newest[end..]),
    ] {
        assert_ne!(after, newest);
        let report = compare(&[("api.proto", after)]);
        assert_eq!(outcomes(&report), [PairingOutcome::Works; 2], "{:#?}", report.pairings);
        let mut errors = report.findings.iter();
        assert!(
            errors
                .all(|finding| finding.level != Level::Error || !finding.rule.starts_with("NRI_")),
            "{:#?}",
            report.findings
        );
    }
}

#[test]
fn a_message_that_is_new_is_misread_by_nobody() {
    let after = newest().replacen("rpc Shutdown(Empty)", "rpc Shutdown(Bye)", 1);
    let report =
        compare(&[("api.proto", format!("{after}\nmessage Bye {{ string reason = 1; }}\n"))]);
    assert!(outcomes(&report).iter().all(|outcome| *outcome <= PairingOutcome::Loses));
    assert!(outcomes(&report).contains(&PairingOutcome::Works));
}

#[test]
fn presence_that_one_side_lacks_is_named_in_both_directions() {
    for (from, to) in [
        ("string plugin_name = 1;", "optional string plugin_name = 1;"),
        ("string plugin_name = 1;", "oneof id { string plugin_name = 1; }"),
        ("bool ignore_failure = 3;", "optional bool ignore_failure = 3;"),
    ] {
        assert_eq!(outcomes(&changed(from, to)), [PairingOutcome::LosesPresence; 2], "{to}");
    }
}

/// A message is known by the numbers of its fields, not by its name.
#[test]
fn an_answer_of_another_type_is_misread_and_a_renamed_one_is_not() {
    let report = changed("returns (UpdateContainersResponse)", "returns (UpdateContainersRequest)");
    for pairing in &report.pairings {
        let item =
            pairing.items.iter().find(|item| item.element.ends_with("Runtime.UpdateContainers"));
        let item = item.expect("the call");
        assert_eq!(item.outcome, PairingOutcome::Misreads, "{item:?}");
        assert!(item.detail.starts_with("sent as UpdateContainersRe"), "{item:?}");
    }
    let text = newest().replace("UpdateContainersResponse", "UpdateContainersReply");
    let renamed = compare(&[("api.proto", text)]);
    assert_eq!(outcomes(&renamed), [PairingOutcome::Works; 2]);
}
