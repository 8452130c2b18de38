//! The command line.

use std::ffi::OsString;
use std::path::PathBuf;

use lexopt::{Arg, Parser, ValueExt as _};
use nri::PluginId;
use nri::stub::DEFAULT_SOCKET;

use crate::child::Program;
use crate::error::{Error, ErrorKind};
use crate::modes::{Listening, Relaunch, Wrapping};
use crate::relay::Options;

/// The text that `--help` prints.
pub const HELP: &str = "Runs an NRI plugin that nobody can rebuild under runtimes without StateChange.

Usage:
  nri-bridge [OPTIONS] -- PROGRAM [ARGUMENTS]   start the plugin, and connect to the runtime
  nri-bridge [OPTIONS] --listen PATH            relay for plugins that connect to this socket
  NN-name                                       launched by a runtime, for the plugin NN-name.bridge/NN-name
  nri-bridge --install PATH                     copy this program to PATH, out of its image

Options:
      --socket PATH     connect to the runtime at this socket [default: /var/run/nri/nri.sock]
      --name NAME       the name that the plugin finds in its environment
      --index NN        the index that the plugin finds in its environment, two digits
      --relaunch WHEN   start a plugin that ended again: never or on-failure [default: never]
      --listen PATH     create this socket, for plugins that connect by themselves
      --speak VERSION   name this NRI version to the plugin, such as v0.11.0, in place of the runtime's
      --http ADDRESS    serve /healthz, /readyz and /metrics at this address
      --install PATH    copy this program to this file, and end
  -h, --help            print this
  -V, --version         print the version

RUST_LOG is a level: error, warn, info, debug, trace or off.
";

/// The task of the command.
#[derive(Debug)]
pub enum Mode {
    /// Print this text.
    Print(String),
    /// Copy this program to a file.
    Install(PathBuf),
    /// Run as a plugin that a runtime launched.
    Launched,
    /// Start the plugin.
    Wrap(Wrapping),
    /// Wait for plugins.
    Listen(Listening),
}

/// The command line.
#[derive(Debug)]
pub struct Flags {
    /// The task.
    pub mode: Mode,
    /// The changes to make in messages.
    pub options: Options,
    /// The address for probes and metrics.
    pub http: Option<String>,
}

/// The options as they were given.
#[derive(Debug, Default)]
struct Given {
    socket: Option<PathBuf>,
    name: Option<String>,
    index: Option<String>,
    relaunch: Option<Relaunch>,
    listen: Option<PathBuf>,
    speak: Option<String>,
    http: Option<String>,
    install: Option<PathBuf>,
    program: Vec<OsString>,
}

impl Flags {
    /// Parses the arguments after the name of the program.
    ///
    /// # Errors
    ///
    /// Returns an error that names the argument and what to write instead.
    pub fn parse(arguments: impl IntoIterator<Item = OsString>) -> Result<Self, Error> {
        let mut given = Given::default();
        let printed =
            given.read(Parser::from_args(arguments)).map_err(|error| invalid(error.to_string()))?;
        let options = Options { speak: given.speak.take() };
        let http = given.http.take();
        let mode = match printed {
            Some(text) => Mode::Print(text),
            None => given.mode()?,
        };
        Ok(Self { mode, options, http })
    }
}

impl Given {
    /// Reads the arguments; returns the text to print if one of them asks for it.
    fn read(&mut self, mut parser: Parser) -> Result<Option<String>, lexopt::Error> {
        while let Some(argument) = parser.next()? {
            match argument {
                Arg::Long("socket") => self.socket = Some(parser.value()?.into()),
                Arg::Long("name") => self.name = Some(parser.value()?.string()?),
                Arg::Long("index") => self.index = Some(parser.value()?.string()?),
                Arg::Long("relaunch") => {
                    self.relaunch = Some(parser.value()?.parse_with(relaunch)?);
                }
                Arg::Long("listen") => self.listen = Some(parser.value()?.into()),
                Arg::Long("speak") => self.speak = Some(parser.value()?.string()?),
                Arg::Long("http") => self.http = Some(parser.value()?.string()?),
                Arg::Long("install") => self.install = Some(parser.value()?.into()),
                Arg::Short('h') | Arg::Long("help") => return Ok(Some(HELP.to_owned())),
                Arg::Short('V') | Arg::Long("version") => {
                    return Ok(Some(format!("nri-bridge {}\n", env!("CARGO_PKG_VERSION"))));
                }
                Arg::Value(program) => {
                    self.program.push(program);
                    self.program.extend(parser.raw_args()?);
                }
                Arg::Short(_) | Arg::Long(_) => return Err(argument.unexpected()),
            }
        }
        Ok(None)
    }

    fn mode(mut self) -> Result<Mode, Error> {
        if let Some(to) = self.install.take() {
            return self.install(to);
        }
        let id = self.id()?;
        let socket = self.socket.clone().unwrap_or_else(|| DEFAULT_SOCKET.into());
        let mut program = self.program.into_iter();
        match (program.next(), self.listen) {
            (Some(_), Some(_)) => Err(invalid("a program and --listen exclude each other")),
            (Some(path), None) => Ok(Mode::Wrap(Wrapping {
                socket,
                program: Program { path: path.into(), arguments: program.collect(), id },
                relaunch: self.relaunch.unwrap_or_default(),
            })),
            (None, _) if id.is_some() || self.relaunch.is_some() => {
                Err(invalid("--name, --index and --relaunch need a program: `-- PROGRAM`"))
            }
            (None, Some(plugins)) => Ok(Mode::Listen(Listening { runtime: socket, plugins })),
            (None, None) if self.socket.is_some() => {
                Err(invalid("--socket needs a program or --listen"))
            }
            (None, None) => Ok(Mode::Launched),
        }
    }

    /// Copies the program, if nothing else is asked for.
    fn install(self, to: PathBuf) -> Result<Mode, Error> {
        match (self.program.first(), self.listen) {
            (None, None) => Ok(Mode::Install(to)),
            (Some(_), _) | (None, Some(_)) => {
                Err(invalid("--install excludes a program and --listen"))
            }
        }
    }

    /// Returns the index and name, which belong together.
    fn id(&self) -> Result<Option<PluginId>, Error> {
        match (&self.index, &self.name) {
            (None, None) => Ok(None),
            (Some(index), Some(name)) => {
                let id = PluginId::new(index, name);
                id.map(Some).map_err(|error| {
                    Error::new(ErrorKind::Config, error.to_string()).with_help(error.help())
                })
            }
            (Some(_), None) => Err(invalid("--index needs --name")),
            (None, Some(_)) => Err(invalid("--name needs --index")),
        }
    }
}

fn relaunch(text: &str) -> Result<Relaunch, &'static str> {
    match text {
        "never" => Ok(Relaunch::Never),
        "on-failure" => Ok(Relaunch::OnFailure),
        _ => Err("write never or on-failure"),
    }
}

fn invalid(message: impl Into<String>) -> Error {
    Error::new(ErrorKind::Config, message).with_help("see nri-bridge --help")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> Result<Flags, Error> {
        Flags::parse(line.split_whitespace().map(OsString::from))
    }

    #[test]
    fn each_way_to_run_has_its_arguments() {
        assert!(matches!(parse("").expect("launched").mode, Mode::Launched));
        assert!(matches!(
            parse("--listen /a --socket /b").expect("listening").mode,
            Mode::Listen(_)
        ));
        let line = "--name old --index 10 --relaunch on-failure --speak v0.11.0 -- /old --name x";
        let flags = parse(line).expect("a wrapper");
        let Mode::Wrap(wrapping) = flags.mode else { panic!("{:?}", flags.mode) };
        assert_eq!(wrapping.program.arguments, ["--name", "x"]);
        assert_eq!(wrapping.program.id.expect("it has one").to_string(), "10-old");
        assert_eq!(wrapping.relaunch, Relaunch::OnFailure);
        assert_eq!(flags.options.speak.as_deref(), Some("v0.11.0"));
        assert!(matches!(parse("--install /a").expect("a file").mode, Mode::Install(_)));
        assert!(matches!(parse("--help").expect("a text").mode, Mode::Print(_)));
    }

    #[test]
    fn mistakes_are_named() {
        for (line, words) in [
            ("--listen /a -- /old", "exclude each other"),
            ("--install /a -- /old", "excludes a program"),
            ("--name a", "--name needs --index"),
            ("--name a --index 100 -- /old", "index"),
            ("--relaunch always -- /old", "never or on-failure"),
            ("--relaunch never", "need a program"),
            ("--socket /a", "needs a program"),
            ("--sokket /a", "--sokket"),
        ] {
            let error = parse(line).expect_err(line);
            assert!(error.to_string().contains(words), "{line}: {error}");
            assert!(error.help().is_some(), "{line}");
        }
    }
}
