//! Compares the verdicts of `check`, from the file, with those of `probe`, from behavior: for every
//! Go program of `specimens.toml` that runs on this machine, for the Go plugins of four NRI
//! releases with and without `nri-bridge`, and for the examples.

use std::fmt::Write as _;
use std::path::Path;

use nri_compat::check::target::Target;
use nri_compat::compare::{Agreement, check_file, compare, probe_target};
use nri_conformance::probe::{Options, Probed, Verdict, probe};
use nri_conformance::subject::{Executable, Subject};
use nri_schema::history::History;
use nri_tests::behind_bridge::BehindBridge;
use nri_tests::examples::example;
use nri_tests::peers::{self, NRI_RELEASES};
use nri_tests::specimens::{self, Build, Specimen};

/// Releases on both sides of every change that plugins notice: pod updates, dedicated RPCs, and the
/// planned removal of StateChange.
const TARGETS: [&str; 6] =
    ["nri@0.8.0", "cri-o@1.33", "nri@0.11.0", "containerd@2.2.9", "nri@0.12.5", "containerd@2.7"];

/// The examples that are plugins and need no configuration.
const EXAMPLES: [&str; 6] =
    ["logger", "template", "device-injector", "legacy", "ulimit-adjuster", "validator"];

/// Interfaces of plugins that speak the protocol with NRI's stub.
const ON_THE_STUB: [&str; 2] = ["state change", "dedicated"];

fn history() -> History {
    History::embedded().expect("the tables fit together")
}

fn targets(history: &History) -> Vec<Target<'_>> {
    let parse = |name: &&str| Target::parse(history, name).expect("a known release");
    TARGETS.iter().map(parse).collect()
}

async fn probed(path: &Path, own_identity: bool, targets: &[Target<'_>]) -> Probed {
    let mut executable = Executable::new(path);
    executable.own_identity = own_identity;
    let subject = Subject::launched(executable);
    let mut options = Options::default();
    options.targets = targets.iter().map(probe_target).collect();
    probe(&subject, &options).await.expect("it can be executed")
}

/// Compares both for a plugin. Returns a line for each target under which they contradict each
/// other or do not decide.
async fn disagreements(path: &Path, own_identity: bool) -> String {
    let history = history();
    let targets = targets(&history);
    let probed = probed(path, own_identity, &targets).await;
    disagreements_on(path, &probed, &targets)
}

/// Compares what was probed with what `check` says of a file or folder.
fn disagreements_on(path: &Path, probed: &Probed, targets: &[Target<'_>]) -> String {
    let shown = path.display();
    let checked = check_file(path, targets).unwrap_or_else(|| panic!("{shown}: not judged"));
    assert!(probed.subscription.is_some(), "{shown} does not run: {:#?}", probed.troubles);
    let compared = compare(&checked, probed);
    assert_eq!(compared.len(), targets.len(), "{shown}");
    let mut text = String::new();
    for it in compared {
        if it.agreement > Agreement::Explained {
            let (target, check, probe) = (it.target, it.check, it.probe);
            let reason = it.reason;
            let _ = writeln!(text, "{shown} under {target}: {check:?}, {probe}: {reason}");
        }
    }
    text
}

/// Returns true for builds that are executables for this machine, which has to be Linux on amd64.
fn runs_here(build: &Build, specimen: &Specimen) -> bool {
    let foreign = ["GOOS", "GOARCH"];
    let is_native = !foreign.iter().any(|it| build.environment.contains_key(*it));
    let is_executable = !build.options.iter().any(|it| it == "-buildmode=c-shared");
    is_native && is_executable && !specimen.program.ends_with(".test")
}

#[tokio::test]
async fn specimens() {
    let table = specimens::table();
    let mut text = String::new();
    let mut count = 0;
    for (name, build) in &table.build {
        let mut on_the_stub = table.specimen.iter().filter(|specimen| {
            specimen.role == "plugin"
                && ON_THE_STUB.contains(&&*specimen.interface)
                && specimen.builds.contains(name)
                && runs_here(build, specimen)
        });
        let Some(first) = on_the_stub.next() else {
            continue;
        };
        let folder = table.build(name);
        for specimen in [first].into_iter().chain(on_the_stub) {
            // Their names are in their code.
            text += &disagreements(&folder.join(&specimen.program), true).await;
            count += 1;
        }
    }
    assert!(count >= 30, "{count} programs");
    assert_eq!(text, "");
}

#[tokio::test]
async fn go_plugins_of_four_releases() {
    let mut text = String::new();
    for release in NRI_RELEASES {
        text += &disagreements(&peers::plugin(release), false).await;
    }
    assert_eq!(text, "");
}

#[tokio::test]
async fn go_plugins_behind_the_bridge_work_without_state_change() {
    let history = history();
    let targets = targets(&history);
    let mut text = String::new();
    for release in NRI_RELEASES {
        let bridge = Path::new(env!("CARGO_BIN_EXE_bridge"));
        let behind = BehindBridge::new(bridge, &peers::plugin(release), &[]);
        let probed = probed(&behind.program(), false, &targets).await;
        text += &disagreements_on(behind.folder(), &probed, &targets);
        let planned = probed.targets.last().expect("the last target");
        assert_eq!(planned.verdict, Verdict::Works, "{release}: {}", planned.reason);
        assert!(planned.events.len() >= 11, "{release}: {:?}", planned.events);
    }
    assert_eq!(text, "");
}

#[tokio::test]
async fn examples() {
    let mut text = String::new();
    for name in EXAMPLES {
        text += &disagreements(&example(name), false).await;
    }
    assert_eq!(text, "");
}
