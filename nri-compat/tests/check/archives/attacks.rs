//! Archives and images that programs understand differently, or that hide what they contain, one
//! per row. Each file that an extractor might write is found, or the archive is unknown.

mod images;
mod layers;
mod names;

use crate::common::image::docker;
use crate::common::{answers, collected, paths};

/// The path of a plugin in a folder whose executables a runtime starts.
const PLUGIN: &str = "opt/nri/plugins/10-a";

/// The expected result of a check.
enum Expected {
    /// Exactly these files, and everything could be read.
    Found(&'static [&'static str]),
    /// An unknown part for this reason.
    Unknown(&'static str),
}
use Expected::{Found, Unknown};

fn verify(rows: Vec<(&str, Vec<u8>, Expected)>) {
    for (what, bytes, expected) in rows {
        let found = collected(&bytes);
        match expected {
            Found(expected) => {
                let expected: Vec<String> =
                    expected.iter().map(|path| format!("it: {path}")).collect();
                assert_eq!(paths(&found), expected, "{what}: {found:?}");
                assert!(found.skipped.is_empty(), "{what}: {:?}", found.skipped);
                let answers = answers(&found);
                assert!(
                    answers.iter().all(|one| one.contains("not a plugin")),
                    "{what}: {answers:?}"
                );
            }
            Unknown(why) => {
                let answers = answers(&found);
                assert!(answers.iter().any(|one| one.contains(why)), "{what}: {found:?}");
            }
        }
    }
}

/// Returns an entry of this type.
fn entry(path: &[u8], kind: u8, bytes: &[u8]) -> Vec<u8> {
    let mut header = tar::Header::new_old();
    header.set_size(bytes.len() as u64);
    header.set_mode(0o755);
    header.as_mut_bytes()[..path.len()].copy_from_slice(path);
    header.as_mut_bytes()[156] = kind;
    if b"LKxg".contains(&kind) {
        header.as_mut_bytes()[257..265].copy_from_slice(b"ustar\x0000");
    }
    header.set_cksum();
    let mut entry = [header.as_bytes(), bytes].concat();
    entry.resize(entry.len().next_multiple_of(512), 0);
    entry
}

/// Returns an archive of these entries.
fn archive(entries: &[Vec<u8>]) -> Vec<u8> {
    [entries.concat(), vec![0; 1024]].concat()
}

/// Returns an image of these layers.
fn image(layers: &[Vec<u8>]) -> Vec<u8> {
    let files: Vec<String> = (0..layers.len()).map(|at| format!("{at}.tar")).collect();
    let names: Vec<&str> = files.iter().map(String::as_str).collect();
    let named: Vec<_> = names.iter().copied().zip(layers.iter().cloned()).collect();
    docker(&[("p", &names)], &named).tar()
}

fn plugin() -> Vec<u8> {
    entry(PLUGIN.as_bytes(), b'0', b"MARK a")
}

fn base() -> Vec<u8> {
    archive(&[plugin()])
}

/// Returns a pax header with these records.
fn pax(kind: u8, records: &str) -> Vec<u8> {
    entry(b"pax", kind, records.as_bytes())
}
