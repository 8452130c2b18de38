//! Arguments of commands that are not paths.

use std::path::Path;

/// The argument that means standard input.
pub(crate) const STDIN: &str = "-";

/// The place of standard input in reports.
pub(crate) const STDIN_PLACE: &str = "<stdin>";

/// The prefix of references to images.
pub(crate) const IMAGE_SCHEME: &str = "docker://";

/// Returns true if the argument stands for standard input.
pub(crate) fn is_stdin(path: &Path) -> bool {
    path == Path::new(STDIN)
}
