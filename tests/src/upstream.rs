//! The messages about NRI in the sources of NRI and of the runtimes: the format strings of logs and
//! errors, of every release that the Go proxy serves.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs, process};

use nri_schema::history::{History, Runtime};
use semver::Version;
use serde::Deserialize;
use serde_json::Value;

use crate::peers::{GoBuild, run};

/// The parts of NRI's module that a runtime links.
const LINKED: [&str; 6] = [
    "client.go",
    "pkg/adaptation/",
    "pkg/api/",
    "pkg/net/",
    "pkg/runtime-tools/",
    "plugins/default-validator/",
];

/// The number of releases that are unpacked at the same time.
const BATCH: usize = 8;

/// The answers of a proxy that does not serve a release, or of the database of sums that does not
/// know it.
const NOT_SERVED: [&str; 3] = ["403 Forbidden", "404 Not Found", "410 Gone"];

/// A release of NRI or of a runtime.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Upstream {
    /// The name in prose: `NRI`, `containerd`, `CRI-O`.
    pub title: String,
    /// Its version.
    pub version: Version,
    /// Its Go module.
    module: String,
}

/// A message in the sources of a release.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
pub struct Message {
    /// Its format string.
    pub format: String,
    /// The file in the module.
    pub file: String,
}

/// The messages of a release; `None` if the proxy does not serve it.
pub type Messages = Option<BTreeSet<Message>>;

/// Returns every release in the tables of `protos`, by name and version.
///
/// # Panics
///
/// Panics if the tables cannot be read.
#[must_use]
pub fn releases() -> Vec<Upstream> {
    let history = History::embedded().expect("the tables are consistent");
    let module = history.module().expect("the table names the module").to_owned();
    let one_shot = history.one_shot().iter().map(|release| version(&release.name));
    let with_protocol = history.releases().iter().map(|release| release.version.clone());
    let own = one_shot.chain(with_protocol).map(|version| Upstream {
        title: "NRI".into(),
        version,
        module: module.clone(),
    });
    let of_runtimes = history.runtimes().iter().flat_map(|runtime| {
        runtime.releases.iter().map(|release| Upstream {
            title: runtime.title.clone(),
            version: release.version.clone(),
            module: module_of(runtime, release.version.major),
        })
    });
    let mut all: Vec<Upstream> = own.chain(of_runtimes).collect();
    all.sort();
    all
}

fn version(tag: &str) -> Version {
    nri_schema::version::parse(tag).expect("a tag is a version")
}

/// Returns the module with the releases of a major version.
fn module_of(runtime: &Runtime, major: u64) -> String {
    let suffix = format!("/v{major}");
    let modules = &runtime.modules;
    let own = modules.iter().find(|module| module.ends_with(&suffix));
    own.or(modules.first()).expect("a runtime has a module").clone()
}

impl Upstream {
    /// Returns true for a release of NRI itself.
    #[must_use]
    pub fn is_nri(&self) -> bool {
        self.title == "NRI"
    }

    fn file(&self, folder: &Path) -> PathBuf {
        folder.join(format!("{}@v{}.jsonl", self.module.replace('/', "_"), self.version))
    }

    fn with_version(&self) -> String {
        format!("{}@v{}", self.module, self.version)
    }
}

/// Returns the messages of releases. What was read once stays below `target/peers`, without the
/// sources.
///
/// # Panics
///
/// Panics if Go is missing, or if a release cannot be downloaded although the proxy may serve it.
#[must_use]
pub fn messages<'u>(releases: &[&'u Upstream]) -> BTreeMap<&'u Upstream, Messages> {
    let tool = GoBuild {
        name: "messages".into(),
        module: "messages".into(),
        modfile: "go.mod".into(),
        options: vec!["-ldflags=-s -w".into()],
        environment: Vec::new(),
        packages: vec![".".into()],
    };
    let folder = tool.build().canonicalize().expect("it was built");
    let unknown: Vec<&Upstream> =
        releases.iter().copied().filter(|release| !release.file(&folder).exists()).collect();
    unknown.chunks(BATCH).for_each(|some| download(&folder, some));
    releases.iter().map(|release| (*release, read(&release.file(&folder)))).collect()
}

fn read(file: &Path) -> Messages {
    let text = fs::read_to_string(file).expect("it was written");
    let lines = text.lines().map(|line| serde_json::from_str(line).expect("it was written"));
    let messages: BTreeSet<Message> = lines.collect();
    (!messages.is_empty()).then_some(messages)
}

/// Downloads the sources of releases into a folder that is removed afterwards, and keeps their
/// messages. What the module cache has is not downloaded again.
fn download(folder: &Path, releases: &[&Upstream]) {
    let modules = folder.join(format!("modules-{}", process::id()));
    let known = run(Command::new("go").args(["env", "GOMODCACHE", "GOPROXY"]));
    let (cache, proxy) = known.trim().split_once('\n').expect("two values");
    let mut go = Command::new("go");
    go.args(["mod", "download", "-json"])
        .args(releases.iter().map(|release| release.with_version()))
        .env("GOMODCACHE", &modules)
        .env("GOFLAGS", "-modcacherw")
        .env("GOPROXY", format!("file://{cache}/cache/download,{proxy}"))
        .current_dir(env::temp_dir());
    // The command fails if one of the releases is not served, and says so of each.
    let output = go.output().unwrap_or_else(|error| panic!("cannot run go: {error}"));
    let answers: Vec<Value> = serde_json::Deserializer::from_slice(&output.stdout)
        .into_iter()
        .map(|answer| answer.expect("go prints JSON"))
        .collect();
    for release in releases {
        let is_about = |answer: &&Value| {
            answer["Path"] == *release.module
                && answer["Version"] == *format!("v{}", release.version)
        };
        let answer = answers.iter().find(is_about).expect("go answers for each");
        keep(folder, release, answer);
    }
    fs::remove_dir_all(&modules).expect("the folder can be removed");
}

/// Keeps the messages of a release, or an empty file if it is not served.
fn keep(folder: &Path, release: &Upstream, answer: &Value) {
    let found = if let Some(sources) = answer["Dir"].as_str() {
        let prefixes = if release.is_nri() { &LINKED[..] } else { &[] };
        run(Command::new(folder.join("messages")).arg(sources).args(prefixes))
    } else {
        let error = answer["Error"].as_str().unwrap_or_default();
        let is_refused = NOT_SERVED.iter().any(|status| error.contains(status));
        assert!(is_refused, "{}: {error}", release.with_version());
        String::new()
    };
    let fresh = folder.join(format!("fresh-{}", process::id()));
    fs::write(&fresh, found).expect("target folder is writable");
    fs::rename(&fresh, release.file(folder)).expect("target folder is writable");
}

/// Returns the newest release of each minor version, in order, and all releases of NRI, which are
/// small.
#[must_use]
pub fn newest(releases: &[Upstream]) -> Vec<&Upstream> {
    let line =
        |release: &Upstream| (release.title.clone(), release.version.major, release.version.minor);
    let lines: BTreeMap<_, &Upstream> =
        releases.iter().map(|release| (line(release), release)).collect();
    let is_newest = |release: &&Upstream| lines.values().any(|newest| newest == release);
    releases.iter().filter(|release| release.is_nri() || is_newest(release)).collect()
}

/// Returns true if a message has the constant parts of a format string, in their order.
#[must_use]
pub fn is_format_of(format: &str, message: &str) -> bool {
    let mut rest = message;
    constant_parts(format).iter().all(|part| match rest.split_once(part.as_str()) {
        Some((_, after)) => {
            rest = after;
            true
        }
        None => false,
    })
}

/// The minimum number of letters that distinguish a format string from others.
const MIN_LETTERS: usize = 9;

/// Returns true if a format string has enough words to be distinguished from others.
#[must_use]
pub fn is_telling(format: &str) -> bool {
    let letters: usize = constant_parts(format)
        .iter()
        .flat_map(|part| part.chars())
        .filter(|c| c.is_alphabetic())
        .count();
    letters >= MIN_LETTERS
}

/// Returns the text between the verbs of a format string; a verb is a percent sign with flags and a
/// letter.
#[must_use]
pub fn constant_parts(format: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut letters = format.chars().peekable();
    while let Some(letter) = letters.next() {
        let last = parts.last_mut().expect("there is always one");
        match letter {
            '%' if letters.next_if_eq(&'%').is_some() => last.push('%'),
            '%' => {
                while letters.next_if(|flag| "#+-. 0123456789".contains(*flag)).is_some() {}
                letters.next();
                parts.push(String::new());
            }
            _ => last.push(letter),
        }
    }
    parts.into_iter().filter(|part| !part.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_told_by_the_constant_parts_of_their_format() {
        assert_eq!(constant_parts("plugin %q: %w, 100%%"), ["plugin ", ": ", ", 100%"]);
        assert!(is_format_of("events: 0x%x", "invalid events: 0x2000"));
        assert!(!is_format_of("%s failed, closing %s", "closing it, as it failed"));
        assert!(is_telling("plugin %q closed") && !is_telling("%s: %w (%#04x)"));
    }

    #[test]
    fn the_newest_of_each_line_and_all_of_nri_are_read() {
        let all = releases();
        let newest = newest(&all);
        assert!(newest.iter().filter(|release| release.is_nri()).count() > 15);
        let lines = newest.iter().filter(|release| release.title == "containerd");
        assert!(lines.clone().count() >= 8 && lines.count() < 20);
    }
}
