//! The configurations of runtimes that were read, and the findings about them.

use std::io::ErrorKind;

use semver::Version;

use super::machine_root::MachineRoot;
use super::runtime::Configured;
use crate::check::collected::MachineRuntime;
use crate::check::settings::{self, FolderSetting, RequiredPlugin, RuntimeConfiguration};
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
        let assumed = assumed.iter().map(|release| {
            let version = release.version.clone();
            let nri = linked(&release.runtime, &version);
            (release.runtime.clone(), ReadingRelease { version, nri })
        });
        Self { releases: found.chain(assumed).collect(), judged: Vec::new() }
    }

    /// Judges a configuration. Returns a text that says whether it turns NRI on, or `None` if that is
    /// not known.
    pub(in crate::check) fn judge(
        &mut self,
        configured: &Configured,
        machine: &MachineRoot,
    ) -> Option<String> {
        let history = crate::data::history().ok()?;
        let known = crate::data::configuration().ok()?.runtime(configured.runtime)?;
        let title = history.runtime(configured.runtime).ok()?.runtime.title.as_str();
        let mut releases =
            self.releases.iter().filter(|(runtime, _)| runtime == configured.runtime);
        let release = releases.next().map(|(_, release)| release);
        let place = Place::from_path(&configured.file);
        let configuration = RuntimeConfiguration {
            title,
            known,
            main: &place,
            files: &configured.settings,
            release,
        };
        let findings = settings::judge(&configuration, history);
        let folders = findings.folders.into_iter().filter_map(|folder| missing(folder, machine));
        let incidents = findings.incidents.into_iter().chain(folders).collect();
        let reader = match release {
            Some(release) => format!("{title} {}", release.version),
            None => title.to_owned(),
        };
        let required = findings.required;
        self.judged.push(JudgedConfiguration { place, reader, incidents, required });
        findings.state
    }

    /// Adds a sighting for each configuration with findings, among them plugins that are required
    /// and were not found.
    pub(in crate::check) fn finish(
        self,
        mut sightings: Vec<Sighting>,
        has_processes: bool,
    ) -> Vec<Sighting> {
        let found = self.judged.into_iter().filter_map(|judged| {
            let required = judged.required.iter();
            let missing = required.filter_map(|one| one.missing(&sightings, has_processes));
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
        let found: Vec<Sighting> = found.collect();
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

/// Returns the release of NRI that a release of a runtime links, if the tables have it.
fn linked(runtime: &str, version: &Version) -> Option<Version> {
    let history = crate::data::history().ok()?;
    let at = history.runtime(&format!("{runtime}@{version}")).ok()?;
    nri_version(&at.release.nri)
}

fn nri_version(name: &str) -> Option<Version> {
    Version::parse(name.strip_prefix('v')?).ok()
}
