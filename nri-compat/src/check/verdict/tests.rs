use super::*;
use crate::sighting::{Built, Certainty, Events};

fn seen(kind: FileKind, interface: Interface, events: &[&str], certainty: Certainty) -> Sighting {
    Sighting {
        place: "plugin".into(),
        kind,
        role: Role::Plugin,
        interface,
        events: Events {
            names: events.iter().map(|name| (*name).to_owned()).collect(),
            certainty,
        },
        ..Sighting::default()
    }
}

fn old_go(events: &[&str], certainty: Certainty) -> Sighting {
    seen(
        FileKind::GoBinary,
        Interface::StateChange,
        events,
        certainty,
    )
}

fn verdict(seen: &Sighting, target: &str) -> Verdict {
    let history = History::embedded().expect("the tables fit together");
    let target = Target::parse(&history, target).expect("a target");
    judge(seen, &target).expect("something to judge")
}

fn outcomes(seen: &Sighting, targets: &[&str]) -> Vec<Outcome> {
    targets
        .iter()
        .map(|target| verdict(seen, target).outcome)
        .collect()
}

const ACROSS: [&str; 6] = [
    "containerd@1.6",
    "containerd@1.7.13",
    "containerd@2.2",
    "containerd@2.3.7",
    "containerd@2.7",
    "nri@0.12",
];

use Outcome::{Deprecated, Incompatible, Ok, Removed, Unknown};

#[test]
fn an_old_stub_works_then_falls_back_then_stops() {
    let plugin = old_go(&["RunPodSandbox", "CreateContainer"], Certainty::Exact);
    assert_eq!(
        outcomes(&plugin, &ACROSS),
        [Incompatible, Ok, Ok, Deprecated, Removed, Deprecated]
    );
    let gone = verdict(&plugin, "containerd@2.7");
    assert_eq!(gone.rule, "CHECK_INTERFACE_REMOVED");
    assert_eq!(*gone.events, ["RunPodSandbox"]);
    assert_eq!(gone.since.as_deref(), Some("v0.12.0"));
    assert_eq!(gone.planned_removal.as_deref(), Some("containerd 2.7"));
    assert!(
        gone.remedy
            .contains("go get github.com/containerd/nri@v0.12.5"),
        "{}",
        gone.remedy
    );
    assert_eq!(gone.confidence, Confidence::High);
}

#[test]
fn an_old_stub_without_such_events_is_not_affected() {
    let plugin = old_go(&["CreateContainer", "StopContainer"], Certainty::Exact);
    assert_eq!(outcomes(&plugin, &ACROSS[2..]), [Ok, Ok, Ok, Ok]);
}

#[test]
fn an_old_stub_of_which_the_events_are_unknown_is_never_ok() {
    let plugin = old_go(&[], Certainty::Unknown);
    assert_eq!(outcomes(&plugin, &ACROSS[3..]), [Unknown, Unknown, Unknown]);
    let observed = old_go(&["CreateContainer"], Certainty::Observed);
    assert_eq!(verdict(&observed, "nri@0.12").outcome, Unknown);
}

#[test]
fn a_list_that_names_no_event_is_the_runtimes_word_all_the_same() {
    let listed = seen(
        FileKind::DeprecationList,
        Interface::StateChange,
        &[],
        Certainty::Observed,
    );
    assert_eq!(
        outcomes(&listed, &ACROSS[2..]),
        [Unknown, Deprecated, Removed, Deprecated]
    );
    assert!(
        verdict(&listed, "nri@0.12")
            .reason
            .starts_with("receives events as StateChange")
    );
}

#[test]
fn names_alone_are_less_sure() {
    let plugin = old_go(&["RunPodSandbox"], Certainty::ByName);
    assert_eq!(verdict(&plugin, "nri@0.12").confidence, Confidence::Medium);
}

#[test]
fn a_new_stub_is_fine_but_for_events_that_the_runtime_does_not_know() {
    let plugin = seen(
        FileKind::GoBinary,
        Interface::Dedicated,
        &["RunPodSandbox", "UpdatePodSandbox"],
        Certainty::Exact,
    );
    assert_eq!(
        outcomes(&plugin, &ACROSS),
        [Incompatible, Incompatible, Ok, Ok, Ok, Ok]
    );
    let dropped = verdict(&plugin, "containerd@1.7.13");
    assert_eq!(
        (dropped.rule, &*dropped.events),
        ("CHECK_EVENT_UNKNOWN", &["UpdatePodSandbox".to_owned()][..])
    );
    assert!(
        dropped.remedy.ends_with("NRI v0.10.0 or later"),
        "{}",
        dropped.remedy
    );
}

#[test]
fn a_plugin_with_a_manifest_subscribes_to_what_is_known() {
    let plugin = seen(
        FileKind::RustBinary,
        Interface::Dedicated,
        &["RunPodSandbox", "UpdatePodSandbox"],
        Certainty::Exact,
    );
    assert_eq!(verdict(&plugin, "containerd@1.7.13").outcome, Ok);
}

#[test]
fn a_plugin_refuses_to_run_without_what_it_requires() {
    let mut plugin = seen(
        FileKind::RustBinary,
        Interface::Dedicated,
        &["RunPodSandbox", "UpdatePodSandbox"],
        Certainty::Exact,
    );
    plugin.required = vec!["UpdatePodSandbox".to_owned()];
    let refused = verdict(&plugin, "containerd@1.7.13");
    assert_eq!(
        (refused.outcome, refused.confidence),
        (Incompatible, Confidence::High)
    );
    assert_eq!(verdict(&plugin, "containerd@2.2").outcome, Ok);
}

#[test]
fn a_plugin_refuses_to_run_under_a_release_that_it_does_not_support() {
    let mut plugin = seen(
        FileKind::RustBinary,
        Interface::Dedicated,
        &["RunPodSandbox"],
        Certainty::Exact,
    );
    plugin.min_protocol = Some("v0.7.0".to_owned());
    let refused = verdict(&plugin, "nri@0.6.1");
    assert_eq!(
        (refused.outcome, refused.rule),
        (Incompatible, "CHECK_RELEASE_REFUSED")
    );
    assert_eq!(verdict(&plugin, "nri@0.7.0").outcome, Ok);
}

#[test]
fn a_funnelled_plugin_outlives_state_change() {
    let mut plugin = seen(
        FileKind::RustBinary,
        Interface::Funnelled,
        &["RunPodSandbox"],
        Certainty::Exact,
    );
    plugin.nri = Built {
        version: Some("0.1.0".to_owned()),
        ..Built::default()
    };
    assert_eq!(
        outcomes(&plugin, &ACROSS[1..]),
        [Ok, Ok, Deprecated, Deprecated, Deprecated]
    );
    assert_eq!(
        &*verdict(&plugin, "containerd@2.7").remedy,
        "implement RunPodSandbox instead of StateChange"
    );
}

#[test]
fn one_shot_plugins_are_deprecated_and_never_gone_from_what_is_released() {
    let plugin = seen(
        FileKind::GoBinary,
        Interface::OneShot,
        &[],
        Certainty::Unknown,
    );
    assert_eq!(
        outcomes(&plugin, &ACROSS),
        [Ok, Ok, Deprecated, Deprecated, Removed, Deprecated]
    );
    assert_eq!(verdict(&plugin, "cri-o@1.36").outcome, Incompatible);
}

#[test]
fn a_module_needs_every_function() {
    let exports = |rpcs: &[&str]| {
        let names = rpcs.iter().map(|rpc| crate::diff::wasm_export(rpc));
        seen(
            FileKind::WasmModule,
            Interface::Exports(names.chain(["plugin_api_version".to_owned()]).collect()),
            &[],
            Certainty::Unknown,
        )
    };
    let old = exports(&[
        "Configure",
        "Synchronize",
        "Shutdown",
        "CreateContainer",
        "UpdateContainer",
        "StopContainer",
        "UpdatePodSandbox",
        "StateChange",
        "ValidateContainerAdjustment",
    ]);
    assert_eq!(
        outcomes(&old, &["nri@0.8", "nri@0.11", "nri@0.12"]),
        [Incompatible, Ok, Incompatible]
    );
    let missing = verdict(&old, "nri@0.12.5");
    assert_eq!(missing.events.len(), 9);
    assert_eq!(missing.since.as_deref(), Some("v0.12.0"));
}

#[test]
fn a_module_without_a_version_does_not_load() {
    let mut all: Vec<String> = crate::facts::EVENTS
        .iter()
        .chain(&["Configure", "Synchronize", "Shutdown", "StateChange"])
        .map(|rpc| crate::diff::wasm_export(rpc))
        .collect();
    let module = |exports: &[String]| {
        let interface = Interface::Exports(exports.to_vec());
        seen(FileKind::WasmModule, interface, &[], Certainty::ByName)
    };
    let without = verdict(&module(&all), "nri@0.12");
    assert_eq!(without.outcome, Incompatible);
    assert!(
        without.reason.contains("plugin_api_version"),
        "{}",
        without.reason
    );
    all.push("plugin_api_version".to_owned());
    assert_eq!(verdict(&module(&all), "nri@0.12").outcome, Ok);
}

#[test]
fn an_event_that_a_plugin_may_handle_is_not_left_out() {
    // Its stub knows updates of pods, for which containerd 1.7 drops a plugin.
    for interface in [Interface::Dedicated, Interface::StateChange] {
        let mut plugin = seen(FileKind::GoBinary, interface, &[], Certainty::Unknown);
        assert_eq!(verdict(&plugin, "containerd@1.7.13").outcome, Unknown);
        plugin.nri.below = Some("v0.9.0".to_owned());
        assert_eq!(verdict(&plugin, "containerd@1.7.13").outcome, Ok);
    }
}

#[test]
fn an_unknown_verdict_says_why_and_how_to_find_out() {
    let plugin = seen(
        FileKind::GoBinary,
        Interface::unknown("its function names are gone".to_owned()),
        &[],
        Certainty::Unknown,
    );
    for target in ACROSS {
        let verdict = verdict(&plugin, target);
        assert_eq!(
            (verdict.outcome, verdict.confidence),
            (Unknown, Confidence::Low)
        );
        assert_eq!(&*verdict.reason, "its function names are gone");
        assert!(!verdict.remedy.is_empty());
    }
}

#[test]
fn runtimes_and_users_of_the_types_are_not_judged() {
    let history = History::embedded().expect("the tables fit together");
    let target = Target::newest(&history).expect("a release");
    for role in [Role::Runtime, Role::Library] {
        let mut seen = old_go(&["RunPodSandbox"], Certainty::Exact);
        seen.role = role;
        assert_eq!(judge(&seen, &target), None);
    }
}

#[test]
fn every_rule_is_in_the_catalogue() {
    let checks: Vec<&str> = crate::rules::ids()
        .filter(|id| id.starts_with("CHECK_"))
        .collect();
    assert_eq!(checks, RULES);
}

#[test]
fn only_programs_are_ok() {
    for (kind, expected) in [
        (FileKind::GoBinary, Ok),
        (FileKind::GoSource, Unknown),
        (FileKind::Log, Unknown),
    ] {
        let events = ["RunPodSandbox"];
        let plugin = seen(kind, Interface::StateChange, &events, Certainty::Exact);
        assert_eq!(verdict(&plugin, "containerd@2.2").outcome, expected);
    }
    let reason = "it names NRI as a dependency";
    let mut required = seen(
        FileKind::GoMod,
        Interface::unknown(reason),
        &[],
        Certainty::Unknown,
    );
    required.role = Role::Library;
    assert_eq!(outcomes(&required, &ACROSS), [Unknown; 6]);
    let remedy = verdict(&required, "nri@0.12").remedy;
    assert!(remedy.contains("check --go"), "{remedy}");
}

#[test]
fn plugins_with_early_handlers_need_more_than_a_release() {
    let mut plugin = old_go(&["RunPodSandbox"], Certainty::Exact);
    for (version, needs_more) in [("v0.3.0", true), ("v0.4.0", false), ("(devel)", false)] {
        plugin.nri.version = Some(version.to_owned());
        let remedy = verdict(&plugin, "nri@0.12").remedy;
        assert_eq!(remedy.contains("signatures"), needs_more, "{remedy}");
    }
}
