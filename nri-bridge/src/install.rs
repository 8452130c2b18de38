//! Copies the program out of an image that has nothing else that could.

use std::fs::{self, Permissions};
use std::io;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use crate::error::{Error, ErrorKind};

/// The path of the program of this process.
const PROGRAM: &str = "/proc/self/exe";

/// Copies this program to a path, whose folder exists. A file that is there is replaced in one
/// step, even if it runs.
///
/// # Errors
///
/// Returns an error if the file cannot be written.
pub fn install(to: &Path) -> Result<(), Error> {
    copy(Path::new(PROGRAM), to).map_err(|error| {
        let failed = Error::of_path(ErrorKind::Io, "cannot write", to, error);
        failed.with_help("name a file in a folder that exists and that this user may write to")
    })
}

fn copy(program: &Path, to: &Path) -> io::Result<()> {
    let mut new = to.as_os_str().to_owned();
    new.push(".new");
    let new = Path::new(&new);
    fs::copy(program, new)?;
    fs::set_permissions(new, Permissions::from_mode(0o755))?;
    fs::rename(new, to)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_program_replaces_what_is_there() {
        let folder = tempfile::tempdir().expect("a folder");
        let to = folder.path().join("nri-bridge");
        fs::write(&to, "an older one").expect("written");
        install(&to).expect("it is copied");
        let own = fs::metadata(PROGRAM).expect("this program").len();
        let copied = fs::metadata(&to).expect("the copy");
        assert_eq!((copied.len(), copied.permissions().mode() & 0o777), (own, 0o755));
        assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 1);
        let error = install(&folder.path().join("missing/nri-bridge")).expect_err("no folder");
        assert!(error.help().is_some_and(|help| help.contains("folder that exists")), "{error}");
    }
}
