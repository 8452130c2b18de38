//! Panics in readers: the file is skipped, and the scan goes on.
//!
//! Where panics unwind, they are caught. The programs of a release abort instead, because they are
//! smaller without the code for unwinding: they start again, and leave out the file that was being
//! read.

use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::Command;
use std::sync::LazyLock;

use crate::check::content::File;
use crate::check::evidence::{Reader, Unreadable};
use crate::sighting::Sighting;
use crate::skipped::SkipKind;
use crate::system;

/// The variable with the readers and places that the process before this one could not read, one on
/// each line.
const VARIABLE: &str = "NRI_COMPAT_DEFECTS";

static DEFECTS: LazyLock<String> = LazyLock::new(|| std::env::var(VARIABLE).unwrap_or_default());

thread_local! {
    /// The reader that works on this thread, and the place that it reads: a line of the variable.
    static READING: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// Calls a reader. A panic in it, or in a library that it uses, must not end the scan.
pub(in crate::check) fn guarded(
    reader: &dyn Reader,
    file: &File<'_>,
) -> Result<Vec<Sighting>, Unreadable> {
    let defect = || {
        let reason = format!("defect in the reader `{}`: it panicked", reader.name());
        Err(Unreadable::new(SkipKind::Defect, reason))
    };
    let reading = format!("{} {}", reader.name(), file.place);
    if DEFECTS.lines().any(|line| line == reading) {
        return defect();
    }
    READING.set(Some(reading));
    let read = catch_unwind(AssertUnwindSafe(|| reader.read(file)));
    READING.take();
    read.unwrap_or_else(|_| defect())
}

/// Makes a process that cannot unwind start again after a panic in a reader.
pub(crate) fn start_again_after_panics() {
    if cfg!(panic = "abort") {
        let show = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            show(panic);
            if let Some(reading) = READING.take() {
                start_again(&format!("{}{reading}\n", *DEFECTS));
            }
        }));
    }
}

/// Replaces this process by one with the same arguments, which leaves out these defects. Returns if
/// that fails.
fn start_again(defects: &str) {
    let program = std::env::current_exe().unwrap_or_default();
    let mut again = Command::new(program);
    system::replace_process(again.args(std::env::args_os().skip(1)).env(VARIABLE, defects));
}
