//! `vendor/modules.txt`: the packages of NRI that a module uses, and their version.
//!
//! [The format](https://go.dev/ref/mod#vendoring): `# MODULE VERSION`, then the packages used, one
//! per line. A use of `pkg/stub` makes a plugin, unless only tests use it.

use std::collections::BTreeSet;

use super::nri_module::{self, MODULE, Package};
use super::{Reader, Unreadable, text};
use crate::check::content::File;
use crate::sighting::{Built, Evidence, FileKind, Interface, Role, Sighting};

/// The maximum size of the file; those of the largest projects have a few hundred kilobytes.
const MAX_FILE: u64 = 16 << 20;

/// The maximum number of packages; NRI has about twenty.
const MAX_PACKAGES: usize = 200;

const NAME: &str = "go-vendor";

/// The reader of `vendor/modules.txt`.
pub struct GoVendor;

impl Reader for GoVendor {
    fn name(&self) -> &'static str {
        NAME
    }

    fn recognises(&self, file: &File<'_>) -> bool {
        if !file.head.starts_with(b"#") {
            return false;
        }
        let mut lines = text::head(&file.head).into_iter().flat_map(str::lines);
        match lines.next() {
            Some("## workspace") => true,
            Some(first) => {
                Module::parse(first).is_some() && lines.next().is_some_and(is_second_line)
            }
            None => false,
        }
    }

    fn read(&self, file: &File<'_>) -> Result<Vec<Sighting>, Unreadable> {
        let mut found = Vendored::default();
        text::lines(file.content, MAX_FILE, |_, line| found.line(line))?;
        let module = found.module.take();
        let sighting = module.map(|module| sighting(file, &module, &found.packages));
        Ok(sighting.into_iter().collect())
    }
}

/// Returns true for a mark on the module, or its first package.
fn is_second_line(line: &str) -> bool {
    line.starts_with("## explicit") || !line.starts_with('#') && line.contains('/')
}

/// A line `# PATH VERSION [=> PATH [VERSION]]`.
#[derive(Debug)]
struct Module {
    path: String,
    version: String,
    by: Option<(String, Option<String>)>,
}

impl Module {
    fn parse(line: &str) -> Option<Self> {
        let words: Vec<&str> = line.strip_prefix("# ")?.split_whitespace().collect();
        let (path, version, by) = match &words[..] {
            [path, version] => (path, version, None),
            [path, version, "=>", by] => (path, version, Some((*by, None))),
            [path, version, "=>", by, to] => (path, version, Some((*by, Some(*to)))),
            _ => return None,
        };
        version.starts_with('v').then(|| Self {
            path: (*path).to_owned(),
            version: (*version).to_owned(),
            by: by.map(|(by, to)| (by.to_owned(), to.map(str::to_owned))),
        })
    }

    fn version(&self) -> Option<String> {
        match &self.by {
            None => Some(self.version.clone()),
            Some((path, to)) if path == MODULE => to.clone(),
            Some(_) => None,
        }
    }

    fn detail(&self) -> String {
        let Self { path, version, by } = self;
        match by {
            None => format!("vendors {path} {version}"),
            Some((by, Some(to))) => format!("vendors {path} {version}, replaced by {by} {to}"),
            Some((by, None)) => format!("vendors {path} {version}, replaced by the folder {by}"),
        }
    }
}

/// Returns the version of NRI that a `modules.txt` lists, if it says one, and a sentence about it.
pub(super) fn listed(text: &str) -> Option<(Option<String>, String)> {
    let mut modules = text.lines().filter_map(Module::parse);
    let module = modules.find(|module| module.path == MODULE)?;
    Some((module.version(), module.detail()))
}

#[derive(Default)]
struct Vendored {
    module: Option<Module>,
    packages: BTreeSet<String>,
    inside: bool,
}

impl Vendored {
    fn line(&mut self, line: &str) {
        if line.starts_with("# ") {
            let module = Module::parse(line).filter(|module| module.path == MODULE);
            self.inside = module.is_some();
            self.module = module.or(self.module.take());
        } else if self.inside && !line.starts_with('#') && self.packages.len() < MAX_PACKAGES {
            let package = line.trim();
            if !package.is_empty() {
                self.packages.insert(package.to_owned());
            }
        }
    }
}

fn sighting(file: &File<'_>, module: &Module, packages: &BTreeSet<String>) -> Sighting {
    let known: BTreeSet<Package> = packages
        .iter()
        .filter_map(|package| nri_module::package(package))
        .collect();
    let version = module.version();
    let mut evidence = vec![module.detail()];
    evidence.extend(packages.iter().map(|package| format!("uses {package}")));
    Sighting {
        place: file.place.clone(),
        kind: FileKind::GoVendor,
        role: role(&known),
        interface: interface(&known, version.as_deref()),
        nri: Built {
            version,
            ..Built::default()
        },
        evidence: evidence
            .into_iter()
            .map(|detail| Evidence {
                reader: NAME,
                detail,
            })
            .collect(),
        ..Sighting::default()
    }
}

fn role(packages: &BTreeSet<Package>) -> Role {
    let has = |package| packages.contains(&package);
    if has(Package::Stub) || has(Package::Skel) {
        Role::Plugin
    } else if has(Package::Adaptation) {
        Role::Runtime
    } else {
        Role::Library
    }
}

fn interface(packages: &BTreeSet<Package>, version: Option<&str>) -> Interface {
    let has = |package| packages.contains(&package);
    match version {
        _ if !has(Package::Stub) && has(Package::Skel) => Interface::OneShot,
        _ if !has(Package::Stub) => Interface::None,
        Some(version) => match nri_module::interface(version) {
            Interface::Dedicated => Interface::unknown(format!(
                "lists NRI {version}, whose stub answers the RPC of every event; cannot determine from this file alone what is built"
            )),
            other => other,
        },
        None => Interface::unknown(
            "the replacement of the module hides the version of its stub".to_owned(),
        ),
    }
}
