//! Mounts: removal, replacement, propagation and order.

mod propagation;

use std::ffi::OsStr;
use std::path::{Component, Path};

use oci_spec::runtime::{Mount as OciMount, Spec};

use crate::oci::callbacks::Callbacks;
use crate::oci::error::Error;
use crate::oci::parts::{filled, some};
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
    if path.has_root() {
        parts.max(1)
    } else {
        parts.saturating_sub(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn depth_is_that_of_the_shortest_path() {
        let depths = [
            ("/", 1),
            ("/a", 1),
            ("/a/", 1),
            ("//a", 1),
            ("/a/../b/", 1),
            ("/../a", 1),
            ("/a/./b", 2),
            ("/a/b/..", 1),
            ("/..", 1),
            ("", 0),
            (".", 0),
            ("..", 0),
            ("a", 0),
            ("a/b", 1),
            ("../a/b", 2),
            ("../../a", 2),
            ("a/../..", 0),
        ];
        for (path, expected) in depths {
            assert_eq!(depth(Path::new(path)), expected, "{path:?}");
        }
    }
}
