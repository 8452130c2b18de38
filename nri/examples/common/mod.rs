//! Code that the examples share: flags, and logs on standard error.
#![allow(dead_code, reason = "each example uses a part")]

#[cfg(test)]
pub(crate) mod logged;

use std::path::PathBuf;

use lexopt::{Arg, Parser, ValueExt};
use nri::plugin::Plugin;
use nri::stub::{Builder, Stub};
use tracing::Level;

const FLAGS: &str = concat!(
    "      --socket PATH   connect to the runtime at this socket [default: /var/run/nri/nri.sock]\n",
    "      --name NAME     register with this name\n",
    "      --index NN      register with this index, two digits: plugins are called in its order\n",
    "      --verbose       log debug messages as well\n",
    "  -h, --help          print this help and exit",
);

/// The flags that every example takes.
#[derive(Clone, Default)]
pub(crate) struct Flags {
    socket: Option<PathBuf>,
    name: Option<String>,
    index: Option<String>,
    verbose: bool,
}

impl Flags {
    /// Reads the command line. `own` handles the flags that only this example has, which `help`
    /// describes on one line each. Returns `None` after printing the help text, if requested.
    pub(crate) fn parse(
        about: &str,
        help: &str,
        mut own: impl FnMut(&str, &mut Parser) -> Result<bool, lexopt::Error>,
    ) -> nri::Result<Option<Self>> {
        let mut flags = Self::default();
        let mut parser = Parser::from_env();
        while let Some(argument) = parser.next().map_err(usage)? {
            let name = match argument {
                Arg::Short('h') | Arg::Long("help") => {
                    println!("{about}\n\nFlags, all optional:\n{help}{FLAGS}");
                    return Ok(None);
                }
                Arg::Long(name) => name.to_owned(),
                other => return Err(usage(other.unexpected())),
            };
            if !flags.take(&name, &mut parser).map_err(usage)?
                && !own(&name, &mut parser).map_err(usage)?
            {
                return Err(usage(Arg::Long(&name).unexpected()));
            }
        }
        Ok(Some(flags))
    }

    fn take(&mut self, name: &str, parser: &mut Parser) -> Result<bool, lexopt::Error> {
        match name {
            "socket" => self.socket = Some(parser.value()?.into()),
            "name" => self.name = Some(parser.value()?.string()?),
            "index" => self.index = Some(parser.value()?.string()?),
            "verbose" => self.verbose = true,
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Runs the plugin until it is stopped.
    pub(crate) async fn run<P: Plugin>(self, plugin: P) -> nri::Result<()> {
        self.log();
        self.stub(plugin).run().await
    }

    /// Starts to log.
    pub(crate) fn log(&self) {
        log(if self.verbose {
            Level::DEBUG
        } else {
            Level::INFO
        });
    }

    /// Returns the plugin with the settings of the flags. Without any, it runs as a runtime
    /// launches it.
    pub(crate) fn stub<P: Plugin>(self, plugin: P) -> Builder<P> {
        let mut builder = Stub::builder(plugin);
        if let Some(socket) = self.socket {
            builder = builder.socket(socket);
        }
        if let Some(name) = self.name {
            builder = builder.name(name);
        }
        if let Some(index) = self.index {
            builder = builder.index(index);
        }
        builder
    }
}

/// Runs a plugin without additional flags.
pub(crate) async fn run<P: Plugin>(about: &str, plugin: P) -> nri::Result<()> {
    match Flags::parse(about, "", |_, _| Ok(false))? {
        Some(flags) => flags.run(plugin).await,
        None => Ok(()),
    }
}

/// Returns an error in a flag.
pub(crate) fn usage(error: lexopt::Error) -> nri::Error {
    nri::Error::with_kind(nri::ErrorKind::Config, error.to_string())
        .with_help("--help lists the flags")
}

/// Prints logs of this and more severe levels to standard error. The standard error of a plugin
/// that is launched by a runtime is discarded: such a plugin logs to a file or journald, see
/// `nri::logging`.
pub(crate) fn log(level: Level) {
    tracing_subscriber::fmt()
        .with_max_level(level)
        .with_writer(std::io::stderr)
        .init();
}
