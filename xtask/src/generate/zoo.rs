//! The page about published plugins.

use std::path::PathBuf;

use nri_schema::{Error, ErrorKind, History, Problem};

use super::Target;
use crate::zoo::{Zoo, page};

const PAGE: &str = "nri-compat/PLUGINS.md";

pub(super) fn targets(_: &History) -> Result<Vec<Target>, Error> {
    let zoo = Zoo::read().map_err(|error| {
        let message = format!("tests/zoo.toml: {error}");
        Error::from(Problem::new(ErrorKind::Table, message))
    })?;
    Ok(vec![(PathBuf::from(PAGE), page(&zoo).into_bytes())])
}
