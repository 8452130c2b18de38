//! `go.mod`: the NRI that a module requires, and its replacement.
//!
//! A requirement states neither that the module is a plugin nor, if a folder replaces the module,
//! which NRI is built. The facts are recorded, and the interface stays unknown.

mod parse;

use super::nri_module::MODULE;
use super::{Reader, Unreadable, text};
use crate::check::content::File;
use crate::place::Place;
use crate::sighting::{Built, Evidence, FileKind, Interface, Role, Sighting};
pub(super) use parse::GoMod;
use parse::{Replacement, Requirement};

/// The maximum size of the file; real ones have a few kilobytes.
const MAX_FILE: u64 = 4 << 20;

const NAME: &str = "go-mod";

/// The reader of `go.mod`.
pub struct GoModReader;

impl Reader for GoModReader {
    fn name(&self) -> &'static str {
        NAME
    }

    fn recognises(&self, file: &File<'_>) -> bool {
        parse::may_be(&file.head) && text::head(&file.head).is_some_and(parse::is)
    }

    fn read(&self, file: &File<'_>) -> Result<Vec<Sighting>, Unreadable> {
        let module = GoMod::parse(file.content, MAX_FILE)?;
        let sighting = module
            .requirement
            .as_ref()
            .map(|requirement| sighting(file, &module, requirement));
        Ok(sighting.into_iter().collect())
    }
}

fn sighting(file: &File<'_>, module: &GoMod, requirement: &Requirement) -> Sighting {
    let replacement = module.replacement(&requirement.version);
    let mut evidence = vec![required(requirement)];
    evidence.extend(replacement.map(replaced));
    let evidence = evidence.into_iter().map(|detail| Evidence {
        reader: NAME,
        detail,
    });
    let line = replacement.map_or(requirement.line, |by| by.line);
    Sighting {
        place: Place {
            line: u32::try_from(line).ok(),
            ..file.place.clone()
        },
        kind: FileKind::GoMod,
        role: Role::Library,
        nri: Built {
            version: version(requirement, replacement),
            ..Built::default()
        },
        interface: Interface::unknown(reason(replacement).to_owned()),
        evidence: evidence.collect(),
        ..Sighting::default()
    }
}

/// Returns the version of NRI that a module builds with, from the text of its `go.mod`, or the
/// reason why it is unknown.
#[cfg(feature = "update")]
pub(crate) fn linked_nri(text: &str) -> Result<String, String> {
    let module = GoMod::of_text(text.as_bytes());
    let Some(requirement) = &module.requirement else {
        return Err("its go.mod does not require NRI".to_owned());
    };
    match module.replacement(&requirement.version) {
        Some(by) if by.path != MODULE || by.version.is_none() => {
            Err(format!("it builds with {} instead of NRI", by.path))
        }
        by => Ok(version(requirement, by).unwrap_or_default()),
    }
}

fn required(requirement: &Requirement) -> String {
    let Requirement {
        version,
        indirect,
        line,
    } = requirement;
    let how = if *indirect {
        "requires, indirectly,"
    } else {
        "requires"
    };
    format!("{how} {MODULE} {version} (line {line})")
}

fn replaced(replacement: &Replacement) -> String {
    let Replacement { path, line, .. } = replacement;
    match &replacement.version {
        Some(version) => format!("replaces it by {path} {version} (line {line})"),
        None => format!("replaces it by the folder {path} (line {line})"),
    }
}

/// Returns the version that is built, if the file determines it: that of a fork or a folder does
/// not.
fn version(requirement: &Requirement, replacement: Option<&Replacement>) -> Option<String> {
    match replacement {
        None => Some(requirement.version.clone()),
        Some(by) if by.path == MODULE => by.version.clone(),
        Some(_) => None,
    }
}

fn reason(replacement: Option<&Replacement>) -> &'static str {
    match replacement {
        Some(by) if by.version.is_none() => {
            "a folder replaces the module, so its version is irrelevant"
        }
        Some(by) if by.path != MODULE => "a fork replaces the module, so its version is irrelevant",
        _ => "a requirement names an NRI release, but not how it is used",
    }
}
