//! Mounts: removal, replacement, propagation and order.

mod order;
mod propagation;

use std::ffi::OsStr;

use oci_spec::runtime::{Mount as OciMount, Spec};

use crate::oci::callbacks::Callbacks;
use crate::oci::error::Error;
use crate::oci::names::{filled, some};
use nri::adjust::marker;
use nri::api::Mount;

pub use propagation::mount_propagation;

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
    for destination in asked
        .iter()
        .filter_map(|it| marker::removed(&it.destination))
    {
        remove(&mut mounts, destination);
    }
    for (index, mount) in asked.iter().enumerate() {
        if marker::removed(&mount.destination).is_none() {
            propagation::ensure(spec, mount, index, callbacks)?;
            remove(&mut mounts, &mount.destination);
            mounts.push(convert(mount));
        }
    }
    order::sort(&mut mounts);
    spec.set_mounts(Some(mounts));
    Ok(())
}

/// Removes the mounts with exactly this destination. Paths are compared as text, not by component.
fn remove(mounts: &mut Vec<OciMount>, destination: &str) {
    mounts.retain(|mount| mount.destination().as_os_str() != OsStr::new(destination));
}

fn convert(asked: &Mount) -> OciMount {
    let Mount {
        destination,
        r#type,
        source,
        options,
    } = asked;
    let mut mount = OciMount::default();
    mount
        .set_destination(destination.into())
        .set_typ(filled(r#type))
        .set_source(filled(source))
        .set_options(some(options.clone()));
    mount
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use crate::oci::fixtures::{applied, spec};
    use nri::adjust::Adjustment;
    use nri::api::Mount;

    fn destinations(after: &Value) -> Vec<&str> {
        let mounts = after["mounts"].as_array().unwrap().iter();
        mounts
            .map(|mount| mount["destination"].as_str().unwrap())
            .collect()
    }

    #[test]
    fn mounts_are_removed_replaced_added_and_sorted() {
        let before = spec(json!({"mounts": [
            {"destination": "/sys/fs/cgroup", "type": "cgroup"},
            {"destination": "/b"},
            {"destination": "/proc", "type": "proc"},
            {"destination": "/b", "type": "on top"},
            {"destination": "/gone"},
            {"destination": "/gone"},
        ]}));
        let adjustment = Adjustment::new()
            .mount(Mount::bind("/srv", "/b").read_only())
            .mount(Mount::bind("/x", "/a/b/c"))
            .mount(Mount::bind("/y", "/a"))
            .remove_mount("/gone")
            .remove_mount("/absent");
        let after = applied(before, &adjustment).unwrap();
        assert_eq!(
            destinations(&after),
            ["/a", "/b", "/proc", "/a/b/c", "/sys/fs/cgroup"]
        );
        assert_eq!(
            after["mounts"][1],
            json!({"destination": "/b", "type": "bind", "source": "/srv", "options": ["rbind", "ro"]})
        );
    }

    #[test]
    fn a_spec_without_mount_adjustments_keeps_its_order() {
        let before = spec(json!({"mounts": [{"destination": "/z/z"}, {"destination": "/a"}]}));
        let after = applied(before, &Adjustment::new()).unwrap();
        assert_eq!(destinations(&after), ["/z/z", "/a"]);
    }

    #[test]
    fn a_mount_that_is_removed_and_added_is_added() {
        let adjustment = Adjustment::new()
            .mount(Mount::bind("/x", "/a"))
            .remove_mount("/a");
        let after = applied(spec(json!({})), &adjustment).unwrap();
        assert_eq!(destinations(&after), ["/a"]);
    }
}
