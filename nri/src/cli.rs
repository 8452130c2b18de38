//! The flags that most plugins have. Needs the feature `cli`.
//!
//! | flag | meaning |
//! | --- | --- |
//! | `--socket PATH` | connect to the runtime at this socket |
//! | `--name NAME` | register with this name |
//! | `--index NN` | register with this index |
//! | `--config FILE` | read the configuration from this file; only with [`Cli::with_config`] |
//! | `--http ADDRESS` | serve `/healthz`, `/readyz` and `/metrics` at this address; only with the feature `http` |
//! | `--verbose` | log debug messages as well |
//! | `--help` | print the flags |
//!
//! Without any flag, the plugin runs as a runtime launches it.
//!
//! ```no_run
//! # use nri::prelude::*;
//! # #[derive(NriPlugin)]
//! # #[nri(name = "pod-logger", index = "10")]
//! # struct PodLogger;
//! # impl RunPodSandbox for PodLogger {
//! #     async fn run_pod_sandbox(&self, _: &EventContext, _: PodSandbox) -> nri::Result<()> { Ok(()) }
//! # }
//! fn main() -> nri::Result<()> {
//!     nri::cli::run("An NRI plugin that logs pods.", PodLogger)
//! }
//! ```
//!
//! A plugin with flags of its own reads them with [`lexopt`], a parser of one file without
//! dependencies:
//!
//! ```no_run
//! # use nri::prelude::*;
//! # #[derive(NriPlugin)]
//! # #[nri(name = "pod-logger", index = "10")]
//! # struct PodLogger { prefix: String }
//! # impl RunPodSandbox for PodLogger {
//! #     async fn run_pod_sandbox(&self, _: &EventContext, _: PodSandbox) -> nri::Result<()> { Ok(()) }
//! # }
//! use nri::cli::Cli;
//! use nri::cli::lexopt::ValueExt;
//!
//! fn main() -> nri::Result<()> {
//!     let mut prefix = String::new();
//!     let cli = Cli::new("An NRI plugin that logs pods.");
//!     let cli = cli.with_help("      --prefix TEXT   start each line with this text\n");
//!     let flags = cli.parse_with(|name, parser| {
//!         if name == "prefix" {
//!             prefix = parser.value()?.string()?;
//!         }
//!         Ok(name == "prefix")
//!     })?;
//!     match flags {
//!         Some(flags) => nri::block_on(flags.run(PodLogger { prefix })),
//!         None => Ok(()), // --help
//!     }
//! }
//! ```

#[cfg(test)]
mod tests;

use std::ffi::OsString;
use std::fmt::Display;
use std::path::{Path, PathBuf};

use lexopt::{Arg, Parser, ValueExt};

use crate::logging::{self, Target};
use crate::plugin::Plugin;
use crate::reload::{self, ConfigWatch};
use crate::stub::{Builder, Stub};
use crate::{Error, ErrorKind, Result};

/// The parser that [`Cli::parse_with`] passes to the plugin.
pub use lexopt;

const SHARED: &str =
    "      --socket PATH   connect to the runtime at this socket [default: /var/run/nri/nri.sock]
      --name NAME     register with this name
      --index NN      register with this index, two digits: plugins are called in its order
";
const CONFIG: &str = "      --config FILE   read the configuration from this file\n";
#[cfg(feature = "http")]
const HTTP: &str = "      --http ADDRESS  serve /healthz, /readyz and /metrics at this address, such as 127.0.0.1:9090\n";
#[cfg(not(feature = "http"))]
const HTTP: &str = "";
const LAST: &str = "      --verbose       log debug messages as well
  -h, --help          print this help";

/// Runs a plugin that has no flags of its own until it is stopped. `about` is the first line of the
/// help.
///
/// # Errors
///
/// Returns the errors of [`Cli::parse`], [`Flags::run`] and [`block_on`](crate::block_on).
pub fn run<P: Plugin>(about: &str, plugin: P) -> Result<()> {
    match Cli::new(about).parse()? {
        Some(flags) => crate::block_on(flags.run(plugin)),
        None => Ok(()),
    }
}

/// The command line of a plugin.
#[derive(Clone, Debug)]
pub struct Cli<'a> {
    about: &'a str,
    help: &'a str,
    takes_config: bool,
}

/// The values of the flags.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Flags {
    socket: Option<PathBuf>,
    name: Option<String>,
    index: Option<String>,
    config: Option<PathBuf>,
    http: Option<String>,
    verbose: bool,
}

impl<'a> Cli<'a> {
    /// Returns the command line of a plugin. `about` is the first line of the help.
    pub fn new(about: &'a str) -> Self {
        Cli { about, help: "", takes_config: false }
    }

    /// Adds the help of the plugin's own flags, one or more lines for each, each with its line
    /// break.
    #[must_use]
    pub fn with_help(mut self, help: &'a str) -> Self {
        self.help = help;
        self
    }

    /// Accepts `--config FILE`, which the plugin reads with [`Flags::read_config`] or
    /// [`Flags::watch_config`].
    #[must_use]
    pub fn with_config(mut self) -> Self {
        self.takes_config = true;
        self
    }

    /// Parses the command line of the program. Returns `None` after printing the help, if
    /// requested.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::Config`] if a flag is unknown or its value is missing or invalid.
    pub fn parse(&self) -> Result<Option<Flags>> {
        self.parse_with(|_, _| Ok(false))
    }

    /// Parses the command line of the program. `own` gets the name of each flag that is not listed
    /// above and the parser for its value, and returns false if the flag is unknown.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`parse`](Self::parse), and those of `own`.
    pub fn parse_with(
        &self,
        own: impl FnMut(&str, &mut Parser) -> std::result::Result<bool, lexopt::Error>,
    ) -> Result<Option<Flags>> {
        let parsed = self.parse_from(std::env::args_os().skip(1), own)?;
        if parsed.is_none() {
            println!("{}", self.text());
        }
        Ok(parsed)
    }

    fn text(&self) -> String {
        let config = if self.takes_config { CONFIG } else { "" };
        let (about, help) = (self.about, self.help);
        format!("{about}\n\nFlags, all optional:\n{help}{SHARED}{config}{HTTP}{LAST}")
    }

    fn parse_from(
        &self,
        arguments: impl IntoIterator<Item = OsString>,
        mut own: impl FnMut(&str, &mut Parser) -> std::result::Result<bool, lexopt::Error>,
    ) -> Result<Option<Flags>> {
        let mut flags = Flags::default();
        let mut parser = Parser::from_args(arguments);
        while let Some(argument) = parser.next().map_err(usage)? {
            let name = match argument {
                Arg::Short('h') | Arg::Long("help") => return Ok(None),
                Arg::Long(name) => name.to_owned(),
                other => return Err(usage(other.unexpected())),
            };
            let is_shared = self.take(&name, &mut flags, &mut parser).map_err(usage)?;
            if !is_shared && !own(&name, &mut parser).map_err(usage)? {
                return Err(usage(Arg::Long(&name).unexpected()));
            }
        }
        Ok(Some(flags))
    }

    fn take(
        &self,
        name: &str,
        flags: &mut Flags,
        parser: &mut Parser,
    ) -> std::result::Result<bool, lexopt::Error> {
        match name {
            "socket" => flags.socket = Some(parser.value()?.into()),
            "name" => flags.name = Some(parser.value()?.string()?),
            "index" => flags.index = Some(parser.value()?.string()?),
            "config" if self.takes_config => flags.config = Some(parser.value()?.into()),
            "http" if cfg!(feature = "http") => flags.http = Some(parser.value()?.string()?),
            "verbose" => flags.verbose = true,
            _ => return Ok(false),
        }
        Ok(true)
    }
}

impl Flags {
    /// Returns the file of `--config`.
    pub fn config(&self) -> Option<&Path> {
        self.config.as_deref()
    }

    /// Reads the file of `--config`; `None` without the flag.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::Config`] if the file cannot be read.
    pub fn read_config(&self) -> Result<Option<String>> {
        let Some(path) = self.config() else {
            return Ok(None);
        };
        reload::read(path).map(Some)
    }

    /// Reads the file of `--config` with this function, such as `|text| toml::from_str(text)`, and
    /// again when it changes. Without the flag, returns the default, which never changes.
    ///
    /// ```no_run
    /// # use nri::prelude::*;
    /// use nri::cli::Cli;
    /// use nri::reload::ConfigWatch;
    ///
    /// #[derive(NriPlugin)]
    /// #[nri(name = "shares", index = "10")]
    /// struct Shares {
    ///     shares: ConfigWatch<u64>,
    /// }
    ///
    /// impl CreateContainer for Shares {
    ///     async fn create_container(&self, _: &EventContext, _: PodSandbox, _: Container) -> nri::Result<Adjustment> {
    ///         Ok(Adjustment::new().cpu_shares(*self.shares.get()))
    ///     }
    /// }
    ///
    /// fn main() -> nri::Result<()> {
    ///     let cli = Cli::new("An NRI plugin that sets CPU shares.").with_config();
    ///     let Some(flags) = cli.parse()? else { return Ok(()) };
    ///     nri::block_on(async {
    ///         let shares = flags.watch_config(str::parse)?;
    ///         flags.run(Shares { shares }).await
    ///     })
    /// }
    /// ```
    ///
    /// # Errors
    ///
    /// Returns the errors of [`ConfigWatch::of_file`], such as outside of a tokio runtime.
    ///
    /// # Panics
    ///
    /// Panics where [`ConfigWatch::of_file`] does.
    pub fn watch_config<T: Default + Send + Sync + 'static, E: Display>(
        &self,
        parser: impl Fn(&str) -> std::result::Result<T, E> + Send + 'static,
    ) -> Result<ConfigWatch<T>> {
        match self.config() {
            Some(path) => ConfigWatch::of_file(path, parser),
            None => Ok(T::default().into()),
        }
    }

    /// Starts to log to standard error, unless the program has installed a `tracing` subscriber:
    /// debug messages with `--verbose`, else as [`logging::from_env`] does. [`run`](Self::run) does
    /// this first.
    pub fn log(&self) {
        let installed =
            self.verbose && logging::init(tracing::Level::DEBUG, Target::Stderr).is_ok();
        if !installed {
            logging::from_env();
        }
    }

    /// Returns the settings of the plugin with the values of the flags, except for `--http`.
    pub fn builder<P: Plugin>(&self, plugin: P) -> Builder<P> {
        let mut builder = Stub::builder(plugin);
        if let Some(socket) = &self.socket {
            builder = builder.socket(socket);
        }
        if let Some(name) = &self.name {
            builder = builder.name(name);
        }
        if let Some(index) = &self.index {
            builder = builder.index(index);
        }
        builder
    }

    /// Logs, serves health and metrics if `--http` is given, and runs the plugin until it is
    /// stopped.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`Builder::build`] and [`Stub::run`], and an error if the address of
    /// `--http` cannot be bound.
    pub async fn run<P: Plugin>(self, plugin: P) -> Result<()> {
        self.run_with(plugin, |stub| stub).await
    }

    /// Does the same as [`run`](Self::run), with more settings:
    /// `flags.run_with(plugin, |stub| stub.store(store))`.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`run`](Self::run).
    pub async fn run_with<P: Plugin>(
        self,
        plugin: P,
        settings: impl FnOnce(Builder<P>) -> Builder<P>,
    ) -> Result<()> {
        self.log();
        let stub = settings(self.builder(plugin)).build()?;
        #[cfg(feature = "http")]
        if let Some(address) = self.http {
            let endpoint = crate::http::Endpoint::bind(address).await?;
            tokio::spawn(endpoint.serve(stub.status(), stub.metrics()));
        }
        stub.run().await
    }
}

fn usage(error: lexopt::Error) -> Error {
    Error::with_kind(ErrorKind::Config, error.to_string()).with_help("--help lists the flags")
}
