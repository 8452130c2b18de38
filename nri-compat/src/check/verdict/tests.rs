use super::*;
use crate::rules::ids;
use crate::sighting::Events;
use crate::unknown::UnknownProgram;
use nri_schema::history::Tables;

use Certainty::{ByName, Exact, Observed};
use FileKind::{DeprecationList, GoBinary, GoMod, GoSource, Log, RustBinary, WasmModule};
use Interface::{Dedicated, Funnelled, OneShot, StateChange};
use Outcome::{Incompatible, Ok, Unknown};

fn seen(kind: FileKind, interface: Interface, events: &[&str], certainty: Certainty) -> Sighting {
    Sighting {
        place: "plugin".into(),
        kind,
        role: Role::Plugin,
        interface,
        events: Events { names: events.iter().map(|name| (*name).to_owned()).collect(), certainty },
        ..Sighting::default()
    }
}

fn verdict(seen: &Sighting, target: &str) -> Verdict {
    let history = History::embedded().expect("the tables fit together");
    let target = Target::parse(&history, target).expect("a target");
    judge(seen, &target).expect("something to judge")
}

fn outcomes(seen: &Sighting, targets: &[&str]) -> Vec<Outcome> {
    let outcome = |target: &&str| verdict(seen, target).outcome;
    targets.iter().map(outcome).collect()
}

const RUN: &[&str] = &["RunPodSandbox"];
const WITH_UPDATES: &[&str] = &["RunPodSandbox", "UpdatePodSandbox"];

/// A one-shot runtime, two that send `StateChange`, one that also warns about it, one that no
/// longer sends it, and the newest release of NRI.
const ACROSS: [&str; 6] = [
    "containerd@1.6",
    "containerd@1.7.13",
    "containerd@2.2",
    "containerd@2.3.7",
    "containerd@2.7",
    "nri@0.12",
];

/// Returns plugins, by kind of file, interface, events and their certainty, with the outcomes for
/// the last ones of [`ACROSS`].
macro_rules! plugins {
    ($($kind:ident $interface:ident [$($event:ident)*] $certainty:ident => $($outcome:ident)*;)*) => {
        [$((
            seen($kind, $interface, &[$(stringify!($event)),*], Certainty::$certainty),
            vec![$(Outcome::$outcome),*],
        )),*]
    };
}

#[test]
fn a_release_newer_than_the_tables_may_have_done_what_is_planned() {
    let old = seen(GoBinary, StateChange, &["RunPodSandbox"], Exact);
    // The plan names containerd 2.7 alone.
    let targets = ["containerd@2.6", "containerd@2.8", "cri-o@1.39", "nri@0.13", "k0s@1.40"];
    let expected = [Outcome::Deprecated, Outcome::Removed, Unknown, Unknown, Unknown];
    assert_eq!(outcomes(&old, &targets), expected);
    let reason = verdict(&old, "cri-o@1.39").reason;
    assert!(reason.contains("planned for containerd 2.7"), "{reason}");
    let current = seen(GoBinary, Dedicated, &["RunPodSandbox"], Exact);
    assert_eq!(outcomes(&current, &targets), [Ok; 5]);
}

#[test]
fn outcomes_across_runtimes() {
    let plugins = plugins! {
        // An old stub works, then falls back, then stops.
        GoBinary StateChange [RunPodSandbox CreateContainer] Exact => Incompatible Ok Ok Deprecated Removed Deprecated;
        GoBinary StateChange [CreateContainer StopContainer] Exact => Ok Ok Ok Ok;
        // One of which the events are unknown is never ok.
        GoBinary StateChange [] Unknown => Unknown Unknown Unknown;
        GoBinary StateChange [CreateContainer] Observed => Unknown;
        // A list that names no event is the runtime's word all the same.
        DeprecationList StateChange [] Observed => Unknown Deprecated Removed Deprecated;
        // A runtime drops a plugin for an event that it does not know.
        GoBinary Dedicated [RunPodSandbox UpdatePodSandbox] Exact => Incompatible Incompatible Ok Ok Ok Ok;
        // A plugin with a manifest subscribes to the known events.
        RustBinary Dedicated [RunPodSandbox UpdatePodSandbox] Exact => Ok Ok Ok Ok Ok;
        RustBinary Funnelled [RunPodSandbox] Exact => Ok Ok Deprecated Deprecated Deprecated;
        GoBinary OneShot [] Unknown => Ok Ok Deprecated Deprecated Removed Deprecated;
        // Only programs are ok.
        GoSource StateChange [RunPodSandbox] Exact => Unknown Unknown Deprecated Removed Deprecated;
        Log StateChange [RunPodSandbox] Exact => Unknown Unknown Deprecated Removed Deprecated;
    };
    for (plugin, expected) in plugins {
        let targets = &ACROSS[ACROSS.len() - expected.len()..];
        assert_eq!(outcomes(&plugin, targets), expected, "{plugin:?}");
    }
}

#[test]
fn an_objection_says_since_when_until_when_and_what_to_do() {
    let gone = verdict(&seen(GoBinary, StateChange, RUN, Exact), "containerd@2.7");
    assert_eq!(gone.rule, ids::CHECK_INTERFACE_REMOVED);
    assert_eq!(*gone.events, ["RunPodSandbox"]);
    assert_eq!(gone.since.as_deref(), Some("v0.12.0"));
    assert_eq!(gone.planned_removal.as_deref(), Some("containerd 2.7"));
    let command = "go get github.com/containerd/nri@v0.12.5";
    assert!(gone.remedy.contains(command), "{}", gone.remedy);
    assert_eq!(gone.confidence, Confidence::High);
    let by_name = seen(GoBinary, StateChange, RUN, ByName);
    assert_eq!(verdict(&by_name, "nri@0.12").confidence, Confidence::Medium);
    let listed = seen(DeprecationList, StateChange, &[], Observed);
    let reason = verdict(&listed, "nri@0.12").reason;
    let is_general = reason.starts_with("receives events as StateChange");
    assert!(is_general, "{reason}");
    let one_shot = seen(GoBinary, OneShot, &[], Certainty::Unknown);
    assert_eq!(verdict(&one_shot, "cri-o@1.36").outcome, Incompatible);
}

#[test]
fn what_a_runtime_drops_or_a_plugin_refuses_is_incompatible() {
    let new = seen(GoBinary, Dedicated, WITH_UPDATES, Exact);
    let dropped = verdict(&new, "containerd@1.7.13");
    assert_eq!(dropped.rule, ids::CHECK_EVENT_UNKNOWN);
    assert_eq!(*dropped.events, ["UpdatePodSandbox"]);
    let remedy = dropped.remedy;
    assert!(remedy.ends_with("NRI v0.10.0 or later"), "{remedy}");
    let mut plugin = seen(RustBinary, Dedicated, WITH_UPDATES, Exact);
    plugin.required = vec!["UpdatePodSandbox".to_owned()];
    let refused = verdict(&plugin, "containerd@1.7.13");
    assert_eq!(refused.outcome, Incompatible);
    assert_eq!(refused.confidence, Confidence::High);
    assert_eq!(verdict(&plugin, "containerd@2.2").outcome, Ok);
    plugin.required.clear();
    plugin.min_protocol = Some("v0.7.0".to_owned());
    assert_eq!(verdict(&plugin, "nri@0.6.1").rule, ids::CHECK_RELEASE_REFUSED);
    let found = outcomes(&plugin, &["nri@0.6.1", "nri@0.7.0"]);
    assert_eq!(found, [Incompatible, Ok]);
}

/// Returns a module that exports its version, if `has_version` is true, and the functions of these
/// RPCs.
fn module(has_version: bool, rpcs: &[&str]) -> Sighting {
    let version = has_version.then(|| "plugin_api_version".to_owned());
    let functions = rpcs.iter().map(|rpc| crate::wasm_export::wasm_export(rpc));
    let exports = Interface::Exports(version.into_iter().chain(functions).collect());
    seen(WasmModule, exports, &[], ByName)
}

#[test]
fn a_module_needs_every_function_and_its_version() {
    let rpcs = "Configure Synchronize Shutdown CreateContainer UpdateContainer StopContainer UpdatePodSandbox \
        StateChange ValidateContainerAdjustment";
    let old: Vec<&str> = rpcs.split(' ').collect();
    let module_of_old = module(true, &old);
    let found = outcomes(&module_of_old, &["nri@0.8", "nri@0.11", "nri@0.12"]);
    assert_eq!(found, [Incompatible, Ok, Incompatible]);
    let missing = verdict(&module_of_old, "nri@0.12.5");
    assert_eq!(missing.events.len(), 9);
    assert_eq!(missing.since.as_deref(), Some("v0.12.0"));
    let all: Vec<&str> = crate::facts::EVENTS.into_iter().chain(old).collect();
    assert_eq!(verdict(&module(true, &all), "nri@0.12").outcome, Ok);
    let without = verdict(&module(false, &all), "nri@0.12");
    assert_eq!(without.outcome, Incompatible);
    let reason = without.reason;
    assert!(reason.contains("plugin_api_version"), "{reason}");
}

#[test]
fn an_event_that_a_plugin_may_handle_is_not_left_out() {
    // Its stub knows updates of pods, for which containerd 1.7 drops a plugin.
    for interface in [Dedicated, StateChange] {
        let mut plugin = seen(GoBinary, interface, &[], Certainty::Unknown);
        assert_eq!(verdict(&plugin, "containerd@1.7.13").outcome, Unknown);
        plugin.nri.below = Some("v0.9.0".to_owned());
        assert_eq!(verdict(&plugin, "containerd@1.7.13").outcome, Ok);
    }
}

/// Returns the tables of this build with one more release, which adds an event.
fn newer_tables() -> History {
    let last = crate::facts::EVENTS.len() + 1;
    let rpc = "  rpc Balloon(RunPodSandboxRequest) returns (RunPodSandboxResponse);\n  \
        rpc ValidateContainerAdjustment(";
    let value = format!("BALLOON = {last};\n  LAST = {};", last + 1);
    tables_with(|newest| {
        newest.replacen("  rpc ValidateContainerAdjustment(", rpc, 1).replacen(
            &format!("LAST = {last};"),
            &value,
            1,
        )
    })
}

/// Returns the tables of this build with one more release, v0.99.0, whose proto is made from the
/// newest one.
fn tables_with(edit: impl FnOnce(&str) -> String) -> History {
    let folder = tempfile::tempdir().expect("a folder");
    for (path, content) in Tables::embedded().files(folder.path()) {
        std::fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
        std::fs::write(path, content).expect("a file");
    }
    let at = |path: &str| folder.path().join(path);
    let newest = nri_protos::REVISIONS.last().expect("a revision").proto;
    std::fs::create_dir(at("api/v0.99.0")).expect("a folder");
    std::fs::write(at("api/v0.99.0/api.proto"), edit(newest)).expect("a file");
    let versions =
        "\n[[release]]\nversion = \"v0.99.0\"\nrevision = \"v0.99.0\"\ndate = 2030-01-01\n";
    std::fs::write(at("versions.toml"), nri_protos::VERSIONS_TOML.to_owned() + versions)
        .expect("a file");
    History::read(folder.path()).expect("tables that fit together")
}

#[test]
fn tables_newer_than_the_readers_make_unknown_what_these_cannot_find() {
    let history = newer_tables();
    let verdict = |plugin: &Sighting, target: &str| {
        let target = Target::parse(&history, target).expect("a target");
        judge(plugin, &target).expect("something to judge")
    };
    let mut plugin = seen(GoBinary, Dedicated, RUN, ByName);
    // It may have the event, which its runtime would refuse.
    let unknown = verdict(&plugin, "nri@0.12.5");
    assert_eq!(unknown.outcome, Unknown);
    let reason = unknown.reason;
    assert!(
        reason.contains("subscribes to Balloon; this version of nri-compat is older"),
        "{reason}"
    );
    assert_eq!(verdict(&plugin, "nri@0.99").outcome, Ok);
    // Its stub is older than the event.
    plugin.nri.below = Some("v0.99.0".to_owned());
    assert_eq!(verdict(&plugin, "nri@0.12.5").outcome, Ok);
    plugin.events.certainty = Certainty::Unknown;
    assert_eq!(verdict(&plugin, "nri@0.12.5").outcome, Ok);
}

#[test]
fn events_do_not_arrive_through_an_rpc_that_a_release_no_longer_has() {
    let history = tables_with(|newest| {
        let lines = newest.lines().filter(|line| !line.starts_with("  rpc StateChange("));
        lines.collect::<Vec<_>>().join("\n")
    });
    let judged = |interface, target: &str| {
        let target = Target::parse(&history, target).expect("a target");
        judge(&seen(GoBinary, interface, RUN, Exact), &target).expect("something to judge")
    };
    // The table says only that the removal is planned, for containerd.
    let gone = judged(StateChange, "nri@0.99");
    assert_eq!((gone.outcome, gone.rule), (Outcome::Removed, REMOVED));
    assert!(gone.reason.contains("nri@0.99.0 no longer sends: they"), "{}", gone.reason);
    assert_eq!(judged(StateChange, "nri@0.12").outcome, Outcome::Deprecated);
    assert_eq!(judged(StateChange, "nri@0.11").outcome, Ok);
    assert_ne!(judged(Dedicated, "nri@0.99").outcome, Outcome::Removed);
}

#[test]
fn an_unknown_verdict_says_why_and_how_to_find_out() {
    let why = UnknownProgram::NoFunctionTable;
    let mut plugin = seen(GoBinary, Interface::unknown(why.clone()), &[], Certainty::Unknown);
    assert_eq!(outcomes(&plugin, &ACROSS), [Unknown; 6]);
    let unknown = verdict(&plugin, "nri@0.12");
    assert_eq!((&*unknown.reason, unknown.confidence), (&*why.to_string(), Confidence::Low));
    assert!(!unknown.remedy.is_empty());
    (plugin.kind, plugin.role) = (GoMod, Role::Library);
    assert_eq!(outcomes(&plugin, &ACROSS), [Unknown; 6]);
    let remedy = verdict(&plugin, "nri@0.12").remedy;
    assert!(remedy.contains("check --go"), "{remedy}");
}

#[test]
fn a_remedy_depends_on_the_library() {
    let mut funnelled = seen(RustBinary, Funnelled, RUN, Exact);
    funnelled.nri.version = Some("0.1.0".to_owned());
    let removed = verdict(&funnelled, "containerd@2.7");
    assert_eq!(&*removed.remedy, "implement RunPodSandbox instead of StateChange");
    // Early handlers need more than a release.
    let mut plugin = seen(GoBinary, StateChange, RUN, Exact);
    for (version, needs_more) in [("v0.3.0", true), ("v0.4.0", false), ("(devel)", false)] {
        plugin.nri.version = Some(version.to_owned());
        let remedy = verdict(&plugin, "nri@0.12").remedy;
        assert_eq!(remedy.contains("signatures"), needs_more, "{remedy}");
    }
}

#[test]
fn a_deprecation_that_this_build_does_not_know_is_never_ok() {
    let newer = r#"
[[deprecation]]
id = "made-up"
kind = "plugin"
summary = "plugins that this build cannot recognize"
deprecated_in = { nri = "v0.12.0", containerd = "2.3" }
removal = { status = "planned", containerd = "2.9" }
remedy = "rebuild the plugin"
sources = ["https://example.com/made-up"]
"#;
    let mut tables = Tables::embedded();
    tables.deprecations = (nri_protos::DEPRECATIONS_TOML.to_owned() + newer).into();
    let history = History::from_tables(tables).expect("the tables fit together");
    let judged = |target: &str| {
        let target = Target::parse(&history, target).expect("a target");
        judge(&seen(GoBinary, Dedicated, RUN, Exact), &target).expect("something to judge")
    };
    // Before the release that brings the deprecation, the verdict is that of the tables in this
    // build.
    assert_eq!(judged("nri@0.11").outcome, Ok);
    for target in ["containerd@2.3.7", "nri@0.12"] {
        assert_eq!(verdict(&seen(GoBinary, Dedicated, RUN, Exact), target).outcome, Ok);
        let verdict = judged(target);
        assert_eq!((verdict.outcome, verdict.confidence), (Unknown, Confidence::Low), "{target}");
        assert!(verdict.reason.contains("`made-up`"), "{}", verdict.reason);
    }
}
