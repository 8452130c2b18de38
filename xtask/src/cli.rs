//! Arguments, commands and exit codes.

use std::ffi::OsString;
use std::fmt;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use lexopt::prelude::*;
use nri_schema::{Error, History};

use xtask::book::{self, book};
use xtask::error::TaskError;
use xtask::generate::{self, Target};
use xtask::import::{self, Imported, Request};
use xtask::interfaces;
use xtask::refresh::{RefreshError, Refreshed, refresh};
use xtask::release::{self, release};

const HELP: &str = "maintains this repository

usage:
  cargo run -p xtask -- generate [--check] [--root FOLDER]
      writes every generated file that is stale; with --check only lists them
  cargo run -p xtask -- api [--check] [--root FOLDER]
      documents every crate, and writes the public interfaces to snapshots/api; with --check only
      lists those that changed
  cargo run -p xtask -- import PROTO --version v0.12.6 --date 2026-12-01 [--root FOLDER]
      adds a release: stores its proto if it is a new protocol revision,
      records it in protos/versions.toml and regenerates what depends on it
  cargo run -p xtask -- refresh [--root FOLDER]
      adds the newest releases of containerd and CRI-O to protos/runtimes.toml, as the go command
      finds them, and regenerates what depends on it
  cargo run -p xtask -- book --out FOLDER --command NRI-COMPAT [--root FOLDER]
      builds the book in docs, with the output of this nri-compat, below the folder
  cargo run -p xtask -- release --out FOLDER [--only x86_64|aarch64] [--root FOLDER]
      builds the artifacts of a release: archives, packages, the image, charts, SBOMs and their sums
  cargo run -p xtask -- --help | --version

--root: the repository; by default the one around the current directory

exit codes: 0 done, 1 could not run, 2 usage, 100 --check found stale files
";

/// The exit code of the process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    /// The command succeeded.
    Clean = 0,
    /// The command failed.
    Failed = 1,
    /// The arguments are not valid.
    Usage = 2,
    /// `--check` found stale files.
    Stale = 100,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        ExitCode::from(exit as u8)
    }
}

/// The reason why a command did not run.
#[derive(Debug)]
pub(crate) enum Failure {
    Usage(String),
    Failed(Error),
    NoRoot(PathBuf),
    Refresh(RefreshError),
    Task(TaskError),
}

impl Failure {
    pub(crate) fn exit(&self) -> Exit {
        match self {
            Failure::Usage(_) => Exit::Usage,
            Failure::Failed(_) | Failure::NoRoot(_) | Failure::Refresh(_) | Failure::Task(_) => {
                Exit::Failed
            }
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Usage(fact) => {
                write!(f, "error: {fact}\n  help: see `cargo run -p xtask -- --help`")
            }
            Failure::Failed(error) | Failure::Refresh(RefreshError::Generate(error)) => {
                write!(f, "error: {error:?}")
            }
            Failure::Task(error) => write!(f, "error: {error}"),
            Failure::Refresh(RefreshError::Go(reason)) => write!(
                f,
                "error: no module of a runtime can be fetched: {reason}\n  help: `go list -m -versions github.com/containerd/containerd/v2` shows what is wrong; GOPROXY names the module proxies"
            ),
            Failure::NoRoot(from) => write!(
                f,
                "error: no folder at or above `{}` has protos/versions.toml\n  help: name the repository with --root",
                from.display()
            ),
        }
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Failure::Failed(error)
    }
}

impl From<lexopt::Error> for Failure {
    fn from(error: lexopt::Error) -> Self {
        Failure::Usage(error.to_string())
    }
}

/// A command with its arguments.
#[derive(Debug)]
pub(crate) enum Command {
    Help,
    Version,
    Generate { check: bool, root: Option<PathBuf> },
    Api { check: bool, root: Option<PathBuf> },
    Refresh { root: Option<PathBuf> },
    Book { options: book::Options, root: Option<PathBuf> },
    Release { options: release::Options, root: Option<PathBuf> },
    Import { request: Request, root: Option<PathBuf> },
}

/// Parses the arguments; the first is the name of the program.
pub(crate) fn parse(arguments: impl IntoIterator<Item = OsString>) -> Result<Command, Failure> {
    let mut parser = lexopt::Parser::from_iter(arguments);
    match parser.next()? {
        None => Err(Failure::Usage("no command".to_owned())),
        Some(Short('h') | Long("help")) => Ok(Command::Help),
        Some(Short('V') | Long("version")) => Ok(Command::Version),
        Some(Value(command)) if command == "generate" => {
            parse_generated(parser, |check, root| Command::Generate { check, root })
        }
        Some(Value(command)) if command == "api" => {
            parse_generated(parser, |check, root| Command::Api { check, root })
        }
        Some(Value(command)) if command == "import" => parse_import(parser),
        Some(Value(command)) if command == "refresh" => parse_refresh(parser),
        Some(Value(command)) if command == "book" => parse_book(parser),
        Some(Value(command)) if command == "release" => parse_release(parser),
        Some(Value(command)) => {
            Err(Failure::Usage(format!("unknown command `{}`", command.to_string_lossy())))
        }
        Some(other) => Err(other.unexpected().into()),
    }
}

fn parse_generated(
    mut parser: lexopt::Parser,
    command: fn(bool, Option<PathBuf>) -> Command,
) -> Result<Command, Failure> {
    let (mut check, mut root) = (false, None);
    while let Some(argument) = parser.next()? {
        match argument {
            Long("check") => check = true,
            Long("root") => root = Some(parser.value()?.into()),
            Short('h') | Long("help") => return Ok(Command::Help),
            other => return Err(other.unexpected().into()),
        }
    }
    Ok(command(check, root))
}

fn parse_refresh(mut parser: lexopt::Parser) -> Result<Command, Failure> {
    let mut root = None;
    while let Some(argument) = parser.next()? {
        match argument {
            Long("root") => root = Some(parser.value()?.into()),
            Short('h') | Long("help") => return Ok(Command::Help),
            other => return Err(other.unexpected().into()),
        }
    }
    Ok(Command::Refresh { root })
}

fn parse_book(mut parser: lexopt::Parser) -> Result<Command, Failure> {
    let (mut out, mut command, mut root) = (None, None, None);
    while let Some(argument) = parser.next()? {
        match argument {
            Long("out") => out = Some(parser.value()?.into()),
            Long("command") => command = Some(parser.value()?.into()),
            Long("root") => root = Some(parser.value()?.into()),
            Short('h') | Long("help") => return Ok(Command::Help),
            other => return Err(other.unexpected().into()),
        }
    }
    let missing = |what: &str| Failure::Usage(format!("{what} is missing"));
    let out = out.ok_or_else(|| missing("--out"))?;
    let command = command.ok_or_else(|| missing("--command"))?;
    let options = book::Options { out, command };
    Ok(Command::Book { options, root })
}

fn parse_release(mut parser: lexopt::Parser) -> Result<Command, Failure> {
    let (mut out, mut only, mut root) = (None, None, None);
    while let Some(argument) = parser.next()? {
        match argument {
            Long("out") => out = Some(parser.value()?.into()),
            Long("only") => only = Some(parser.value()?.string()?),
            Long("root") => root = Some(parser.value()?.into()),
            Short('h') | Long("help") => return Ok(Command::Help),
            other => return Err(other.unexpected().into()),
        }
    }
    let out = out.ok_or_else(|| Failure::Usage("--out is missing".to_owned()))?;
    let options = release::Options { out, only };
    Ok(Command::Release { options, root })
}

fn parse_import(mut parser: lexopt::Parser) -> Result<Command, Failure> {
    let (mut path, mut version, mut date, mut root) = (None, None, None, None);
    while let Some(argument) = parser.next()? {
        match argument {
            Value(value) if path.is_none() => path = Some(PathBuf::from(value)),
            Long("version") => version = Some(parser.value()?.string()?),
            Long("date") => date = Some(parser.value()?.string()?),
            Long("root") => root = Some(parser.value()?.into()),
            Short('h') | Long("help") => return Ok(Command::Help),
            other => return Err(other.unexpected().into()),
        }
    }
    let missing = |what: &str| Failure::Usage(format!("{what} is missing"));
    let path = path.ok_or_else(|| missing("the path of the proto"))?;
    let version = version.ok_or_else(|| missing("--version"))?;
    let date = date.ok_or_else(|| missing("--date"))?;
    match Request::new(path, &version, &date) {
        Ok(request) => Ok(Command::Import { request, root }),
        Err(error) => Err(Failure::Usage(format!("{error:?}"))),
    }
}

/// Runs a command and prints what it did.
pub(crate) fn run(command: Command) -> Result<Exit, Failure> {
    match command {
        Command::Help => print!("{HELP}"),
        Command::Version => println!("xtask {}", env!("CARGO_PKG_VERSION")),
        Command::Generate { check, root } => return generate(check, root),
        Command::Api { check, root } => return api(check, root),
        Command::Refresh { root } => {
            print_refresh(&refresh(&find_root(root)?).map_err(Failure::Refresh)?)
        }
        Command::Book { options, root } => {
            let pages = book(&find_root(root)?, &options).map_err(Failure::Task)?;
            println!("wrote {}", pages.display());
        }
        Command::Release { options, root } => {
            print_release(&release(&find_root(root)?, &options).map_err(Failure::Task)?)
        }
        Command::Import { request, root } => {
            print_import(&import::import(&find_root(root)?, &request)?)
        }
    }
    Ok(Exit::Clean)
}

fn generate(check: bool, root: Option<PathBuf>) -> Result<Exit, Failure> {
    let root = find_root(root)?;
    let history = History::read(&root.join("protos"))?;
    let targets = generate::targets(&root, &history)?;
    write_or_list(check, &root, targets, "generate")
}

fn api(check: bool, root: Option<PathBuf>) -> Result<Exit, Failure> {
    let root = find_root(root)?;
    let targets = interfaces::targets(&root).map_err(Failure::Task)?;
    write_or_list(check, &root, targets, "api")
}

/// Writes what is stale, or only lists it.
fn write_or_list(
    check: bool,
    root: &Path,
    targets: Vec<Target>,
    command: &str,
) -> Result<Exit, Failure> {
    let (stale, verb) = if check {
        (generate::differing(root, &targets), "stale")
    } else {
        (generate::update(root, targets)?, "wrote")
    };
    for path in &stale {
        println!("{verb} {}", path.display());
    }
    if check && !stale.is_empty() {
        eprintln!("  help: review and commit what `cargo run -p xtask -- {command}` writes");
        return Ok(Exit::Stale);
    }
    Ok(Exit::Clean)
}

fn print_refresh(refreshed: &Refreshed) {
    for added in &refreshed.added {
        println!("{added}");
    }
    for left_out in &refreshed.left_out {
        println!("{left_out}");
    }
    if refreshed.added.is_empty() {
        println!("no new releases to add");
    }
    for path in &refreshed.written {
        println!("wrote {}", path.display());
    }
}

fn print_release(written: &[PathBuf]) {
    for path in written {
        println!("wrote {}", path.display());
    }
}

fn print_import(imported: &Imported) {
    let Imported { release, revision, is_new, before } = imported;
    if !is_new {
        println!(
            "{release} carries revision {revision}: the proto differs only in comments, if at all"
        );
        return;
    }
    println!("{release} is a new revision");
    if let Some(before) = before {
        println!("  see what it changes: cargo run -p nri-compat -- diff {before} {release}");
    }
}

/// Returns the given folder, or the nearest ancestor with the tables.
fn find_root(given: Option<PathBuf>) -> Result<PathBuf, Failure> {
    let from = given.clone().or_else(|| std::env::current_dir().ok()).unwrap_or_default();
    let holds = |folder: &&Path| folder.join("protos/versions.toml").is_file();
    let found = match given {
        Some(_) => Some(from.as_path()).filter(holds),
        None => from.ancestors().find(holds),
    };
    found.map(Path::to_path_buf).ok_or(Failure::NoRoot(from))
}
