//! The inputs FROM and TO, compiled and described.

mod buf;
mod bytes;
mod git;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use nri_schema::compile::{self, Imports};
use nri_schema::history::{History, Release, Revision};
use nri_schema::{Compiled, Protocol, Schema, source};

use super::changes::{Declared, changes};
use super::nri::facts::Facts;
use super::nri::model;
use super::violations;
use crate::arguments::STDIN;
use crate::error::Error;
use crate::report::diff::Side;
use crate::report::finding::Category;
use crate::runtime_release::RuntimeRelease;

/// One side of a comparison.
#[derive(Debug)]
pub struct Input {
    /// The spelling of the user.
    pub spec: String,
    /// The descriptors, for the protobuf rules.
    pub schema: Schema,
    /// The model of all its files, with the services of the package that has `Plugin`; `None`
    /// unless it is an NRI protocol. NRI's rules use this model, because its events, mask and
    /// carriers are those of generated plugins and runtimes.
    pub protocol: Option<Protocol>,
    /// The model for a comparison with an NRI protocol.
    alike: OnceLock<Protocol>,
    /// The runtime release that it was named by.
    pub target: Option<RuntimeRelease>,
    release: Option<Release>,
    origin: String,
    /// True if a single file was named, or a release, which has one: its name says nothing.
    is_file: bool,
    /// The names of the files to compare; all others are imports.
    pub(super) named: Vec<String>,
    /// The path of each file, relative to the working folder, by the name under which it is
    /// imported.
    pub(super) paths: BTreeMap<String, String>,
}

impl Input {
    /// Compiles what `spec` names: a release, the release of a runtime, a proto, a folder of
    /// protos, a `FileDescriptorSet`, a revision in git, or `-` for standard input. Imports are
    /// also looked up in `imports`.
    ///
    /// # Errors
    ///
    /// Returns an error. For an unknown version it lists similar ones; for a proto that does not
    /// compile it shows file, line and the offending text.
    pub fn resolve(history: &History, spec: &str, imports: &Imports) -> Result<Self, Error> {
        if spec == STDIN {
            let bytes = bytes::limited(std::io::stdin().lock(), shown(spec))?;
            return Self::of_bytes(spec, "stdin.proto", bytes);
        }
        if let Some(revision) = git::Revision::parse(spec)? {
            let (folder, target) = revision.check_out()?;
            let input = Self::of_path(history, &target.to_string_lossy(), imports);
            return match input {
                Ok(input) => Ok(input.moved(folder.path(), spec)),
                Err(error) => Err(error
                    .replacing(&format!("`{}`", target.display()), &format!("`{spec}`"))
                    .replacing(&format!("{}/", folder.path().display()), "")),
            };
        }
        Self::of_path(history, spec, imports)
    }

    fn of_path(history: &History, spec: &str, imports: &Imports) -> Result<Self, Error> {
        // The spelling of targets.
        if let Some(release) = spec.strip_prefix("nri@") {
            return Self::of_version(history, release);
        }
        if source::is_version(spec) {
            return Self::of_version(history, spec);
        }
        let path = Path::new(spec);
        if path.is_dir() {
            return Self::of_folder(spec, path, imports);
        }
        // Pipes, such as those of process substitution, can only be read once.
        if path.exists() && !path.is_file() {
            return Self::of_bytes(spec, spec, bytes::read(path)?);
        }
        if path.metadata().is_ok_and(|file| file.len() == 0) {
            return Err(bytes::empty(spec));
        }
        let is_proto = path.extension().is_some_and(|ending| ending == "proto");
        if path.is_file() && !is_proto {
            let bytes = bytes::read(path)?;
            bytes::is_text(spec, &bytes)?;
            if !compile::is_text(&bytes) {
                return Self::of_bytes(spec, spec, bytes);
            }
        }
        let mut input = Self::of_compiled(spec, source::resolve_with(history, spec, imports)?)?;
        input.is_file = true;
        Ok(input)
    }

    /// Compiles the protos of a folder, or of the modules that its configuration of buf names.
    fn of_folder(spec: &str, folder: &Path, imports: &Imports) -> Result<Self, Error> {
        let modules = buf::modules(folder)?;
        let compiled = if modules.is_empty() {
            compile::folder_with(folder, imports)
        } else {
            compile::modules_with(folder, &modules, imports)
        };
        Self::of_compiled(spec, compiled?)
    }

    /// Reads a known revision, which comes with its descriptors.
    fn of_version(history: &History, spec: &str) -> Result<Self, Error> {
        let release = history.version(spec)?;
        let revision = history.revision_of(release)?;
        let mut target = None;
        if spec.contains('@') {
            let at = history.runtime(spec)?;
            target = Some(RuntimeRelease {
                runtime: at.runtime.id.clone(),
                version: at.release.version.clone(),
            });
        }
        let text = |_: &str| Some(revision.proto().to_owned());
        let schema = super::adjusted(revision.to_schema()?, text);
        Ok(Self {
            target,
            release: Some(release.clone()),
            origin: release.name.clone(),
            is_file: true,
            ..Self::new(spec, schema)
        })
    }

    /// Returns the input with all files of a schema.
    fn new(spec: &str, schema: Schema) -> Self {
        Self {
            spec: spec.to_owned(),
            named: schema.file_names().map(str::to_owned).collect(),
            protocol: model::protocol(&schema),
            schema,
            alike: OnceLock::new(),
            target: None,
            release: None,
            origin: spec.to_owned(),
            paths: BTreeMap::new(),
            is_file: false,
        }
    }

    fn of_bytes(spec: &str, name: &str, bytes: Vec<u8>) -> Result<Self, Error> {
        let bytes = bytes::unpacked(shown(spec), bytes)?;
        if !bytes::is_text(shown(spec), &bytes)? {
            return Ok(Self::new(spec, bytes::decode(shown(spec), &bytes)?));
        }
        // The name of a file in a schema is relative.
        let short = name.rsplit(['/', '\\']).next().unwrap_or(name);
        let compiled = compile::bytes(short, bytes)
            .map_err(|error| Error::from(error).replacing(short, name))?;
        Ok(Self {
            is_file: true,
            origin: spec.to_owned(),
            paths: BTreeMap::from([(short.to_owned(), name.to_owned())]),
            ..Self::of_compiled(spec, compiled)?
        })
    }

    fn of_compiled(spec: &str, compiled: Compiled) -> Result<Self, Error> {
        let text = |name: &str| compiled.texts.get(name).cloned();
        let schema = super::adjusted(Schema::of_pool(&compiled.pool)?, text);
        let shown = |(name, path): (&String, &PathBuf)| (name.clone(), from_here(path));
        Ok(Self {
            paths: compiled.paths.iter().map(shown).collect(),
            release: compiled.release,
            origin: compiled.origin,
            named: compiled.named,
            ..Self::new(spec, schema)
        })
    }

    /// Returns the input under the name that the user gave, its paths relative to the folder that
    /// it was copied to.
    fn moved(mut self, folder: &Path, spec: &str) -> Self {
        let folder = format!("{}/", folder.display());
        for path in self.paths.values_mut() {
            *path = path.replacen(&folder, "", 1);
        }
        spec.clone_into(&mut self.spec);
        spec.clone_into(&mut self.origin);
        self
    }

    /// Renames the files of this side to match the other side, if their names differ but they are
    /// the same files: one file on each side, of which one was named as such, or files of one
    /// package that are some folders deeper on one side.
    pub(super) fn match_files(&mut self, other: &Self) {
        for (old, new) in renamed(self, other) {
            if self.schema.rename_file(&old, &new) {
                self.named
                    .iter_mut()
                    .filter(|name| **name == old)
                    .for_each(|name| name.clone_from(&new));
            }
        }
    }

    /// Returns the elements to compare: all that its own files declare, without imports.
    pub(super) fn declared(&self) -> Declared<'_> {
        Declared { schema: &self.schema, files: &self.named }
    }

    /// Returns the model for a comparison with `other`, whose package counts if this side has
    /// several; `None` unless at least one side is an NRI protocol.
    pub(super) fn protocol_beside(&self, other: &Self) -> Option<&Protocol> {
        let Some(beside) = &other.protocol else {
            return self.protocol.as_ref();
        };
        let own = self.protocol.as_ref();
        let alike = || model::like(Protocol::of_schema(&self.schema), beside);
        // Making a model takes long, and most are alike.
        own.filter(|own| own.package == beside.package && event_names(own) == event_names(beside))
            .or_else(|| Some(self.alike.get_or_init(alike)))
    }

    /// Returns its name in reports: the NRI release, or else the path.
    pub(super) fn name(&self) -> &str {
        self.release.as_ref().map_or(&self.origin, |release| &release.name)
    }

    /// Returns the newest known revision that a schema of the user equals but for comments, the
    /// order of elements, and options without a meaning for the protocol.
    fn equal_revision(&self, history: &History) -> Option<String> {
        if self.release.is_some() || self.protocol.is_none() {
            return None;
        }
        let mut revisions = history.revisions().iter().rev().map(Revision::name);
        revisions.find(|revision| self.equals(history, revision) == Some(true)).map(str::to_owned)
    }

    /// Returns true if nothing differs from a known revision, or `None` if that cannot be read.
    fn equals(&self, history: &History, revision: &str) -> Option<bool> {
        let mut known = Self::of_version(history, revision).ok()?;
        known.match_files(self);
        let changes = changes(known.declared(), self.declared());
        let is_same = || violations(&known.schema, &self.schema, &[Category::WireJson]).is_empty();
        Some(changes.is_empty() && is_same())
    }

    pub(super) fn side(&self, history: &History, facts: &Facts<'_>, is_nri: bool) -> Side {
        let release = self.release.as_ref();
        let revision = release.map(|release| release.revision.as_str());
        let releases = history.releases().iter();
        let same = releases.filter(|known| Some(known.revision.as_str()) == revision);
        Side {
            input: self.spec.clone(),
            name: self.name().to_owned(),
            revision: revision.map(str::to_owned),
            equals: self.equal_revision(history),
            date: release.map(|release| release.date.clone()),
            releases: same.map(|known| known.name.clone()).collect(),
            runtimes: revision
                .map(|revision| facts.shipping(|known| known == revision))
                .unwrap_or_default(),
            is_nri,
        }
    }
}

/// Returns the name of an input in messages.
fn shown(spec: &str) -> &str {
    if spec == STDIN { "standard input" } else { spec }
}

/// Returns the path relative to the working folder.
fn from_here(path: &Path) -> String {
    let here = std::env::current_dir().unwrap_or_else(|_| PathBuf::new());
    let relative = path.strip_prefix(here).unwrap_or(path);
    let relative = relative.strip_prefix(".").unwrap_or(relative);
    relative.display().to_string()
}

/// Returns the names of the events of an NRI protocol, and true if it has the sentinel.
fn event_names(protocol: &Protocol) -> Option<(BTreeSet<&str>, bool)> {
    let nri = protocol.nri.as_ref()?;
    let events = nri.events.iter().map(|event| event.name.as_str());
    Some((events.collect(), nri.last.is_some()))
}

/// Returns true if `long` is the path `short` in a folder.
fn is_deeper(long: &str, short: &str) -> bool {
    long.strip_suffix(short).is_some_and(|outer| outer.ends_with('/'))
}

/// Returns pairs of names of the same file in `from` and `to`.
fn renamed(from: &Input, to: &Input) -> Vec<(String, String)> {
    if let ([old], [new]) = (from.named.as_slice(), to.named.as_slice())
        && (from.is_file || to.is_file)
    {
        return vec![(old.clone(), new.clone())];
    }
    let is_same = |old: &str, new: &str| {
        (is_deeper(old, new) || is_deeper(new, old))
            && from.schema.package_of(old) == to.schema.package_of(new)
    };
    let only_new = || to.named.iter().filter(|name| !from.named.contains(name));
    let only_old = from.named.iter().filter(|name| !to.named.contains(name));
    let pairs = only_old.filter_map(|old| {
        let mut same = only_new().filter(|new| is_same(old, new));
        let new = same.next().filter(|_| same.next().is_none())?;
        Some((old.clone(), new.clone()))
    });
    pairs.collect()
}
