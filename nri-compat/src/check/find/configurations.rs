//! The configurations of runtimes that were read, and the findings about them.

use std::io::ErrorKind;

use semver::Version;

use super::machine_root::MachineRoot;
use super::runtime::Configured;
use crate::check::collected::MachineRuntime;
use crate::check::settings::{
    self, DetachedConfiguration, FolderSetting, RequiredPlugin, RuntimeConfiguration, SettingsFile,
};
use crate::check::target::ReleaseName;
use crate::configuration::ReadingRelease;
use crate::place::Place;
use crate::runtime_release::RuntimeRelease;
use crate::sighting::{Evidence, FileKind, Incident, Role, Sighting};

/// The name of the reader of configurations in evidence.
const READER: &str = "configuration";

/// The configurations, and the releases that read them.
#[derive(Debug, Default)]
pub(in crate::check) struct Configurations {
    releases: Vec<(String, ReadingRelease)>,
    judged: Vec<JudgedConfiguration>,
}

/// The findings about a configuration.
#[derive(Debug)]
struct JudgedConfiguration {
    place: Place,
    /// The runtime that reads it, with its release if known.
    reader: String,
    incidents: Vec<Incident>,
    required: Vec<RequiredPlugin>,
}

impl Configurations {
    /// Returns no configurations yet, to be read by the runtimes of the machine, or else by these
    /// releases.
    pub(in crate::check) fn read_by(
        runtimes: &[MachineRuntime],
        assumed: &[RuntimeRelease],
    ) -> Self {
        let found = runtimes.iter().filter_map(|found| {
            let name = format!("{}@{}", found.runtime, found.release.as_ref()?);
            let version = ReleaseName::parse(&name)?.patch()?;
            let nri = found.nri.as_deref().and_then(nri_version);
            Some((found.runtime.clone(), ReadingRelease { version, nri }))
        });
        let given = assumed.iter().map(|release| {
            let version = release.version.clone();
            let nri = linked(&release.runtime, &version);
            (release.runtime.clone(), ReadingRelease { version, nri })
        });
        Self { releases: found.chain(given).collect(), judged: Vec::new() }
    }

    /// Judges a configuration. Returns a text that says whether it turns NRI on, or `None` if that
    /// is not known.
    pub(in crate::check) fn judge(
        &mut self,
        configured: &Configured,
        machine: &MachineRoot,
    ) -> Option<String> {
        let place = Place::from_path(&configured.file);
        let findings = self.findings(configured.runtime, &place, &configured.settings)?;
        let folders = findings.folders.into_iter().filter_map(|folder| missing(folder, machine));
        self.judged.push(JudgedConfiguration {
            reader: self.reader(configured.runtime),
            place,
            incidents: findings.incidents.into_iter().chain(folders).collect(),
            required: findings.required,
        });
        findings.state
    }

    /// Judges a configuration away from its machine, whose folders and plugins need not be here,
    /// unless it was judged already.
    pub(in crate::check) fn judge_detached(&mut self, detached: DetachedConfiguration) {
        let DetachedConfiguration { runtime, place, settings } = detached;
        if self.judged.iter().any(|judged| judged.place == place) {
            return;
        }
        let findings = self.findings(runtime, &place, &[settings]).unwrap_or_default();
        self.judged.push(JudgedConfiguration {
            reader: self.reader(runtime),
            place,
            incidents: findings.incidents,
            required: Vec::new(),
        });
    }

    fn findings(
        &self,
        runtime: &str,
        main: &Place,
        files: &[SettingsFile],
    ) -> Option<settings::Findings> {
        let history = crate::data::history().ok()?;
        let known = crate::data::configuration().ok()?.runtime(runtime)?;
        let title = title(runtime)?;
        let release = self.release(runtime);
        let configuration = RuntimeConfiguration { title, known, main, files, release };
        Some(settings::judge(&configuration, history))
    }

    /// Returns the release that reads the configurations of a runtime, if known.
    fn release(&self, runtime: &str) -> Option<&ReadingRelease> {
        self.releases.iter().find(|(reading, _)| reading == runtime).map(|(_, release)| release)
    }

    /// Returns the runtime, in prose, with its release if known.
    fn reader(&self, runtime: &str) -> String {
        let title = title(runtime).unwrap_or(runtime);
        match self.release(runtime) {
            Some(release) => format!("{title} {}", release.version),
            None => title.to_owned(),
        }
    }

    /// Adds a sighting for each configuration with findings, among them plugins that are required
    /// and were not found.
    pub(in crate::check) fn finish(
        self,
        mut sightings: Vec<Sighting>,
        has_processes: bool,
    ) -> Vec<Sighting> {
        let with_findings = self.judged.into_iter().filter_map(|judged| {
            let missing =
                judged.required.iter().filter_map(|one| one.missing(&sightings, has_processes));
            let incidents: Vec<Incident> = judged.incidents.into_iter().chain(missing).collect();
            let evidence =
                Evidence::new(READER, format!("read as the configuration of {}", judged.reader));
            (!incidents.is_empty()).then(|| Sighting {
                place: judged.place,
                kind: FileKind::RuntimeConfig,
                role: Role::Runtime,
                incidents,
                evidence: vec![evidence],
                ..Sighting::default()
            })
        });
        let found: Vec<Sighting> = with_findings.collect();
        sightings.extend(found);
        sightings
    }
}

/// Returns the finding about a folder if it does not exist.
fn missing(folder: FolderSetting, machine: &MachineRoot) -> Option<Incident> {
    let real = machine.resolve(&machine.below(&folder.path));
    let is_missing = real.is_err_and(|error| error.kind() == ErrorKind::NotFound);
    is_missing.then_some(folder.missing)
}

/// Returns the name of a runtime in prose.
fn title(runtime: &str) -> Option<&'static str> {
    Some(&crate::data::history().ok()?.runtime(runtime).ok()?.runtime.title)
}

/// Returns the release of NRI that a release of a runtime links, if the tables have it.
fn linked(runtime: &str, version: &Version) -> Option<Version> {
    let history = crate::data::history().ok()?;
    let at = history.runtime(&format!("{runtime}@{version}")).ok()?;
    nri_version(&at.release.nri)
}

fn nri_version(name: &str) -> Option<Version> {
    Version::parse(name.strip_prefix('v')?).ok()
}
