//! Determines which import paths are packages of NRI, in its own module or in a copy.

use super::super::nri_module::{self, MODULE, Package};

/// Returns true if the path is that of a stub.
pub(super) fn is_stub(path: &str) -> bool {
    package(path) == Some(Package::Stub)
}

/// Returns the package of NRI, or of a fork or copy, with this import path. Copies keep the layout
/// `pkg/stub` and `pkg/api`, whatever their name.
pub(super) fn package(path: &str) -> Option<Package> {
    let copied = || match path.rsplit_once("/pkg/") {
        Some((_, "stub")) => Some(Package::Stub),
        Some((_, "api")) => Some(Package::Api),
        _ => None,
    };
    nri_module::package(path).or_else(copied)
}

/// Reports whether the path is that of NRI's package, by the name of its module.
pub(super) fn is_by_name(path: &str) -> bool {
    nri_module::package(path).is_some()
}

/// Returns true if the package belongs to NRI's own module.
pub(super) fn is_own(path: &str) -> bool {
    path.strip_prefix(MODULE)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// The packages of Go's standard library that a program can import, as `go list std` prints them for Go 1.26. Those of a
/// later release count as packages that are not at hand.
const STANDARD: &str = include_str!("standard.txt");

/// Returns true if the path is that of a package of the standard library, whose types handle no event.
pub(super) fn is_standard(path: &str) -> bool {
    STANDARD.lines().any(|package| package == path)
}
