//! Compressed archives that depend only on their content.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use flate2::{Compression, GzBuilder};
use tar::{EntryType, Header};

use super::files::Files;
use super::{Programs, ReleaseBuild};
use crate::error::{TaskError, reading, writing};
use crate::metadata::{BRIDGE, COMMAND};

/// A file in an archive.
pub(super) struct Entry {
    /// Its path, with `/` and without a leading one.
    pub(super) path: String,
    pub(super) content: Vec<u8>,
    pub(super) mode: u32,
}

impl Entry {
    /// Returns a file that everybody may read.
    pub(super) fn file(path: impl Into<String>, content: impl Into<Vec<u8>>) -> Self {
        Self { path: path.into(), content: content.into(), mode: 0o644 }
    }

    /// Returns a file that everybody may run.
    pub(super) fn program(path: impl Into<String>, content: impl Into<Vec<u8>>) -> Self {
        Self { mode: 0o755, ..Self::file(path, content) }
    }
}

/// Returns a tar archive of the files and the folders around them, which belong to root, ordered by
/// path.
pub(super) fn tar(mut entries: Vec<Entry>, time: u64) -> io::Result<Vec<u8>> {
    entries.sort_by(|a, b| a.path.cmp(&b.path));
    let mut archive = tar::Builder::new(Vec::new());
    let mut folders: Vec<String> = Vec::new();
    for entry in &entries {
        for (end, _) in entry.path.match_indices('/') {
            let folder = &entry.path[..=end];
            if !folders.iter().any(|known| known == folder) {
                folders.push(folder.to_owned());
                let mut header = header(EntryType::Directory, 0o755, 0, time);
                archive.append_data(&mut header, folder, io::empty())?;
            }
        }
        let size = entry.content.len() as u64;
        let mut header = header(EntryType::Regular, entry.mode, size, time);
        archive.append_data(&mut header, &entry.path, entry.content.as_slice())?;
    }
    archive.into_inner()
}

fn header(kind: EntryType, mode: u32, size: u64, time: u64) -> Header {
    let mut header = Header::new_ustar();
    header.set_entry_type(kind);
    header.set_mode(mode);
    header.set_size(size);
    header.set_mtime(time);
    header.set_uid(0);
    header.set_gid(0);
    header
}

/// Compresses with gzip, without a time and a name.
pub(super) fn gzip(bytes: &[u8]) -> io::Result<Vec<u8>> {
    // 255: unknown operating system.
    let mut out =
        GzBuilder::new().mtime(0).operating_system(255).write(Vec::new(), Compression::best());
    out.write_all(bytes)?;
    out.finish()
}

impl Programs {
    /// Returns the programs as files in an archive; `at` gives the path for the name of each.
    pub(super) fn entries(&self, at: impl Fn(&str) -> String) -> Result<Vec<Entry>, TaskError> {
        let named = [(COMMAND, &self.command), (BRIDGE, &self.bridge)];
        let entry = |(name, path): (&str, &PathBuf)| {
            let content = fs::read(path).map_err(reading(path))?;
            Ok(Entry::program(at(name), content))
        };
        named.into_iter().map(entry).collect()
    }
}

impl ReleaseBuild<'_> {
    /// Writes the archive for a processor: the programs with licence, manual pages and completions.
    pub(super) fn archive(&self, programs: &Programs, files: &Files) -> Result<(), TaskError> {
        let name = self.archive_name(&programs.processor.platform());
        let entries = programs.entries(|path| format!("{name}/{path}"))?;
        self.pack(&name, entries, files)
    }

    /// Writes an archive of programs with the files that accompany them.
    pub(super) fn pack(
        &self,
        name: &str,
        mut entries: Vec<Entry>,
        files: &Files,
    ) -> Result<(), TaskError> {
        let Files { licence, readme, .. } = files;
        let at = |path: &str| format!("{name}/{path}");
        entries.extend([
            Entry::file(at("LICENSE"), licence.clone()),
            Entry::file(at("README.md"), readme.clone()),
        ]);
        entries.extend(
            files
                .man
                .iter()
                .map(|page| Entry::file(at(&format!("man/{}", page.name)), page.content.clone())),
        );
        entries.extend(files.completions.iter().map(|script| {
            Entry::file(at(&format!("completions/{}", script.name)), script.content.clone())
        }));
        let path = self.out.join(format!("{name}.tar.gz"));
        let archive = tar(entries, self.metadata.time).and_then(|tar| gzip(&tar));
        self.write(&path, &archive.map_err(writing(&path))?)
    }

    /// Returns the name of the archive for a platform, without its extension.
    pub(super) fn archive_name(&self, platform: &str) -> String {
        format!("nri-compat-{}-{platform}", self.metadata.version)
    }

    /// Writes a file.
    pub(super) fn write(&self, path: &Path, content: &[u8]) -> Result<(), TaskError> {
        fs::write(path, content).map_err(writing(path))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_order_of_entries_does_not_change_an_archive() {
        let entries = || vec![Entry::file("a/b/c", "1"), Entry::program("a/d", "2")];
        let reversed = entries().into_iter().rev().collect();
        let archive = tar(entries(), 7).expect("written");
        assert_eq!(archive, tar(reversed, 7).expect("written"));
        let mut written = tar::Archive::new(archive.as_slice());
        let read = written.entries().expect("an archive").map(|entry| {
            let entry = entry.expect("an entry");
            let header = entry.header();
            let path = entry.path().expect("a path").display().to_string();
            (path, header.mode().expect("a mode"), header.mtime().expect("a time"))
        });
        let expected = [("a/", 0o755), ("a/b/", 0o755), ("a/b/c", 0o644), ("a/d", 0o755)]
            .map(|(path, mode)| (path.to_owned(), mode, 7));
        assert_eq!(read.collect::<Vec<_>>(), expected);
    }

    #[test]
    fn an_archive_has_the_command_and_the_bridge() {
        let folder = tempfile::tempdir().expect("a folder");
        let program = |name: &str| {
            let path = folder.path().join(name);
            fs::write(&path, name).expect("written");
            path
        };
        let programs = Programs {
            processor: crate::release::PROCESSORS[0],
            command: program(COMMAND),
            bridge: program(BRIDGE),
        };
        let entries = programs.entries(|name| format!("usr/bin/{name}")).expect("both are there");
        let listed = entries.iter().map(|entry| (entry.path.as_str(), entry.mode, &entry.content));
        let content = |name: &str| name.as_bytes().to_vec();
        let expected = [
            ("usr/bin/nri-compat", 0o755, &content(COMMAND)),
            ("usr/bin/nri-bridge", 0o755, &content(BRIDGE)),
        ];
        assert_eq!(listed.collect::<Vec<_>>(), expected);
    }

    #[test]
    fn gzip_has_neither_time_nor_name() {
        let compressed = gzip(b"text").expect("written");
        assert_eq!(compressed[3..8], [0, 0, 0, 0, 0]);
    }
}
