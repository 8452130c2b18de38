//! Mount propagation: later mounts on the host reach the container only if the mount that contains
//! the source propagates.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read};
use std::os::unix::ffi::OsStringExt;
use std::path::{Component, Path, PathBuf};

use oci_spec::runtime::Spec;

use crate::oci::callbacks::Callbacks;
use crate::oci::error::{Error, ErrorKind, Propagation};
use crate::oci::parts;
use nri::api::Mount;

/// The maximum size of the mount table in bytes. 100,000 mounts take about 20 MB.
const LONGEST_TABLE: u64 = 64 << 20;

/// Returns the propagation of the mount that contains a path, in the mount namespace of this
/// process.
///
/// Symbolic links in the path are not followed.
///
/// # Errors
///
/// Returns an error if `/proc/self/mountinfo` cannot be read or is larger than 64 MiB, or if no mount contains the
/// path, for example because it is relative.
pub fn mount_propagation(path: &Path) -> io::Result<Propagation> {
    let mut table = Vec::new();
    File::open("/proc/self/mountinfo")?
        .take(LONGEST_TABLE + 1)
        .read_to_end(&mut table)?;
    if table.len() as u64 > LONGEST_TABLE {
        return Err(io::Error::other(
            "the table of mounts is longer than 64 MiB",
        ));
    }
    find(&table, path).ok_or_else(|| {
        let message = "no mount holds the path";
        io::Error::new(io::ErrorKind::NotFound, message)
    })
}

/// Checks that the source of a mount propagates as its options require, and sets the propagation of
/// the container's root accordingly. The last option for propagation counts; `shared` and others require nothing.
pub(super) fn ensure(
    spec: &mut Spec,
    mount: &Mount,
    index: usize,
    callbacks: &mut Callbacks<'_>,
) -> Result<(), Error> {
    let mut options = mount.options.iter().rev().map(String::as_str);
    let option = options.find(|option| ["rprivate", "rshared", "rslave"].contains(option));
    let (option, accepted, names): (_, &[Propagation], _) = match option {
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
        Ok(found) if !accepted.contains(&found) => fail(ErrorKind::WrongPropagation {
            source_path,
            option,
            found,
            accepted: names,
        }),
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

/// Returns the propagation of the mount that contains a path: the deepest one, and the last
/// (topmost) of several at the same place.
fn find(table: &[u8], path: &Path) -> Option<Propagation> {
    let path = without_detours(path);
    let lines = table.split(|byte| *byte == b'\n');
    let holding = lines
        .filter_map(parse)
        .filter(|(place, _)| path.starts_with(place));
    let deepest = holding.max_by_key(|(place, _)| place.components().count());
    deepest.map(|(_, propagation)| propagation)
}

/// Reads the mount point, which is the fifth field, and the propagation from the optional fields:
/// see `proc_pid_mountinfo(5)`.
fn parse(line: &[u8]) -> Option<(PathBuf, Propagation)> {
    let mut fields = line.split(|byte| *byte == b' ');
    let place = unescape(fields.nth(4)?);
    let optional = fields.skip(1).take_while(|field| field != b"-");
    let mut propagations = optional.filter_map(|field| {
        if field.starts_with(b"shared:") {
            Some(Propagation::Shared)
        } else {
            field.starts_with(b"master:").then_some(Propagation::Slave)
        }
    });
    let propagation = propagations.next().unwrap_or(Propagation::Private);
    Some((PathBuf::from(OsString::from_vec(place)), propagation))
}

/// Replaces octal escapes such as `\040` for a space.
fn unescape(field: &[u8]) -> Vec<u8> {
    let mut text = Vec::with_capacity(field.len());
    let mut rest = field;
    while let Some((byte, after)) = rest.split_first() {
        let escaped = after.split_first_chunk::<3>().and_then(|(digits, after)| {
            let digits = std::str::from_utf8(digits).ok()?;
            Some((u8::from_str_radix(digits, 8).ok()?, after))
        });
        match escaped {
            Some((escaped, after)) if *byte == b'\\' => {
                text.push(escaped);
                rest = after;
            }
            Some(_) | None => {
                text.push(*byte);
                rest = after;
            }
        }
    }
    text
}

fn without_detours(path: &Path) -> PathBuf {
    let mut clean = PathBuf::new();
    for component in path.components() {
        match component {
            Component::ParentDir => {
                clean.pop();
            }
            Component::CurDir => {}
            Component::Normal(_) | Component::RootDir | Component::Prefix(_) => {
                clean.push(component);
            }
        }
    }
    clean
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;
    use crate::oci::{Generator, from_value, to_value};
    use nri::adjust::Adjustment;

    const TABLE: &[u8] = b"\
21 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw
22 21 0:5 / /proc rw - proc proc rw
23 21 8:2 / /mnt/data rw,noatime master:7 - ext4 /dev/sdb rw
24 21 8:3 / /mnt/data/both rw shared:9 master:1 - ext4 /dev/sdc rw
25 21 8:4 / /mnt/with\\040space rw propagate_from:2 - ext4 /dev/sdd rw
26 21 8:5 / /mnt/over rw shared:3 - ext4 /dev/sde rw
27 26 8:6 / /mnt/over rw - ext4 /dev/sdf rw
28 21 8:7 / /mnt/source rw - ext4 shared:1 rw
broken line
";

    #[test]
    fn the_deepest_mount_on_top_counts() {
        let cases = [
            ("/", Some(Propagation::Shared)),
            ("/home/../srv", Some(Propagation::Shared)),
            ("/proc/1", Some(Propagation::Private)),
            ("/mnt/data", Some(Propagation::Slave)),
            ("/mnt/data/x/", Some(Propagation::Slave)),
            ("/mnt/data2", Some(Propagation::Shared)),
            ("/mnt/data/both/x", Some(Propagation::Shared)),
            ("/mnt/data/both/../x", Some(Propagation::Slave)),
            ("/mnt/with space/x", Some(Propagation::Private)),
            ("/mnt/over/x", Some(Propagation::Private)),
            ("/mnt/source", Some(Propagation::Private)),
            ("relative", None),
            ("", None),
        ];
        for (path, expected) in cases {
            assert_eq!(find(TABLE, Path::new(path)), expected, "{path:?}");
        }
    }

    #[test]
    fn the_mounts_of_this_process_are_read() {
        assert!(mount_propagation(Path::new("/proc/self")).is_ok());
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
            let mount = options
                .split(',')
                .fold(Mount::bind("/srv", "/srv"), Mount::option);
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

    proptest! {
        #[test]
        fn any_table_can_be_read(table in prop::collection::vec(any::<u8>(), 0..200), path in ".*") {
            find(&table, Path::new(&path));
        }

        #[test]
        fn escapes_are_undone(name in prop::collection::vec(any::<u8>(), 0..20)) {
            let escaped: Vec<u8> = name.iter().flat_map(|byte| match byte {
                b' ' | b'\t' | b'\n' | b'\\' => format!("\\{byte:03o}").into_bytes(),
                other => vec![*other],
            }).collect();
            prop_assert_eq!(unescape(&escaped), name);
        }
    }
}
