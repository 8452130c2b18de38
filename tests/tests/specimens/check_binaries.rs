//! The readers of binaries on real programs: each has to match the table.

use std::fs::File as Disk;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::Path;

use nri_compat::check::content::{Content, File, HEAD};
use nri_compat::check::evidence::READERS;
use nri_compat::sighting::{Certainty, FileKind, Interface, Role, Sighting};
use nri_tests::peers::{self, NRI_RELEASES};
use nri_tests::specimens::{self, Specimen};

/// A file as the command reads it: in pieces.
struct Pieces(Disk, u64);

impl Content for Pieces {
    fn len(&self) -> u64 {
        self.1
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        self.0.read_at(buffer, offset)
    }
}

/// Returns all that the readers see in a file.
fn sightings(path: &Path) -> Vec<Sighting> {
    let shown = path.display().to_string();
    let disk = Disk::open(path).unwrap_or_else(|e| panic!("{shown}: {e}"));
    let content = Pieces(disk.try_clone().unwrap(), disk.metadata().unwrap().len());
    let mut head = vec![0; HEAD];
    let filled = content.read_at(0, &mut head).unwrap();
    head.truncate(filled);
    let file = File {
        name: path.file_name().unwrap().to_string_lossy().into_owned(),
        place: shown.into(),
        head: head.into(),
        content: &content,
        disk: None,
    };
    let readers = READERS.iter().filter(|reader| reader.recognises(&file));
    readers.flat_map(|reader| reader.read(&file).unwrap()).collect()
}

/// Returns the only sighting.
fn look_for_one(path: &Path) -> Sighting {
    let mut seen = sightings(path);
    assert_eq!(seen.len(), 1, "{}: {seen:#?}", path.display());
    seen.remove(0)
}

fn interface(of: &Sighting) -> &'static str {
    match of.interface {
        Interface::OneShot => "one-shot",
        Interface::StateChange => "state change",
        Interface::Dedicated => "dedicated",
        Interface::Funnelled => "funnelled",
        Interface::Exports(_) => "exports",
        Interface::Unknown(_) => "unknown",
        Interface::None => "none",
    }
}

/// Returns every point in which a program is not what is expected.
fn differences(expected: &Specimen, path: &Path, seen: &Sighting) -> Vec<String> {
    let mut all = Vec::new();
    let mut differs = |what: &str, wanted: &dyn std::fmt::Debug, found: &dyn std::fmt::Debug| {
        let (wanted, found) = (format!("{wanted:?}"), format!("{found:?}"));
        if wanted.to_lowercase() != found.to_lowercase() {
            all.push(format!("{}: {what}: expected {wanted}, found {found}", path.display()));
        }
    };
    let certainty = if expected.events.is_empty() { "unknown" } else { &expected.certainty };
    differs("kind", &FileKind::GoBinary, &seen.kind);
    differs("role", &expected.role, &format!("{:?}", seen.role));
    differs("interface", &expected.interface, &interface(seen));
    differs("events", &expected.events, &seen.events.names);
    differs("certainty", &certainty, &format!("{:?}", seen.events.certainty));
    for (what, wanted, found) in [
        ("version", &expected.version, &seen.nri.version),
        ("at least", &expected.at_least, &seen.nri.at_least),
        ("below", &expected.below, &seen.nri.below),
    ] {
        if wanted.is_some() {
            differs(what, wanted, found);
        }
    }
    for text in &expected.says {
        if !seen.evidence.iter().any(|evidence| evidence.detail.contains(text)) {
            differs("evidence", text, &seen.evidence);
        }
    }
    all
}

#[test]
fn every_go_program_is_what_the_table_says() {
    let table = specimens::table();
    let mut wrong = Vec::new();
    let mut rows = 0;
    for name in table.build.keys() {
        let folder = table.build(name);
        for specimen in table.specimen.iter().filter(|s| s.builds.contains(name)) {
            let path = folder.join(&specimen.program);
            wrong.extend(differences(specimen, &path, &look_for_one(&path)));
            rows += 1;
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let expected: usize = table.specimen.iter().map(|specimen| specimen.builds.len()).sum();
    assert_eq!(rows, expected, "a row names a build that the table does not have");
}

#[test]
fn section_headers_are_not_needed() {
    let path = specimens::table().build("stripped").join("plain");
    let mut bytes = std::fs::read(&path).unwrap();
    // Place, size, count and names of section headers.
    bytes[40..48].fill(0);
    bytes[58..64].fill(0);
    let folder = tempfile::tempdir().unwrap();
    let without = folder.path().join("10-plain");
    std::fs::write(&without, bytes).unwrap();
    let seen = look_for_one(&without);
    let events = seen.events.names.join(" ");
    assert_eq!(events, "RunPodSandbox StopContainer RemoveContainer");
    assert_eq!(seen.events.certainty, Certainty::Exact);
    assert_eq!((seen.index.as_deref(), seen.name.as_deref()), (Some("10"), Some("plain")));
}

/// Number of `R_X86_64_RELATIVE`, and bytes of a relocation that carries its address.
const RELATIVE: u32 = 8;
const RELOCATION: usize = 24;

/// Some linkers (lld) leave zeros where the loader writes addresses.
#[test]
fn addresses_are_taken_from_relocations_where_only_these_have_them() {
    let path = specimens::table().build("pie").join("plain");
    let mut bytes = std::fs::read(&path).unwrap();
    let number = |file: &[u8], at: usize| u64::from_le_bytes(file[at..at + 8].try_into().unwrap());
    let place = |file: &[u8], at: usize| usize::try_from(number(file, at)).unwrap();
    // From program headers: address and offset of what is loaded.
    let (start, count) = (place(&bytes, 32), usize::from(bytes[56]));
    let headers = (0..count).map(|header| start + 56 * header);
    let loaded: Vec<_> = headers
        .filter(|at| bytes[*at] == 1)
        .map(|at| (place(&bytes, at + 16), place(&bytes, at + 8), place(&bytes, at + 32)))
        .collect();
    let offset_of = |address: usize| {
        let into = loaded.iter().find(|(from, _, size)| (*from..from + size).contains(&address));
        into.map(|(from, offset, _)| address - from + offset)
    };
    let is_relocation = |entry: &[u8]| entry[8..16] == u64::from(RELATIVE).to_le_bytes();
    let relocations: Vec<usize> = (0..bytes.len() - RELOCATION)
        .step_by(8)
        .filter(|at| is_relocation(&bytes[*at..]))
        .filter_map(|at| offset_of(usize::try_from(number(&bytes, at)).ok()?))
        .collect();
    assert!(relocations.len() > 1000, "{} relocations", relocations.len());
    for at in relocations {
        bytes[at..at + 8].fill(0);
    }
    let folder = tempfile::tempdir().unwrap();
    let zeroed = folder.path().join("zeroed");
    std::fs::write(&zeroed, bytes).unwrap();
    let seen = look_for_one(&zeroed);
    assert_eq!(seen.events, look_for_one(&path).events, "{seen:#?}");
}

#[test]
fn a_function_table_that_cannot_be_read_is_unknown() {
    let path = specimens::table().build("stripped").join("plain");
    let mut bytes = std::fs::read(&path).unwrap();
    let magic = [0xf1, 0xff, 0xff, 0xff, 0, 0, 1, 8];
    let places: Vec<usize> =
        (0..bytes.len() - 8).filter(|at| bytes[*at..].starts_with(&magic)).collect();
    for at in places {
        bytes[at] = 0x12;
    }
    let folder = tempfile::tempdir().unwrap();
    let hidden = folder.path().join("hidden");
    std::fs::write(&hidden, bytes).unwrap();
    let seen = look_for_one(&hidden);
    assert_eq!((seen.role, interface(&seen)), (Role::Plugin, "unknown"));
}

#[test]
fn runtimes_are_told_by_what_they_call() {
    for release in NRI_RELEASES {
        let seen = look_for_one(&peers::runtime(release));
        assert_eq!(seen.role, Role::Runtime, "{release}: {seen:#?}");
        let (at_least, below) = match release {
            "v0.12.5" => (Some("v0.12.0"), None),
            _ => (Some("v0.2.0"), Some("v0.12.0")),
        };
        assert_eq!(seen.nri.at_least.as_deref(), at_least, "{release}");
        assert_eq!(seen.nri.below.as_deref(), below, "{release}");
    }
}

#[cfg(feature = "containerd")]
#[test]
fn containerd_is_a_runtime() {
    for (release, below) in [("v2.2.9", Some("v0.12.0")), ("v2.4.2", None)] {
        let seen = look_for_one(&peers::containerd(release).join("containerd"));
        assert_eq!(seen.role, Role::Runtime, "{release}: {seen:#?}");
        assert_eq!(seen.nri.below.as_deref(), below, "{release}");
    }
}
