//! The NRI that a package is built with, and the locations of the packages that it is built from.
//!
//! The version in `go.mod` alone does not determine it: replacements, workspaces, vendored code,
//! other module files and settings of the toolchain may select another one. Every visible choice is
//! considered; unless all of them lead to the same interface, it is unknown.

mod code;
mod flags;
mod modfiles;
mod modules;
mod other_versions;
mod scripts;
mod workspace;

use std::path::{Path, PathBuf};

use super::super::go_mod::GoMod;
use super::super::nri_module::{self, MODULE};
use super::nri;
use super::tree::Tree;
use super::world::Layout;
use crate::check::lexical_path::cleaned;
use crate::sighting::{Interface, Pin};
pub(in crate::check) use flags::Settings;
use workspace::Workspace;

/// The maximum size of a module file.
const MAX_MOD: u64 = 4 << 20;

/// The NRI that a package is built with.
#[derive(Debug, Default)]
pub(super) struct Build {
    /// The folder of the module.
    pub(super) root: PathBuf,
    pub(super) layout: Layout,
    pub(super) interface: Interface,
    /// The version that every choice leads to.
    pub(super) version: Option<String>,
    /// The version that `go.mod` requires.
    pub(super) required: Option<String>,
    pub(super) evidence: Vec<String>,
    pub(super) pins: Vec<Pin>,
}

/// One way to build the module.
#[derive(Clone, Debug)]
struct Choice {
    /// The file or variable that selects it.
    by: String,
    interface: Interface,
    version: Option<String>,
}

/// Determines what a package in a folder is built with. `stubs` are the import paths of the stubs
/// that it uses: NRI's own, or copies.
pub(super) fn of(tree: &dyn Tree, folder: &Path, settings: &Settings, stubs: &[String]) -> Build {
    let mut roots = folder.ancestors();
    let Some(root) = roots.find(|folder| tree.is_file(&folder.join("go.mod"))) else {
        return Build {
            root: folder.to_owned(),
            interface: unknown(
                "no go.mod in its folder or above it names the NRI that it is built with",
            ),
            ..Build::default()
        };
    };
    let mut build = Build {
        root: root.to_owned(),
        ..Build::default()
    };
    let files = modfiles::of(tree, root, settings);
    let workspace = Workspace::around(tree, root, settings);
    let main = read(tree, &root.join("go.mod")).unwrap_or_default();
    build.required = main
        .requirement
        .as_ref()
        .map(|required| required.version.clone());
    build.layout = modules::layout(tree, root, &main, workspace.as_ref());
    let mut choices = Vec::new();
    for file in &files.paths {
        choices.push(build.of_module_file(tree, file));
    }
    if let Some(workspace) = &workspace {
        choices.push(build.of_workspace(tree, workspace));
        let files = workspace.members.iter().map(|(_, file)| file);
        choices.extend(other_versions::of(
            "go.work",
            files.chain([&workspace.work]),
        ));
    }
    choices.extend(other_versions::of("go.mod", [&main]));
    if let Some(vendor) = build.layout.vendor.clone() {
        choices.push(build.of_vendored(tree, &vendor, &choices));
    }
    let copies = || stubs.iter().filter(|path| !nri::is_own(path));
    if !stubs.is_empty() && copies().count() == stubs.len() {
        choices.clear();
    }
    for path in copies() {
        choices.push(build.of_copy(tree, path));
    }
    let doubts = files
        .doubts
        .iter()
        .chain(&settings.doubts)
        .map(|why| Choice {
            by: why.clone(),
            interface: unknown(why),
            version: None,
        });
    choices.extend(doubts);
    build.agree(&choices);
    build
}

fn unknown(why: impl Into<String>) -> Interface {
    Interface::unknown(why)
}

fn read(tree: &dyn Tree, path: &Path) -> Option<GoMod> {
    tree.read(path, MAX_MOD).map(|text| GoMod::of_text(&text))
}

impl Build {
    fn of_module_file(&mut self, tree: &dyn Tree, path: &Path) -> Choice {
        let by = self.shown(path);
        let Some(file) = read(tree, path) else {
            return Choice {
                interface: unknown(format!("{by} cannot be read")),
                by,
                version: None,
            };
        };
        let is_main = path == self.root.join("go.mod");
        if !is_main {
            self.pins.push(Pin::ModFile { file: by.clone() });
        }
        let Some(required) = &file.requirement else {
            return Choice {
                interface: unknown(format!("{by} does not require NRI")),
                by,
                version: None,
            };
        };
        let version = required.version.clone();
        self.evidence.push(format!(
            "{by}:{}: requires {MODULE} {version}",
            required.line
        ));
        let root = self.root.clone();
        self.chosen(tree, &by, &version, &file, &root)
    }

    /// Returns the version that is built for a required one: that version, or its replacement.
    fn chosen(
        &mut self,
        tree: &dyn Tree,
        by: &str,
        version: &str,
        file: &GoMod,
        folder: &Path,
    ) -> Choice {
        let choice = |interface, version| Choice {
            by: by.to_owned(),
            interface,
            version,
        };
        if file.cut {
            return choice(unknown(format!("{by} is too long")), None);
        }
        if file.exclusions.iter().any(|excluded| excluded == version) {
            return choice(
                unknown(format!(
                    "{by} excludes NRI {version}, so that the toolchain selects another release"
                )),
                None,
            );
        }
        let Some(replacement) = file.replacement(version) else {
            return choice(nri_module::interface(version), Some(version.to_owned()));
        };
        let line = replacement.line;
        let key = match &replacement.old {
            Some(old) => format!("{MODULE}@{old}"),
            None => MODULE.to_owned(),
        };
        self.pins.push(Pin::Replace {
            file: by.to_owned(),
            line,
            key,
        });
        match &replacement.version {
            Some(to) => {
                self.evidence.push(format!(
                    "{by}:{line}: replaces it by {} {to}",
                    replacement.path
                ));
                let interface = if replacement.path == MODULE {
                    nri_module::interface(to)
                } else {
                    unknown(format!(
                        "{by}:{line} replaces NRI by a fork, {}",
                        replacement.path
                    ))
                };
                choice(interface, (replacement.path == MODULE).then(|| to.clone()))
            }
            None => {
                let home = cleaned(&folder.join(&replacement.path));
                self.evidence.push(format!(
                    "{by}:{line}: replaces it by the folder {}",
                    replacement.path
                ));
                choice(self.of_code(tree, &home.join("pkg/stub"), by), None)
            }
        }
    }

    fn of_workspace(&mut self, tree: &dyn Tree, workspace: &Workspace) -> Choice {
        let by = self.shown(&workspace.file);
        if let Some(why) = &workspace.doubt {
            return Choice {
                interface: unknown(format!("{by}: {}", why)),
                by,
                version: None,
            };
        }
        if let Some((_, folder)) = workspace.modules().iter().find(|(path, _)| path == MODULE) {
            let interface = self.of_code(tree, &folder.join("pkg/stub"), &by);
            self.evidence.push(format!(
                "{by}: uses the folder {} as NRI",
                self.shown(folder)
            ));
            return Choice {
                interface,
                by,
                version: None,
            };
        }
        let Some(version) = workspace.required() else {
            return Choice {
                interface: unknown(format!("no module of {by} requires NRI")),
                by,
                version: None,
            };
        };
        if workspace.work.replacement(&version).is_some() {
            return self.chosen(tree, &by, &version, &workspace.work, &workspace.folder);
        }
        for (folder, file) in &workspace.members {
            if file.replacement(&version).is_some() {
                let name = self.shown(&folder.join("go.mod"));
                return self.chosen(tree, &name, &version, file, folder);
            }
        }
        Choice {
            by,
            interface: nri_module::interface(&version),
            version: Some(version),
        }
    }

    /// Reads what `vendor` contains, which is what is built, and has to match the module file.
    fn of_vendored(&mut self, tree: &dyn Tree, vendor: &Path, others: &[Choice]) -> Choice {
        let by = self.shown(vendor);
        let in_workspace = vendor.parent() != Some(&self.root);
        self.pins.push(Pin::Vendor { in_workspace });
        let listed = tree
            .read(&vendor.join("modules.txt"), 16 << 20)
            .unwrap_or_default();
        let listed = super::super::go_vendor::listed(&String::from_utf8_lossy(&listed));
        if let Some(listed) = &listed {
            self.evidence
                .push(format!("{by}/modules.txt: {}", listed.1));
        }
        let version = listed.and_then(|(version, _)| version);
        let other = others
            .iter()
            .find(|other| other.version != version && other.version.is_some());
        if let (Some(other), Some(version)) = (other, &version) {
            let named = other.version.as_deref().unwrap_or_default();
            let why = format!(
                "{by}/modules.txt has NRI {version} and {} {named}",
                other.by
            );
            return Choice {
                by,
                interface: unknown(why),
                version: None,
            };
        }
        let interface = self.of_code(tree, &vendor.join(MODULE).join("pkg/stub"), &by);
        Choice {
            by,
            interface,
            version,
        }
    }

    /// Returns the choice of a stub with a path other than NRI's own.
    fn of_copy(&mut self, tree: &dyn Tree, path: &str) -> Choice {
        let by = format!("a copy of NRI's stub, {path}");
        let modules = self.layout.modules.iter();
        let folder = modules
            .filter_map(|(module, folder)| {
                Some((
                    module.len(),
                    folder.join(path.strip_prefix(module)?.strip_prefix('/')?),
                ))
            })
            .max()
            .map(|(_, folder)| folder);
        let vendored = self.layout.vendor.as_ref().map(|vendor| vendor.join(path));
        let interface = match folder.or(vendored) {
            Some(folder) => self.of_code(tree, &folder, &by),
            None => unknown(format!("{by}, is not available")),
        };
        Choice {
            by,
            interface,
            version: None,
        }
    }

    fn of_code(&mut self, tree: &dyn Tree, stub: &Path, by: &str) -> Interface {
        let (interface, seen) = code::of(tree, stub);
        self.evidence.push(format!("{}: {seen}", self.shown(stub)));
        match interface {
            Interface::Unknown(why) => unknown(format!("{by}: {}", why.reason)),
            known => known,
        }
    }

    /// Sets the interface that all choices lead to.
    fn agree(&mut self, choices: &[Choice]) {
        let doubt = choices.iter().find_map(|choice| match &choice.interface {
            Interface::Unknown(why) => Some(why.reason.clone()),
            _ => None,
        });
        let Some(first) = choices.first() else {
            self.interface = unknown("cannot determine which NRI it is built with");
            return;
        };
        let other = choices
            .iter()
            .find(|choice| choice.interface != first.interface);
        self.interface = match (doubt, other) {
            (Some(why), _) => unknown(why),
            (None, Some(other)) => unknown(format!(
                "{} and {} lead to different releases of NRI",
                first.by, other.by
            )),
            (None, None) => first.interface.clone(),
        };
        let same = choices.iter().all(|choice| choice.version == first.version);
        self.version = first.version.clone().filter(|_| same);
    }

    fn shown(&self, path: &Path) -> String {
        relative(path, &self.root)
    }
}

/// Returns a path relative to the folder of the module.
fn relative(path: &Path, root: &Path) -> String {
    let mut up = String::new();
    for folder in root.ancestors() {
        if let Ok(rest) = path.strip_prefix(folder) {
            let rest = rest.display().to_string();
            return if rest.is_empty() && up.is_empty() {
                ".".to_owned()
            } else {
                format!("{up}{rest}")
            };
        }
        up.push_str("../");
    }
    path.display().to_string()
}
