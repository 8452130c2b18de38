//! Adding a release, and with it a protocol revision if it brings one.

mod request;

use std::path::Path;

use prost_types::FileDescriptorProto;

use crate::compile::{self, Compiled};
use crate::error::{Error, ErrorKind, Problem};
use crate::generate::{self, beneath};
use crate::history::disk::proto_path;
use crate::history::{History, Texts};
use crate::model::{Change, Protocol, changes};
use crate::write;

pub use request::Request;

/// What an import did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Imported {
    /// The release, as it is called from now on.
    pub release: String,
    /// The revision it carries.
    pub revision: String,
    /// Whether the revision is new.
    pub is_new: bool,
    /// The revision before a new one, if there is one.
    pub before: Option<String>,
    /// What a new revision changes against the one before.
    pub changes: Vec<Change>,
}

/// Imports a release into the repository at `root`: stores its proto if that differs from every known revision in more
/// than comments, notes the release in `versions.toml`, and regenerates what depends on either.
///
/// # Errors
///
/// If the release is known, version or date are none, the proto does not compile, is no NRI protocol or of another
/// package, or a file cannot be written. Nothing is changed then.
pub fn import(root: &Path, request: &Request) -> Result<Imported, Error> {
    let protos = root.join("protos");
    let texts = Texts::read(&protos)?;
    let history = History::from_texts(texts.clone())?;
    request.check_against(&history)?;
    let text = request.text()?;
    let compiled = compile::text(&request.file_name(), &text)?;
    let protocol = Protocol::read(&compiled);
    protocol.check()?;
    same_package(&protocol, &history)?;
    let known = known_revision(&compiled, &history)?;
    let revision = known
        .clone()
        .unwrap_or_else(|| request.release().to_owned());

    let texts = extended(texts, request, &revision, &text);
    let mut files = vec![(protos.join("versions.toml"), texts.versions.to_string())];
    if known.is_none() {
        files.push((proto_path(&protos.join("api"), &revision), text));
    }
    let history = History::from_texts(texts)?;
    files.extend(beneath(root, generate::targets(&history)?));
    let imported = imported(&history, request, revision, known.is_none())?;
    write::all(&files)?;
    Ok(imported)
}

/// The tables and protos with the release in them.
fn extended(mut texts: Texts, request: &Request, revision: &str, proto: &str) -> Texts {
    let versions = texts.versions.trim_end();
    texts.versions = format!("{versions}\n\n{}", request.entry(revision)).into();
    if !texts.protos.iter().any(|(name, _)| name == revision) {
        texts
            .protos
            .push((revision.to_owned(), proto.to_owned().into()));
    }
    texts
}

fn imported(
    history: &History,
    request: &Request,
    revision: String,
    is_new: bool,
) -> Result<Imported, Error> {
    let before = history.before(&revision).filter(|_| is_new);
    let found = history
        .revisions()
        .iter()
        .find(|known| known.name() == revision);
    let changes = match (before, found) {
        (Some(before), Some(found)) => changes(before.protocol()?, found.protocol()?),
        _ => Vec::new(),
    };
    Ok(Imported {
        release: request.release().to_owned(),
        before: before.map(|before| before.name().to_owned()),
        revision,
        is_new,
        changes,
    })
}

fn same_package(protocol: &Protocol, history: &History) -> Result<(), Error> {
    let Some(newest) = history.revisions().last() else {
        return Ok(());
    };
    let package = &newest.protocol()?.package;
    if protocol.package == *package {
        return Ok(());
    }
    let fact = format!("package is {}, expected {package}", protocol.package);
    Err(Problem::new(ErrorKind::Import, fact)
        .with_help("another package is another protocol; use it through `Builder::proto`")
        .into())
}

/// The newest revision that differs from `compiled` in nothing but comments.
fn known_revision(compiled: &Compiled, history: &History) -> Result<Option<String>, Error> {
    let facts = facts(compiled);
    for revision in history.revisions().iter().rev() {
        if self::facts(revision.compiled()?) == facts {
            return Ok(Some(revision.name().to_owned()));
        }
    }
    Ok(None)
}

/// The descriptors without comments, places and the name of the file.
fn facts(compiled: &Compiled) -> Vec<FileDescriptorProto> {
    let files = compiled.files().map(|file| FileDescriptorProto {
        name: None,
        source_code_info: None,
        ..file.clone()
    });
    files.collect()
}
