//! Walks folders with several threads.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use walkdir::DirEntry;

use super::machine_root::MachineRoot;
use super::roots::Root;
use super::visit;
use crate::check::container::archive;
use crate::check::observations::Demand;
use crate::check::parallel;
use crate::check::scan::{Scan, Visit};
use crate::check::unjudged;
use crate::folder::{self, FolderLinks, NotWalked};
use crate::place::Place;
use crate::skipped::{SkipKind, Unreadable};
use crate::unknown::UnknownFile;

/// The file that marks an OCI layout.
const OCI_LAYOUT: &str = "oci-layout";

/// A walk of one folder.
struct Walk<'w> {
    scan: &'w Scan<'w>,
    root: &'w Root,
    roots: &'w [Root],
    machine: &'w MachineRoot,
    /// The absolute paths without links that are never walked.
    virtual_mounts: HashSet<PathBuf>,
    /// True if there is anything to report or to read.
    has_content: AtomicBool,
}

/// Passes every file of a folder to the scan.
///
/// Links to files are followed, links to folders are not, which rules out cycles. Pipes, sockets
/// and devices are never opened.
///
/// Folders that are among `roots` are left to their own walks.
pub(in crate::check) fn folder(
    scan: &Scan<'_>,
    root: &Root,
    roots: &[Root],
    machine: &MachineRoot,
) {
    let mounts = std::fs::read("/proc/self/mountinfo").unwrap_or_default();
    let walk = Walk {
        scan,
        root,
        roots,
        machine,
        virtual_mounts: virtual_mounts(&String::from_utf8_lossy(&mounts)),
        has_content: AtomicBool::new(false),
    };
    let entries = folder::entries(&root.path, FolderLinks::Listed, |entry| walk.enters(entry));
    parallel::share(scan.threads, entries, |entry| walk.entry(entry));
    if root.is_named && !walk.has_content.into_inner() {
        let place = Place::from_path(&root.shown);
        let empty = unjudged::sighting(&place, Demand::Named, UnknownFile::NoFiles);
        scan.store_sighting(empty);
    }
}

impl Walk<'_> {
    fn entry(&self, entry: Result<DirEntry, (PathBuf, NotWalked)>) {
        match entry {
            Ok(entry) if is_folder(&entry) => {}
            Ok(entry) => self.listed(&entry),
            Err((folder, NotWalked::Unreadable(error))) => {
                self.failed(&folder, Unreadable::from(&error));
            }
            // No link is followed.
            Err((_, NotWalked::LeadsAbove)) => {}
        }
    }

    /// Decides whether to walk an entry, if it is a folder.
    fn enters(&self, entry: &DirEntry) -> bool {
        if !is_folder(entry) {
            return true;
        }
        let folder = entry.path();
        let has_own_walk = || self.roots.iter().any(|root| root.path == folder);
        if entry.depth() > 0 && has_own_walk() {
            self.has_content.store(true, Ordering::Relaxed);
            return false;
        }
        if self.virtual_mounts.contains(folder) {
            let reason = "a pseudo filesystem, not walked";
            self.failed(folder, Unreadable::new(SkipKind::PseudoFilesystem, reason));
            return false;
        }
        // The folder with the parts of the images of an OCI layout.
        !(folder.ends_with("blobs") && folder.parent().is_some_and(is_layout))
    }

    fn listed(&self, entry: &DirEntry) {
        let (path, kind) = (entry.path(), entry.file_type());
        let parent = path.parent().unwrap_or(&self.root.path);
        let is_launched = self.root.launches(parent);
        let is_readable = kind.is_file() || kind.is_symlink();
        if !is_readable && !is_launched {
            return;
        }
        self.has_content.store(true, Ordering::Relaxed);
        if kind.is_file() && entry.file_name() == OCI_LAYOUT && is_layout(parent) {
            archive::read_layout(self.scan, parent, &self.place(parent));
        } else if is_readable {
            self.file(path, kind.is_symlink(), is_launched);
        } else {
            self.scan.skip(self.place(path), special());
        }
    }

    /// Handles a file. Broken links are common and not reported, except a link in a plugin folder
    /// that leads outside the machine.
    fn file(&self, path: &Path, is_link: bool, is_launched: bool) {
        let demand = self.root.demand(path, is_launched);
        let place = self.place(path);
        let is_wanted = demand == Demand::Launched;
        let path = match self.target(path, is_link) {
            Ok(Some(target)) => target,
            Ok(None) if is_wanted => return self.scan.skip(place, special()),
            Err(why) if is_wanted => {
                let why = UnknownFile::BrokenLink(why.reason);
                let outcome = unjudged::report(self.scan, &place, demand, why);
                return self.scan.count(outcome);
            }
            Ok(None) | Err(_) => return,
        };
        let visit = Visit { place, path, is_link, demand };
        visit::file(self.scan, &visit);
    }

    /// Returns the path of a file, or of the target of a link if that is a regular file.
    fn target(&self, path: &Path, is_link: bool) -> Result<Option<PathBuf>, Unreadable> {
        let target = if is_link && self.machine.is_mounted() {
            self.machine.resolve(path)?
        } else {
            path.to_owned()
        };
        let is_file = !is_link || target.metadata()?.is_file();
        Ok(is_file.then_some(target))
    }

    fn failed(&self, folder: &Path, why: Unreadable) {
        self.has_content.store(true, Ordering::Relaxed);
        let place = self.place(folder);
        if folder == self.root.path && self.root.is_named {
            let why = UnknownFile::Unread(why.reason);
            let outcome = unjudged::report(self.scan, &place, Demand::Named, why);
            return self.scan.count(outcome);
        }
        self.scan.skip(place, why);
    }

    /// Returns the place of a path, with the folder spelled as by the user.
    fn place(&self, path: &Path) -> Place {
        match path.strip_prefix(&self.root.path) {
            Ok(rest) if rest.as_os_str().is_empty() => Place::from_path(&self.root.shown),
            Ok(rest) => Place::from_path(&self.root.shown.join(rest)),
            Err(_) => Place::from_path(path),
        }
    }
}

/// Returns true for a folder. The folder where the walk begins may be a link.
fn is_folder(entry: &DirEntry) -> bool {
    entry.depth() == 0 || entry.file_type().is_dir()
}

/// Returns true if a folder is an OCI layout.
fn is_layout(folder: &Path) -> bool {
    let has = |name: &str| folder.join(name).is_file();
    has(OCI_LAYOUT) && has("index.json")
}

/// Returns the reason for skipping an entry of a plugin folder that is not a file, which no runtime
/// can start.
fn special() -> Unreadable {
    Unreadable::new(SkipKind::SpecialFile, "is not a file, so that no runtime can start it")
}

/// The types of virtual file systems, except those that are only mounted below others:
/// [filesystems(5)](https://man7.org/linux/man-pages/man5/filesystems.5.html).
const VIRTUAL_TYPES: [&str; 15] = [
    "autofs", "bpf", "cgroup", "cgroup2", "configfs", "debugfs", "devpts", "devtmpfs", "fusectl",
    "mqueue", "nsfs", "proc", "pstore", "sysfs", "tracefs",
];

/// Their conventional mount points, which are not walked regardless of what is mounted there:
/// `/dev` is a tmpfs in a container.
const MOUNT_POINTS: [&str; 3] = ["/proc", "/sys", "/dev"];

/// Returns the mounts of file systems without files, such as `proc` and `sysfs`, which are never
/// walked.
fn virtual_mounts(mounts: &str) -> HashSet<PathBuf> {
    let mounted = mounts.lines().filter_map(mount);
    MOUNT_POINTS.iter().map(PathBuf::from).chain(mounted).collect()
}

/// Returns the mount point of a line, if its file system is one of [`VIRTUAL_TYPES`].
fn mount(line: &str) -> Option<PathBuf> {
    let mut fields = line.split(' ');
    let escaped = fields.nth(4)?;
    let kind = fields.skip_while(|field| *field != "-").nth(1)?;
    // The kernel writes some characters as octal digits.
    let place = escaped.replace("\\040", " ").replace("\\134", "\\");
    VIRTUAL_TYPES.contains(&kind).then(|| PathBuf::from(place))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn knows_pseudo_filesystems_by_type_wherever_they_are() {
        let mounts = "22 28 0:21 / /host/sys rw,nosuid shared:7 - sysfs sysfs rw\n\
            23 28 0:5 / /host/a\\040b rw - proc proc rw\n\
            24 28 8:1 / /data rw,relatime - ext4 /dev/sda1 rw\nbroken\n";
        let expected = ["/proc", "/sys", "/dev", "/host/sys", "/host/a b"];
        assert_eq!(virtual_mounts(mounts), expected.map(PathBuf::from).into());
    }
}
