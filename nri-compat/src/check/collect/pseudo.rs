//! File systems without files: mounts of `proc`, `sysfs` and the like are never walked.

use std::collections::HashSet;
use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt as _;
use std::path::{Path, PathBuf};

/// The types of virtual file systems:
/// [proc_filesystems(5)](https://man7.org/linux/man-pages/man5/filesystems.5.html).
const VIRTUAL_TYPES: [&str; 20] = [
    "autofs",
    "binfmt_misc",
    "bpf",
    "cgroup",
    "cgroup2",
    "configfs",
    "debugfs",
    "devpts",
    "devtmpfs",
    "efivarfs",
    "fusectl",
    "hugetlbfs",
    "mqueue",
    "nsfs",
    "proc",
    "pstore",
    "securityfs",
    "selinuxfs",
    "sysfs",
    "tracefs",
];

/// Their conventional mount points, whatever is mounted there: `/dev` is a tmpfs in a container.
const MOUNT_POINTS: [&str; 3] = ["/proc", "/sys", "/dev"];

/// The folders not to descend into.
pub(super) struct Pseudo(HashSet<PathBuf>);

impl Pseudo {
    /// Returns the folders of this machine.
    pub(super) fn here() -> Self {
        let mounts = std::fs::read("/proc/self/mountinfo").unwrap_or_default();
        Self::from_mounts(&mounts)
    }

    fn from_mounts(mounts: &[u8]) -> Self {
        let mounted = mounts.split(|byte| *byte == b'\n').filter_map(mount);
        Self(
            MOUNT_POINTS
                .iter()
                .map(PathBuf::from)
                .chain(mounted)
                .collect(),
        )
    }

    /// Returns true if this absolute path without links is one of them.
    pub(super) fn is(&self, path: &Path) -> bool {
        self.0.contains(path)
    }
}

/// Returns the mount point of a line, if its file system is one of [`VIRTUAL_TYPES`].
fn mount(line: &[u8]) -> Option<PathBuf> {
    let mut fields = line.split(|byte| *byte == b' ');
    let place = fields.nth(4)?;
    let kind = fields.skip_while(|field| *field != b"-").nth(1)?;
    VIRTUAL_TYPES
        .iter()
        .any(|known| known.as_bytes() == kind)
        .then(|| PathBuf::from(OsString::from_vec(unescape(place))))
}

/// Decodes the three octal digits that the kernel writes for space, tab, newline and backslash.
fn unescape(place: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(place.len());
    let mut rest = place;
    while let Some((first, after)) = rest.split_first() {
        match octal(rest) {
            Some(byte) => {
                out.push(byte);
                rest = rest.get(4..).unwrap_or_default();
            }
            None => {
                out.push(*first);
                rest = after;
            }
        }
    }
    out
}

fn octal(text: &[u8]) -> Option<u8> {
    let digits = text.strip_prefix(b"\\")?.get(..3)?;
    u8::from_str_radix(std::str::from_utf8(digits).ok()?, 8).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn knows_pseudo_filesystems_by_type_wherever_they_are() {
        let mounts = b"22 28 0:21 / /host/sys rw,nosuid shared:7 - sysfs sysfs rw\n\
            23 28 0:5 / /host/a\\040b rw - proc proc rw\n\
            24 28 8:1 / /data rw,relatime - ext4 /dev/sda1 rw\nbroken\n";
        let pseudo = Pseudo::from_mounts(mounts);
        assert!(pseudo.is(Path::new("/host/sys")));
        assert!(pseudo.is(Path::new("/host/a b")));
        assert!(pseudo.is(Path::new("/proc")));
        assert!(!pseudo.is(Path::new("/data")));
    }
}
