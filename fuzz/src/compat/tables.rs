//! Reads any text as one of the tables of `--data`, the others being built in: a history or an
//! error, never a panic.

use nri_schema::history::{History, Tables};

/// Runs the target once.
pub(crate) fn run(input: (u8, String)) {
    let (which, text) = input;
    let mut tables = Tables::embedded();
    let table = match which % 3 {
        0 => &mut tables.versions,
        1 => &mut tables.runtimes,
        _ => &mut tables.deprecations,
    };
    *table = text.into();
    if let Ok(history) = History::from_tables(tables) {
        let _ = history.runtimes();
        let _ = history.date();
        let _ = history.check();
    }
}
