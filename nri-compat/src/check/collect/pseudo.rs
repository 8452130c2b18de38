//! File systems without files: mounts of `proc`, `sysfs` and the like are never walked.

use std::collections::HashSet;
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
        Self::from_mounts(&String::from_utf8_lossy(&mounts))
    }

    fn from_mounts(mounts: &str) -> Self {
        let mounted = mounts.lines().filter_map(mount);
        let usual = MOUNT_POINTS.iter().map(PathBuf::from);
        Self(usual.chain(mounted).collect())
    }

    /// Returns true if this absolute path without links is one of them.
    pub(super) fn is(&self, path: &Path) -> bool {
        self.0.contains(path)
    }
}

/// Returns the mount point of a line, if its file system is one of [`VIRTUAL_TYPES`].
fn mount(line: &str) -> Option<PathBuf> {
    let mut fields = line.split(' ');
    let place = fields.nth(4)?;
    let kind = fields.skip_while(|field| *field != "-").nth(1)?;
    // The kernel writes some characters as octal digits.
    let place = place.replace("\\040", " ").replace("\\134", "\\");
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
        let pseudo = Pseudo::from_mounts(mounts);
        assert!(pseudo.is(Path::new("/host/sys")));
        assert!(pseudo.is(Path::new("/host/a b")));
        assert!(pseudo.is(Path::new("/proc")));
        assert!(!pseudo.is(Path::new("/data")));
    }
}
