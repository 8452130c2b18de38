//! The argument and the answer of the handler of Configure.

use std::fmt::Display;
use std::str::FromStr;

use crate::api::{ConfigureRequest, ConfigureResponse, EventMask};
use crate::{Error, ErrorKind, EventContext, Result};

/// The configuration that the runtime has for a plugin: the content of `NN-name.conf` or
/// `name.conf` from its drop-in directory, by default `/etc/nri/conf.d`. External plugins get an
/// empty one.
///
/// ```
/// use nri::prelude::*;
///
/// #[derive(Debug, Default, PartialEq, serde::Deserialize)]
/// struct Settings {
///     verbose: bool,
/// }
///
/// let config = Config::new(r#"{"verbose": true}"#);
/// let settings: Settings = config.parse_with(serde_json::from_str)?;
/// assert!(settings.verbose);
/// assert_eq!(Config::new("250").parse::<u64>()?, 250);
/// # Ok::<(), nri::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Config {
    text: String,
    /// The names that the file may have.
    file: String,
}

impl Config {
    /// Creates a configuration with this content, for unit tests.
    pub fn new(text: impl Into<String>) -> Self {
        Config { text: text.into(), file: "the plugin's configuration file".to_owned() }
    }

    /// Returns the configuration of a request.
    pub(crate) fn of(request: ConfigureRequest, cx: &EventContext) -> Self {
        let config = Config::new(request.config);
        match cx.identity() {
            Some(identity) => {
                Config { file: format!("{identity}.conf or {}.conf", identity.name), ..config }
            }
            None => config,
        }
    }

    /// Returns the content.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns true if there is no configuration, or only white space.
    pub fn is_empty(&self) -> bool {
        self.text.trim().is_empty()
    }

    /// Parses the configuration. An empty one yields the default.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`parse_with`](Self::parse_with).
    pub fn parse<T: Default + FromStr<Err: Display>>(&self) -> Result<T> {
        self.parse_with(str::parse)
    }

    /// Parses the configuration with a function such as `toml::from_str`, `serde_json::from_str` or
    /// `serde_yaml_ng::from_str`. An empty one yields the default.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::Config`] with the names of the file and the error of the parser, which
    /// includes the position in the file.
    pub fn parse_with<'c, T: Default, E: Display>(
        &'c self,
        parser: impl FnOnce(&'c str) -> Result<T, E>,
    ) -> Result<T> {
        if self.is_empty() {
            return Ok(T::default());
        }
        parser(&self.text).map_err(|error| {
            let error = error.to_string();
            Error::with_kind(ErrorKind::Config, format!("{}: {}", self.file, error.trim_end()))
                .with_help("fix the file in the runtime's NRI configuration directory, by default /etc/nri/conf.d")
        })
    }
}

/// The answer to Configure: the events that the plugin subscribes to. The stub removes those that
/// the runtime does not know.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Subscription {
    /// All events that have a handler.
    #[default]
    Handled,
    /// Only these of them. An empty mask stands for all events that have a handler, as it does in
    /// the protocol, and [`EventMask::POD`] and [`EventMask::CONTAINER`] for those of the group: a
    /// later version of this crate adds events to them.
    Only(EventMask),
}

impl From<Subscription> for ConfigureResponse {
    fn from(subscription: Subscription) -> Self {
        let events = match subscription {
            Subscription::Handled => EventMask::EMPTY,
            Subscription::Only(events) => events,
        };
        ConfigureResponse { events: events.bits(), failure_policy: None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_names_file_and_line() {
        let request = ConfigureRequest {
            config: "{\n  \"a\": x\n}".to_owned(),
            ..ConfigureRequest::default()
        };
        let cx = EventContext::default().with_identity("10-logger".parse().unwrap());
        let parse = serde_json::from_str::<serde_json::Value>;
        let error = Config::of(request, &cx).parse_with(parse).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Config);
        assert_eq!(
            error.to_string(),
            "10-logger.conf or logger.conf: expected value at line 2 column 8"
        );
    }

    #[test]
    fn an_empty_configuration_is_the_default() {
        assert_eq!(Config::new(" \n").parse::<u64>().unwrap(), 0);
        assert!(Config::new("x").parse::<u64>().is_err());
    }
}
