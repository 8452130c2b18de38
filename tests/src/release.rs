//! The artifacts of a release, which tests use in place of what the repository has if `NRI_RELEASE`
//! names their folder: `.ci/release.sh` does that.

use std::env;
use std::path::{Path, PathBuf};

/// Returns the path of an artifact of the release to test, by the parts of its name before and
/// after the version. Returns `None` if no release is tested.
///
/// # Panics
///
/// Panics if the release does not have the artifact.
#[must_use]
pub fn artifact(name: &str, extension: &str) -> Option<PathBuf> {
    let folder = env::var_os("NRI_RELEASE")?;
    let file = format!("{name}-{}{extension}", env!("CARGO_PKG_VERSION"));
    let path = Path::new(&folder).join(file);
    assert!(path.exists(), "{} is missing", path.display());
    Some(path)
}

/// Returns the path of a Helm chart: its package, or its folder in `deploy`.
///
/// # Panics
///
/// Panics like [`artifact`].
#[must_use]
pub fn chart(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../deploy/helm");
    artifact(name, ".tgz").unwrap_or_else(|| folder.join(name))
}
