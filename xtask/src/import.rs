//! Adds a release, with a protocol revision if it has a new one.

mod request;

use std::path::Path;

use nri_codegen::write;
use nri_schema::compile::{self, Compiled};
use nri_schema::history::{Proto, Tables};
use nri_schema::{Error, ErrorKind, History, Problem, Protocol};
use prost_types::FileDescriptorProto;

use crate::generate::{self, beneath};

pub use request::Request;

/// A successful import.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Imported {
    /// The release, with a leading `v`.
    pub release: String,
    /// The revision of the release.
    pub revision: String,
    /// True if the revision is new.
    pub is_new: bool,
    /// The revision before a new one, if there is one.
    pub before: Option<String>,
}

/// Imports a release into the repository at `root`.
///
/// Stores its proto if it differs from every known revision in more than comments, adds the release
/// to `versions.toml`, and regenerates what depends on them.
///
/// # Errors
///
/// Returns an error if the release is known, version or date are malformed, the proto does not
/// compile, is not an NRI protocol or has another package, an event has no place in `events.toml`,
/// or a file cannot be written. In that case nothing is changed.
pub fn import(root: &Path, request: &Request) -> Result<Imported, Error> {
    let protos = root.join("protos");
    let tables = Tables::read(&protos)?;
    let earlier = History::from_tables(tables.clone())?;
    request.check_against(&earlier)?;
    let text = request.text()?;
    let compiled = compile::text(&request.file_name(), &text)?;
    let protocol = Protocol::read(&compiled)?;
    protocol.check()?;
    same_package(&protocol, &earlier)?;
    let known = known_revision(&compiled, &earlier)?;
    let revision = known.as_deref().unwrap_or(request.release()).to_owned();

    let extended = extended(tables, request, &revision, &text);
    let mut files = extended.files(&protos);
    let history = History::from_tables(extended)?;
    files.extend(beneath(root, generate::targets(root, &history)?));
    write::all(&files)?;
    let is_new = known.is_none();
    let before = history.before(&revision).filter(|_| is_new);
    Ok(Imported {
        release: request.release().to_owned(),
        before: before.map(|before| before.name().to_owned()),
        revision,
        is_new,
    })
}

/// Returns the tables and protos with the release added.
fn extended(mut tables: Tables, request: &Request, revision: &str, proto: &str) -> Tables {
    let versions = tables.versions.trim_end();
    tables.versions = format!("{versions}\n\n{}", request.entry(revision)).into();
    let mut known = tables.protos.iter();
    if !known.any(|known| known.revision == revision) {
        let proto = Proto::from_text(revision, proto.to_owned());
        tables.protos.push(proto);
    }
    tables
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
    Err(Problem::new(ErrorKind::Protocol, fact)
        .with_help("another package is another protocol: generate it with `Builder::proto`")
        .into())
}

/// Returns the newest revision that differs from `compiled` only in comments.
fn known_revision(compiled: &Compiled, history: &History) -> Result<Option<String>, Error> {
    let facts = facts(compiled);
    for revision in history.revisions().iter().rev() {
        if self::facts(revision.compiled()?) == facts {
            return Ok(Some(revision.name().to_owned()));
        }
    }
    Ok(None)
}

/// Returns the descriptors without comments, locations and the name of the file.
fn facts(compiled: &Compiled) -> Vec<FileDescriptorProto> {
    let files = compiled.files().map(|file| FileDescriptorProto {
        name: None,
        source_code_info: None,
        ..file.clone()
    });
    files.collect()
}
