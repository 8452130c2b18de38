//! Reads a history from tables in TOML.

mod deprecations;
mod distributions;
mod releases;
mod runtimes;
mod table;

use std::path::Path;

use super::{History, Tables};
use crate::error::Error;

impl History {
    /// Reads a history from the text of its tables.
    ///
    /// # Errors
    ///
    /// Returns an error if a table is malformed, or a release names a revision without a proto.
    pub fn from_tables(tables: Tables) -> Result<History, Error> {
        let versions = releases::read(&tables.versions)?;
        let deprecations = deprecations::read(&tables.deprecations)?;
        let runtimes = runtimes::read(&tables.runtimes)?;
        let distributions = distributions::read(&tables.distributions)?;
        History::new(versions, runtimes, distributions, deprecations, tables)
    }

    /// Reads the history in `folder`, which has the layout of the package `nri-protos`.
    ///
    /// # Errors
    ///
    /// Returns an error if a file cannot be read or a table is malformed.
    pub fn read(folder: &Path) -> Result<History, Error> {
        History::from_tables(Tables::read(folder)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_embedded_values_are_those_of_the_tables() {
        let (embedded, read) =
            (History::embedded().unwrap(), History::from_tables(Tables::embedded()).unwrap());
        assert_eq!(embedded.releases(), read.releases());
        assert_eq!(embedded.one_shot(), read.one_shot());
        assert_eq!(embedded.module(), read.module());
        assert_eq!(embedded.wasm_since(), read.wasm_since());
        assert_eq!(embedded.runtimes(), read.runtimes());
        assert_eq!(embedded.distributions(), read.distributions());
        let mut deprecations = read.deprecations().to_vec();
        for deprecation in &mut deprecations {
            deprecation.place = 0..0;
        }
        assert_eq!(embedded.deprecations(), deprecations);
    }
}
