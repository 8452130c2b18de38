//! Resolves the name of a protocol version to its files.
//!
//! | form | example |
//! | --- | --- |
//! | release | `0.12.5`, `v0.12.5`, an untagged one in full: `v0.9.1-0.20250219030224-e597e7849f24` |
//! | newest patch | `0.12`, `v0.11` |
//! | newest release | `latest` |
//! | the release that a runtime links | `containerd@2.2.1`, `cri-o@1.33` (newest patch), `containerd@latest` |
//! | one proto, with any extension | `path/to/api.proto` |
//! | a folder of protos | `path/to/protos` |
//! | a binary `FileDescriptorSet` | `schema.binpb` |
//!
//! A name that parses as a version is a version, even if a file has that name: write `./v0.11.0`
//! for the folder.

use std::path::Path;

use crate::compile::{self, Compiled, Imports};
use crate::error::{Error, ErrorKind, Problem};
use crate::history::History;
use crate::version::without_v;

/// Compiles the release, file or folder that `spec` names; see the table in the [module
/// docs](self).
///
/// # Errors
///
/// Returns an error for an unknown version, with similar ones; for a proto that does not compile,
/// with file, line and the offending text; and for anything else. Nothing is guessed.
pub fn resolve(spec: &str) -> Result<Compiled, Error> {
    resolve_in(&History::embedded()?, spec)
}

/// Like [`resolve`], with an existing history.
///
/// # Errors
///
/// Returns the errors of [`resolve`].
pub fn resolve_in(history: &History, spec: &str) -> Result<Compiled, Error> {
    resolve_with(history, spec, &Imports::default())
}

/// Like [`resolve_in`]; imports of files and folders are also looked up in `imports`.
///
/// # Errors
///
/// Returns the errors of [`resolve`].
pub fn resolve_with(history: &History, spec: &str, imports: &Imports) -> Result<Compiled, Error> {
    if is_version(spec) {
        return history.compiled_for(spec);
    }
    let path = Path::new(spec);
    if path.is_dir() {
        return compile::folder_with(path, imports);
    }
    if path.exists() {
        return if is_proto(path)? {
            compile::file_with(path, imports)
        } else {
            compile::descriptor_set(path)
        };
    }
    if let Ok(target) = path.read_link() {
        return Err(dangling(spec, &target).into());
    }
    // A mistyped version is more likely than a missing path, unless it looks like a path.
    if spec.contains(['/', '\\']) || path.extension().is_some() {
        return Err(no_such_file(spec).into());
    }
    history.compiled_for(spec)
}

/// Returns true if the file is the text of a proto, by its extension or else by its content.
///
/// # Errors
///
/// Returns an error if it cannot be read, or is too large.
pub fn is_proto(path: &Path) -> Result<bool, Error> {
    if path.extension().is_some_and(|extension| extension == "proto") {
        return Ok(true);
    }
    Ok(compile::is_text(&compile::files::read(path, compile::files::MAX_SET)?))
}

fn dangling(spec: &str, target: &Path) -> Problem {
    let target = target.display();
    Problem::new(ErrorKind::Io, format!("`{spec}` is a link to `{target}`, which does not exist"))
}

/// Returns true if `spec` has the form of a version: `latest`, anything with `@`, or digits after
/// an optional `v`.
pub fn is_version(spec: &str) -> bool {
    let digits = without_v(spec);
    let numeric = digits.starts_with(|c: char| c.is_ascii_digit());
    spec == "latest" || (!spec.contains(['/', '\\']) && (spec.contains('@') || numeric))
}

fn no_such_file(spec: &str) -> Problem {
    Problem::new(ErrorKind::Io, format!("no such file or folder: `{spec}`")).with_help(
        "name a release (v0.12.5, 0.11, latest), a runtime (containerd@2.2.1), a .proto file, a folder of protos, or a FileDescriptorSet",
    )
}
