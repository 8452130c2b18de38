//! Paths with `/`, of files, images and modules.

/// Returns the last part of a path: all of it after the last `/`.
pub(crate) fn last_part(path: &str) -> &str {
    path.rsplit_once('/').map_or(path, |(_, last)| last)
}
