//! Parses the configuration of a plugin.

use std::fmt::Display;

use crate::api::ConfigureRequest;
use crate::{Error, ErrorKind, Result};

impl ConfigureRequest {
    /// Parses the configuration with a function such as `toml::from_str`, `serde_json::from_str` or
    /// `serde_yaml_ng::from_str`. An empty configuration, which external plugins get, yields the
    /// default.
    ///
    /// The runtime sends the content of `NN-name.conf` or `name.conf` from its drop-in directory, by default
    /// `/etc/nri/conf.d`.
    ///
    /// ```
    /// use nri::prelude::*;
    ///
    /// #[derive(Debug, Default, PartialEq, serde::Deserialize)]
    /// struct Settings {
    ///     verbose: bool,
    /// }
    ///
    /// # fn parse(cx: &Context, request: &ConfigureRequest) -> nri::Result<Settings> {
    /// // in the handler of Configure:
    /// let settings: Settings = request.parse(cx, serde_json::from_str)?;
    /// # Ok(settings)
    /// # }
    /// # let mut request = ConfigureRequest { config: r#"{"verbose": true}"#.into(), ..Default::default() };
    /// # assert!(parse(&Context::default(), &request)?.verbose);
    /// # request.config.clear();
    /// # assert!(!parse(&Context::default(), &request)?.verbose);
    /// # Ok::<(), nri::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::Config`] with the names of the file and the error of the parser, which
    /// includes the position in the file.
    pub fn parse<'c, T: Default, E: Display>(
        &'c self,
        cx: &crate::Context,
        parser: impl FnOnce(&'c str) -> Result<T, E>,
    ) -> Result<T> {
        if self.config.trim().is_empty() {
            return Ok(T::default());
        }
        parser(&self.config).map_err(|error| {
            let file = match cx.identity() {
                Some((index, name)) => format!("{index}-{name}.conf or {name}.conf"),
                None => "the plugin's configuration file".to_owned(),
            };
            let error = error.to_string();
            Error::with_kind(ErrorKind::Config, format!("{file}: {}", error.trim_end()))
                .with_help("fix the file in the runtime's NRI configuration directory, by default /etc/nri/conf.d")
        })
    }
}

#[cfg(test)]
mod tests {
    use crate::Context;

    use super::*;

    #[test]
    fn an_error_names_file_and_line() {
        let request = ConfigureRequest {
            config: "{\n  \"a\": x\n}".to_owned(),
            ..ConfigureRequest::default()
        };
        let parse = serde_json::from_str::<serde_json::Value>;
        let cx = Context::default().with_identity("logger", "10");
        let error = request.parse(&cx, parse).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Config);
        assert_eq!(
            error.to_string(),
            "10-logger.conf or logger.conf: expected value at line 2 column 8"
        );
    }
}
