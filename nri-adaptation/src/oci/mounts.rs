//! Mounts: removal, replacement, propagation and order.

use std::ffi::OsStr;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufRead, BufReader, ErrorKind as IoErrorKind, Read as _};
use std::os::fd::AsRawFd as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Component, Path, PathBuf};

use oci_spec::runtime::{Mount as OciMount, Spec};

use crate::oci::callbacks::Callbacks;
use crate::oci::error::{Error, ErrorKind, Propagation};
use crate::oci::parts::{self, filled, some};
use nri::adjust::marker;
use nri::api::Mount;

/// The maximum size of the mount table in bytes. 100,000 mounts take about 20 MB.
const LONGEST_TABLE: u64 = 64 << 20;

/// Removes mounts, adds mounts, and sorts all mounts, so that a mount comes after those that
/// contain it.
pub(super) fn apply(
    spec: &mut Spec,
    asked: &[Mount],
    callbacks: &mut Callbacks<'_>,
) -> Result<(), Error> {
    if asked.is_empty() {
        return Ok(());
    }
    let mut mounts = spec.mounts_mut().take().unwrap_or_default();
    for destination in asked.iter().filter_map(|it| marker::removed(&it.destination)) {
        remove(&mut mounts, destination);
    }
    for (index, mount) in asked.iter().enumerate() {
        if marker::removed(&mount.destination).is_none() {
            ensure_propagation(spec, mount, index, callbacks)?;
            remove(&mut mounts, &mount.destination);
            mounts.push(convert(mount));
        }
    }
    sort(&mut mounts);
    spec.set_mounts(Some(mounts));
    Ok(())
}

/// Removes the mounts with exactly this destination. Paths are compared as text, not by component.
fn remove(mounts: &mut Vec<OciMount>, destination: &str) {
    mounts.retain(|mount| mount.destination().as_os_str() != OsStr::new(destination));
}

fn convert(asked: &Mount) -> OciMount {
    let mut mount = OciMount::default();
    mount
        .set_destination((&asked.destination).into())
        .set_typ(filled(&asked.r#type))
        .set_source(filled(&asked.source))
        .set_options(some(asked.options.clone()));
    mount
}

/// Sorts mounts by the depth of their destination, then by the destination as text.
fn sort(mounts: &mut [OciMount]) {
    mounts.sort_by(|one, other| {
        let key = |mount: &OciMount| depth(mount.destination());
        let by_depth = key(one).cmp(&key(other));
        by_depth.then_with(|| {
            let (one, other) = (one.destination(), other.destination());
            one.as_os_str().cmp(other.as_os_str())
        })
    });
}

/// Returns the number of slashes in the cleaned path: `/`, `/a` and `/a/../b/` have one, `a` has
/// none.
fn depth(path: &Path) -> usize {
    let mut names = 0_usize;
    let mut parents = 0_usize;
    for component in path.components() {
        match component {
            Component::Normal(_) => names += 1,
            Component::ParentDir if names > 0 => names -= 1,
            Component::ParentDir if !path.has_root() => parents += 1,
            Component::ParentDir
            | Component::CurDir
            | Component::RootDir
            | Component::Prefix(_) => {}
        }
    }
    let parts = names + parents;
    if path.has_root() { parts.max(1) } else { parts.saturating_sub(1) }
}

/// Checks that the source of a mount propagates as its options require, and sets the propagation of
/// the container's root accordingly. The last option for propagation counts; `shared` and others
/// require nothing.
fn ensure_propagation(
    spec: &mut Spec,
    mount: &Mount,
    index: usize,
    callbacks: &mut Callbacks<'_>,
) -> Result<(), Error> {
    let last = mount
        .options
        .iter()
        .rev()
        .map(String::as_str)
        .find(|option| ["rprivate", "rshared", "rslave"].contains(option));
    let (option, accepted, names): (_, &[Propagation], _) = match last {
        Some("rshared") => ("rshared", &[Propagation::Shared], "shared"),
        Some("rslave") => {
            let accepted = &[Propagation::Shared, Propagation::Slave];
            ("rslave", accepted, "shared or slave")
        }
        Some(_) | None => return Ok(()),
    };
    let fail = |kind| Err(Error::new(format!("mounts[{index}].source"), kind));
    let source_path = PathBuf::from(&mount.source);
    match (callbacks.propagation)(&source_path) {
        Err(cause) => fail(ErrorKind::UnknownPropagation { source_path, cause }),
        Ok(found) if !accepted.contains(&found) => {
            fail(ErrorKind::WrongPropagation { source_path, option, found, accepted: names })
        }
        Ok(_) => {
            let linux = parts::linux(spec);
            let present = linux.rootfs_propagation().as_deref();
            if present != Some("rshared") && present != Some(option) {
                linux.set_rootfs_propagation(Some(option.to_owned()));
            }
            Ok(())
        }
    }
}

/// Returns the propagation of the mount that contains a path, in the mount namespace of this
/// process.
///
/// Symbolic links in the path are followed. If nothing exists at the path, its nearest ancestor
/// counts.
///
/// # Errors
///
/// Returns an error if the path is relative or cannot be opened, if /proc is not mounted, or if the
/// mount is not in the first 64 MiB of `/proc/self/mountinfo`.
pub fn mount_propagation(path: &Path) -> io::Result<Propagation> {
    if !path.is_absolute() {
        return Err(unknown_mount());
    }
    let mount = mount_id(&open(path)?)?;
    let table = File::open("/proc/self/mountinfo")?.take(LONGEST_TABLE);
    propagation_in(BufReader::new(table), &mount)
}

/// Opens the nearest ancestor of a path that exists, without access to its content.
fn open(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).custom_flags(libc::O_PATH);
    let is_absent = |error: &io::Error| error.kind() == IoErrorKind::NotFound;
    path.ancestors()
        .map(|ancestor| options.open(ancestor))
        .find(|opened| !opened.as_ref().is_err_and(is_absent))
        .unwrap_or_else(|| Err(unknown_mount()))
}

/// Returns the id of the mount that contains an open file: see `proc_pid_fdinfo(5)`.
fn mount_id(file: &File) -> io::Result<String> {
    let info = fs::read_to_string(format!("/proc/self/fdinfo/{}", file.as_raw_fd()))?;
    let id = info.lines().find_map(|line| line.strip_prefix("mnt_id:"));
    id.map(|id| id.trim().to_owned()).ok_or_else(unknown_mount)
}

/// Reads the propagation of a mount from the optional fields of its line, the seventh and later
/// ones: see `proc_pid_mountinfo(5)`.
fn propagation_in(table: impl BufRead, mount: &str) -> io::Result<Propagation> {
    for line in table.split(b'\n') {
        let line = line?;
        let mut fields = line.split(|byte| *byte == b' ');
        if fields.next() != Some(mount.as_bytes()) {
            continue;
        }
        let optional = fields.skip(5).take_while(|field| *field != b"-");
        let mut propagations = optional.filter_map(|field| {
            if field.starts_with(b"shared:") {
                Some(Propagation::Shared)
            } else {
                field.starts_with(b"master:").then_some(Propagation::Slave)
            }
        });
        return Ok(propagations.next().unwrap_or(Propagation::Private));
    }
    Err(unknown_mount())
}

fn unknown_mount() -> io::Error {
    io::Error::new(IoErrorKind::NotFound, "no mount holds the path")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::oci::{Generator, from_value, to_value};
    use nri::adjust::Adjustment;

    #[test]
    fn depth_is_that_of_the_shortest_path() {
        let none = ["", ".", "..", "a", "a/../.."];
        let flat = ["/", "/a", "/a/", "//a", "/a/../b/", "/../a", "/a/b/..", "/..", "a/b"];
        let deep = ["/a/./b", "../a/b", "../../a"];
        for (expected, paths) in [(0, &none[..]), (1, &flat[..]), (2, &deep[..])] {
            for path in paths {
                assert_eq!(depth(Path::new(path)), expected, "{path:?}");
            }
        }
    }

    #[test]
    fn the_propagation_is_that_of_the_mount_with_the_id() {
        let table = b"\
21 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw
2 21 0:5 / /proc rw - proc proc shared:9
23 21 8:2 / /mnt/data rw,noatime master:7 - ext4 /dev/sdb rw
24 21 8:3 / /mnt/both rw shared:9 master:1 - ext4 /dev/sdc rw
25 21 8:4 / /mnt/a\\040b rw propagate_from:2 - ext4 /dev/sdd rw
26
";
        for (mount, expected) in [
            ("21", Some(Propagation::Shared)),
            ("2", Some(Propagation::Private)),
            ("23", Some(Propagation::Slave)),
            ("24", Some(Propagation::Shared)),
            ("25", Some(Propagation::Private)),
            ("26", Some(Propagation::Private)),
            ("27", None),
        ] {
            let found = propagation_in(&table[..], mount);
            assert_eq!(found.ok(), expected, "{mount}");
        }
    }

    #[test]
    fn the_mounts_of_this_process_are_read() {
        let of = |path: &str| mount_propagation(Path::new(path)).unwrap();
        assert_eq!(of("/proc/absent/../~"), of("/proc"));
        let error = mount_propagation(Path::new("relative")).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::NotFound);
    }

    #[test]
    fn the_root_propagates_as_far_as_a_mount_needs() {
        use Propagation::{Private, Shared, Slave};
        for (before, options, found, expected) in [
            (json!(null), "rshared", Shared, Ok(json!("rshared"))),
            (json!("rslave"), "rshared", Shared, Ok(json!("rshared"))),
            (json!(null), "rslave", Slave, Ok(json!("rslave"))),
            (json!("private"), "rslave", Shared, Ok(json!("rslave"))),
            (json!("rshared"), "rslave", Shared, Ok(json!("rshared"))),
            (json!("private"), "rprivate", Private, Ok(json!("private"))),
            (json!(null), "shared", Private, Ok(json!(null))),
            (json!(null), "rprivate,rshared", Private, Err("rshared")),
            (json!(null), "rprivate,rshared", Slave, Err("rshared")),
            (json!(null), "rprivate,rslave", Private, Err("rslave")),
        ] {
            let mut spec = from_value(json!({"linux": {"rootfsPropagation": before}})).unwrap();
            let mount = options.split(',').fold(Mount::bind("/srv", "/srv"), Mount::option);
            let adjustment = Adjustment::new().mount(mount);
            let applied = Generator::new(&mut spec)
                .with_mount_propagation(move |path| {
                    assert_eq!(path, Path::new("/srv"));
                    Ok(found)
                })
                .apply(adjustment.container());
            match (applied, expected) {
                (Ok(()), Ok(expected)) => {
                    let after = to_value(&spec).unwrap();
                    assert_eq!(after["linux"]["rootfsPropagation"], expected, "{options}");
                }
                (Err(error), Err(option)) => {
                    assert_eq!(error.field(), "mounts[0].source");
                    assert!(error.to_string().contains(option), "{error}");
                }
                (applied, expected) => panic!("{options}: {applied:?}, not {expected:?}"),
            }
        }
    }
}
