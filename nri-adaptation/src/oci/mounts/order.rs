//! The order of mounts.

use std::path::{Component, Path};

use oci_spec::runtime::Mount;

/// Sorts mounts by the depth of their destination, then by the destination as text.
pub(super) fn sort(mounts: &mut [Mount]) {
    mounts.sort_by(|one, other| {
        let key = |mount: &Mount| depth(mount.destination());
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
