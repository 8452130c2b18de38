//! The name and index of the plugin, and their sources.

use std::ffi::OsStr;
use std::path::Path;

use crate::{Error, ErrorKind, PluginId, Result};

/// The environment variable with the name, set by a runtime that launches a plugin, or by the user
/// of an external one.
const NAME_VARIABLE: &str = "NRI_PLUGIN_NAME";
/// The environment variable with the index, set in the same way.
const INDEX_VARIABLE: &str = "NRI_PLUGIN_IDX";

/// The name and index from one source.
#[derive(Clone, Debug, Default)]
pub(crate) struct PartialIdentity {
    pub(crate) name: Option<String>,
    pub(crate) index: Option<String>,
}

impl PartialIdentity {
    /// Returns the name and index from the environment. An empty variable, as manifests often have,
    /// is unset.
    pub(crate) fn by_environment() -> Self {
        let value = |name| std::env::var(name).ok().filter(|value| !value.is_empty());
        PartialIdentity { name: value(NAME_VARIABLE), index: value(INDEX_VARIABLE) }
    }

    /// Returns the name and index from the file name of the program, if that is `NN-name`.
    pub(crate) fn by_program() -> Self {
        std::env::args_os().next().map(|program| Self::by_file(&program)).unwrap_or_default()
    }

    fn by_file(program: &OsStr) -> Self {
        let file = Path::new(program).file_name().and_then(OsStr::to_str);
        match file.map(str::parse::<PluginId>) {
            Some(Ok(id)) => PartialIdentity { name: Some(id.name), index: Some(id.index) },
            Some(Err(_)) | None => Self::default(),
        }
    }

    /// Returns the parts of this source, with those of the other one for missing parts.
    pub(crate) fn or(self, other: Self) -> Self {
        PartialIdentity { name: self.name.or(other.name), index: self.index.or(other.index) }
    }

    /// Returns the identity, checked like in a runtime.
    pub(crate) fn check(self) -> Result<PluginId> {
        let name = self.name.ok_or_else(|| missing("name"))?;
        let index = self.index.ok_or_else(|| missing("index"))?;
        PluginId::new(&index, &name)
            .map_err(|invalid| config(invalid.to_string()).with_help(invalid.help()))
    }
}

fn missing(what: &str) -> Error {
    config(format!("the plugin has no {what}")).with_help(format!(
        "write {what} = \"…\" in #[nri::plugin(…)] or #[nri(…)], call Builder::{what}, or name the executable NN-name, such \
         as 10-logger"
    ))
}

fn config(message: String) -> Error {
    Error::with_kind(ErrorKind::Config, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn given(name: &str, index: &str) -> PartialIdentity {
        PartialIdentity { name: Some(name.to_owned()), index: Some(index.to_owned()) }
    }

    #[test]
    fn is_read_from_the_name_of_the_file() {
        let by = |program: &str| {
            PartialIdentity::by_file(OsStr::new(program)).check().map(|it| it.to_string()).ok()
        };
        assert_eq!(
            by("/opt/nri/plugins/10-device-injector").as_deref(),
            Some("10-device-injector")
        );
        for other in ["logger", "1-logger", "100-logger", "10-", "10-a b", "", "/"] {
            assert_eq!(by(other), None, "{other:?}");
        }
    }

    #[test]
    fn each_part_comes_from_the_first_that_gives_it() {
        let name = PartialIdentity { name: Some("a".to_owned()), index: None };
        assert_eq!(name.or(given("b", "20")).check().unwrap().to_string(), "20-a");
    }

    #[test]
    fn is_checked_as_the_runtime_does() {
        assert!(given("A_z.0+-", "00").check().is_ok());
        for (name, index) in
            [("", "10"), ("a/b", "10"), ("ä", "10"), ("a", "1"), ("a", "1x"), ("a", "１０")]
        {
            let error = given(name, index).check().unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Config, "{name:?} {index:?}");
            assert!(error.help().is_some());
        }
        assert_eq!(
            PartialIdentity::default().check().unwrap_err().to_string(),
            "the plugin has no name"
        );
    }
}
