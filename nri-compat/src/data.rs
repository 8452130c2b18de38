//! The tables behind every command: the built-in ones, or those of a folder.
//!
//! Runtimes release patches every month. A folder with the files of `protos/` replaces the built-in
//! tables without a new build. It is validated in the same way.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use jiff::civil::Date;
use nri_schema::history::History;

use crate::configuration::ConfigurationTable;
use crate::error::{Error, ErrorKind};
use crate::text_file;

/// The environment variable that names a folder of tables.
pub(crate) const VARIABLE: &str = "NRI_COMPAT_DATA";

/// The folder named on the command line.
static FOLDER: OnceLock<PathBuf> = OnceLock::new();

/// Sets the folder whose tables this process uses. Must be called before any table is read; only
/// the first call has an effect.
pub(crate) fn set_folder(folder: &Path) {
    FOLDER.get_or_init(|| folder.to_path_buf());
}

/// Returns the folder that replaces the built-in tables, as set by [`set_folder`] or else by the
/// environment variable [`VARIABLE`]; `None` if the built-in tables are used.
pub(crate) fn folder() -> Option<PathBuf> {
    let variable = || std::env::var_os(VARIABLE).filter(|folder| !folder.is_empty());
    FOLDER.get().cloned().or_else(|| variable().map(PathBuf::from))
}

/// Returns the tables, which are read once per process.
///
/// # Errors
///
/// Returns an error if the folder lacks a file, a table is malformed, or an entry matches nothing.
pub(crate) fn history() -> Result<&'static History, Error> {
    static HISTORY: OnceLock<History> = OnceLock::new();
    if let Some(history) = HISTORY.get() {
        return Ok(history);
    }
    let history = match folder() {
        Some(folder) => {
            let history = History::read(&folder)?;
            // The tests check the built-in ones.
            history.check()?;
            history
        }
        None => History::embedded()?,
    };
    Ok(HISTORY.get_or_init(|| history))
}

/// The table of settings in a folder of tables.
const CONFIGURATION: &str = "configuration.toml";

/// Its maximum size in bytes.
const MAX_TABLE: u64 = 4 << 20;

/// Returns the settings of runtimes for NRI, which are read once per process. A folder without that
/// table is one from before it.
///
/// # Errors
///
/// Returns an error if the table cannot be read or is malformed.
pub(crate) fn configuration() -> Result<&'static ConfigurationTable, Error> {
    static TABLE: OnceLock<ConfigurationTable> = OnceLock::new();
    if let Some(table) = TABLE.get() {
        return Ok(table);
    }
    let file = folder().map(|folder| folder.join(CONFIGURATION));
    let table = match file.filter(|file| file.exists()) {
        Some(file) => {
            let text = text_file::read(&file, MAX_TABLE, ErrorKind::Input)?;
            ConfigurationTable::parse(&text, &crate::escape::path(&file))?
        }
        None => ConfigurationTable::embedded()?,
    };
    Ok(TABLE.get_or_init(|| table))
}

/// Returns a line with the date of the newest release in the tables, and its age on `today`.
///
/// # Errors
///
/// Returns the errors of [`history`].
pub(crate) fn age(today: Date) -> Result<String, Error> {
    let date = history()?.date();
    let from = match folder() {
        Some(folder) => crate::escape::path(&folder).to_string(),
        None => "built in".to_owned(),
    };
    let days = date.parse::<Date>().and_then(|date| date.until(today));
    Ok(match days {
        Ok(days) => format!("data of {date}, {} days old ({from})\n", days.get_days()),
        Err(_) => format!("data of {date} ({from})\n"),
    })
}
