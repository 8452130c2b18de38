//! Where the log goes.

use std::os::fd::AsFd;

use nri::logging::{self, Target};
use tracing::Level;

use crate::flags::Mode;

/// Logs to standard error, as `RUST_LOG` says, or to journald if a runtime launched this process
/// and discards its output.
pub fn log(mode: &Mode) {
    let is_lost = matches!(mode, Mode::Launched) && is_discarded(std::io::stderr());
    // Where there is no journald, nothing can be logged.
    if !is_lost || logging::init(Level::INFO, Target::Journald).is_err() {
        logging::from_env();
    }
}

/// Returns true if everything that is written to a file is discarded.
fn is_discarded(file: impl AsFd) -> bool {
    let (file, null) = (rustix::fs::fstat(file), rustix::fs::stat("/dev/null"));
    // Only devices have a number other than 0.
    file.is_ok_and(|file| file.st_rdev != 0 && null.is_ok_and(|null| null.st_rdev == file.st_rdev))
}

#[cfg(test)]
mod tests {
    use std::fs::OpenOptions;

    use super::*;

    #[test]
    fn only_the_output_to_the_null_device_is_discarded() {
        let null = OpenOptions::new().write(true).open("/dev/null").expect("it exists");
        assert!(is_discarded(null));
        assert!(!is_discarded(tempfile::tempfile().expect("a file")));
        assert!(!is_discarded(std::io::pipe().expect("a pipe").1));
    }
}
