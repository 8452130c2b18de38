//! Published plugins, as listed in `zoo.toml`: `check`, `probe` and `conformance` say of each what
//! the table says, `conformance` says the same behind `nri-bridge`, and it does the same under
//! `nri-adaptation` as under the reference adaptation. What it answers is in `snapshots/zoo`.
//!
//! Behind the bridge is the oldest release of each plugin; `NRI_ALL_RELEASES=1` takes all.

mod session;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;
use std::{env, fs};

use nri_compat::check::target::Target;
use nri_compat::compare::{Agreement, check_file, compare, probe_target};
use nri_conformance::plugin::{self, Run};
use nri_conformance::probe::{Options, Probed, probe};
use nri_conformance::record::replay::Replay;
use nri_conformance::result::Report;
use nri_conformance::session::Timeouts;
use nri_conformance::subject::{Executable, Subject};
use nri_schema::History;
use nri_tests::judged::judged;
use nri_tests::published;
use nri_tests::snapshot::difference;
use tempfile::TempDir;
use xtask::zoo::{Zoo, ZooPlugin, ZooRelease};

use crate::bridged::{self, BridgeReasons, MEASURED};

/// The targets of the table: today, and after the removal of StateChange.
const TARGETS: [&str; 2] = ["nri@0.12.5", "containerd@2.7"];

/// The number of plugins that run at once. Plugins wait most of the time.
const AT_ONCE: usize = 4;

/// A plugin that can be started.
struct Animal<'z> {
    plugin: &'z ZooPlugin,
    release: &'z ZooRelease,
    program: PathBuf,
    folder: TempDir,
}

impl<'z> Animal<'z> {
    fn new((plugin, release): (&'z ZooPlugin, &'z ZooRelease)) -> Self {
        let folder = tempfile::tempdir().expect("temporary folder");
        let path = folder.path().display().to_string();
        let config = plugin.config.replace("{folder}", &path);
        fs::write(folder.path().join("config"), config).expect("it can be written");
        Animal { program: published::program(plugin, release), plugin, release, folder }
    }

    /// Returns its name and version.
    fn name(&self) -> String {
        format!("{}@{}", self.plugin.name(), self.release.version)
    }

    fn arguments(&self) -> Vec<String> {
        let folder = self.folder.path().display().to_string();
        self.plugin
            .arguments
            .iter()
            .map(|argument| {
                let argument = argument.replace("{config}", "{folder}/config");
                argument.replace("{folder}", &folder)
            })
            .collect()
    }

    fn subject(&self) -> Subject {
        Subject::launched(Executable::new(&self.program).args(self.arguments()))
    }
}

/// Tests everything that is said of a plugin. Returns what is wrong.
fn examine(animal: &Animal<'_>, accepted: &BridgeReasons) -> Vec<String> {
    let history = History::embedded().expect("the tables fit together");
    let targets = TARGETS.map(|name| Target::parse(&history, name).expect("a known release"));
    let checked = check_file(&animal.program, &targets).expect("it is a plugin");
    let mut wrong = Vec::new();
    let said = [&animal.release.check, &animal.release.planned];
    for (verdict, expected) in checked.verdicts.iter().zip(said) {
        let (target, outcome) = (&verdict.target, verdict.outcome.as_str());
        if outcome != expected {
            wrong.push(format!("check says {outcome} under {target}"));
        }
    }
    if *checked.verdicts[0].events != *animal.release.events {
        wrong.push(format!("check names {:?}", checked.verdicts[0].events));
    }
    if animal.plugin.not_run.is_some() {
        return wrong;
    }
    let probed = probed(animal, &targets);
    for it in compare(&checked, &probed) {
        if it.agreement > Agreement::Explained {
            let (target, probe, reason) = (it.target, it.probe, it.reason);
            wrong.push(format!("probe says {probe} under {target}: {reason}"));
        }
    }
    let report = run(animal.subject(), &[]);
    wrong.extend(broken_statements(animal, &report));
    wrong.extend(differences(animal, &report, accepted));
    wrong.extend(sessions(animal));
    wrong
}

fn probed(animal: &Animal<'_>, targets: &[Target<'_>]) -> Probed {
    let mut options = Options::default();
    options.targets = targets.iter().map(probe_target).collect();
    let subject = animal.subject();
    blocking(probe(&subject, &options)).expect("it can be executed")
}

fn blocking<T>(future: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Runtime::new().expect("runtime");
    runtime.block_on(future)
}

/// Tests a plugin.
fn run(subject: Subject, skip: &[&str]) -> Report {
    // Longer than a runtime waits: several runs share the machine.
    let mut options = plugin::Options::default();
    options.timeouts =
        Timeouts::default().registration(Duration::from_secs(20)).request(Duration::from_secs(10));
    let run = Run::new(subject).options(options).skip(skip.iter().copied());
    run.run_blocking().expect("the plugin starts")
}

/// Returns the results that differ behind the bridge, for the oldest release of each plugin, or for
/// all releases as `.ci/nightly` asks.
fn differences(animal: &Animal<'_>, without: &Report, accepted: &BridgeReasons) -> Vec<String> {
    let is_oldest = animal.release.version == animal.plugin.releases[0].version;
    if !is_oldest && env::var_os("NRI_ALL_RELEASES").is_none() {
        return Vec::new();
    }
    let bridged = bridged::behind(&animal.program, &animal.arguments());
    let behind = run(bridged.subject(), &[MEASURED]);
    let unsteady: Vec<&str> =
        animal.plugin.fails.iter().filter(|it| it.sometimes).map(|it| &*it.statement).collect();
    accepted.differences(without, &behind, &unsteady)
}

/// Compares the statements that the plugin fails with those in the table.
fn broken_statements(animal: &Animal<'_>, report: &Report) -> Vec<String> {
    let failed: BTreeMap<_, _> = report
        .failures()
        .map(|(result, failure)| (result.statement, failure.to_string()))
        .collect();
    let known = &animal.plugin.fails;
    let unknown =
        failed.iter().filter(|(statement, _)| !known.iter().any(|it| it.statement == **statement));
    let mut wrong: Vec<_> =
        unknown.map(|(statement, failure)| format!("fails {statement}: {failure}")).collect();
    let kept = known.iter().filter(|it| !it.sometimes && !failed.contains_key(&*it.statement));
    wrong.extend(kept.map(|it| format!("keeps {}", it.statement)));
    wrong
}

/// Compares a session under both adaptations, and replays it.
fn sessions(animal: &Animal<'_>) -> Vec<String> {
    let ours = session::under_ours(animal);
    let theirs = session::under_go(animal);
    let mut wrong = Vec::new();
    for (number, (step, expected)) in ours.steps.iter().zip(&theirs.steps).enumerate() {
        if step != expected {
            wrong.push(format!("step {number}: ours {step}, under the reference {expected}"));
        }
    }
    if ours.steps.len() != theirs.steps.len() {
        wrong.push(format!(
            "{} steps, under the reference {}",
            ours.steps.len(),
            theirs.steps.len()
        ));
    }
    let replayed =
        Replay::new(&theirs.file, animal.subject()).run_blocking().expect("the plugin registers");
    wrong.extend(replayed.differences.iter().map(ToString::to_string));
    let text: String = theirs.steps.iter().map(|step| format!("{step}\n")).collect();
    wrong.extend(difference(&format!("zoo/{}.txt", animal.name()), &text));
    wrong
}

#[test]
fn published_plugins_are_what_the_table_says() {
    let zoo = Zoo::read().expect("zoo.toml is valid");
    let releases: Vec<_> = zoo
        .plugins
        .iter()
        .flat_map(|plugin| plugin.releases.iter().map(move |release| (plugin, release)))
        .collect();
    let accepted = BridgeReasons::read();
    let wrong = judged(AT_ONCE, &releases, |release| {
        let animal = Animal::new(*release);
        let found = examine(&animal, &accepted);
        let lines: Vec<String> =
            found.iter().map(|it| format!("{}: {it}", animal.name())).collect();
        (!lines.is_empty()).then(|| lines.join("\n"))
    });
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
