//! `go.sum`: the versions of NRI that were ever downloaded for a module, including the one that
//! `go.mod` requires.

use memchr::memmem;

use super::nri_module::MODULE;
use super::{Reader, Unreadable, text};
use crate::check::content::File;
use crate::sighting::{Built, Evidence, FileKind, Interface, Role, Sighting};

/// The maximum size of the file; those of the largest projects have half a megabyte.
const MAX_FILE: u64 = 32 << 20;

/// The maximum number of versions.
const MAX_VERSIONS: usize = 100;

const NAME: &str = "go-sum";

/// The reader of `go.sum`.
pub struct GoSum;

impl Reader for GoSum {
    fn name(&self) -> &'static str {
        NAME
    }

    fn recognises(&self, file: &File<'_>) -> bool {
        let first = file.head.split(|byte| *byte == b'\n').next();
        let first = first.filter(|line| memmem::find(line, b"h1:").is_some());
        first.is_some_and(|line| {
            text::head(&file.head).is_some() && entry(&String::from_utf8_lossy(line)).is_some()
        })
    }

    fn read(&self, file: &File<'_>) -> Result<Vec<Sighting>, Unreadable> {
        let mut versions = Vec::new();
        text::lines(file.content, MAX_FILE, |_, line| {
            let version = entry(line).filter(|entry| entry.module == MODULE && entry.code);
            if let Some(entry) = version
                && versions.len() < MAX_VERSIONS
            {
                versions.push(entry.version.to_owned());
            }
        })?;
        let none = versions.is_empty();
        Ok((!none)
            .then(|| sighting(file, versions))
            .into_iter()
            .collect())
    }
}

/// A line `MODULE VERSION h1:…` about the code of a module, or only about its `go.mod`, which does
/// not count as use.
struct SumLine<'l> {
    module: &'l str,
    version: &'l str,
    code: bool,
}

fn entry(line: &str) -> Option<SumLine<'_>> {
    let mut words = line.split_whitespace();
    let (module, version, hash) = (words.next()?, words.next()?, words.next()?);
    let of_mod = version.strip_suffix("/go.mod");
    let entry = SumLine {
        module,
        version: of_mod.unwrap_or(version),
        code: of_mod.is_none(),
    };
    (version.starts_with('v') && hash.starts_with("h1:") && words.next().is_none()).then_some(entry)
}

fn sighting(file: &File<'_>, versions: Vec<String>) -> Sighting {
    Sighting {
        place: file.place.clone(),
        kind: FileKind::GoSum,
        role: Role::Library,
        evidence: vec![Evidence {
            reader: NAME,
            detail: format!("has the code of {MODULE} {}", versions.join(", ")),
        }],
        nri: Built {
            version: match &versions[..] {
                [one] => Some(one.clone()),
                _ => None,
            },
            ..Built::default()
        },
        interface: Interface::unknown(
            "checksums name the NRI that was downloaded, but not how it is used".to_owned(),
        ),
        ..Sighting::default()
    }
}
