//! Arguments, commands and exit codes.

use std::fmt;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Args, Parser, Subcommand};
use nri_schema::{Error, History};

use xtask::book::{self, book};
use xtask::error::TaskError;
use xtask::generate::{self, Target};
use xtask::import::{self, Imported, Request};
use xtask::interfaces;
use xtask::refresh::{RefreshError, Refreshed, add, refresh};
use xtask::release::{self, Built, release};

/// Maintains this repository.
///
/// Exit codes: 0 done, 1 could not run, 2 usage, 100 --check found stale files.
#[derive(Debug, Parser)]
#[command(name = "xtask", bin_name = "cargo run -p xtask --", version)]
pub(crate) struct Cli {
    /// The repository [default: the one around the current directory].
    #[arg(long, global = true, value_name = "FOLDER")]
    root: Option<PathBuf>,
    #[command(subcommand)]
    command: Command,
}

/// A command with its arguments.
#[derive(Debug, Subcommand)]
enum Command {
    /// Writes every generated file that is stale.
    Generate(Check),
    /// Documents every crate, and writes the public interfaces to snapshots/api.
    Api(ApiArgs),
    Import(ImportArgs),
    Refresh(RefreshArgs),
    Book(BookArgs),
    Release(ReleaseArgs),
}

#[derive(Debug, Args)]
struct Check {
    /// Writes nothing, and lists the files that would change.
    #[arg(long)]
    check: bool,
}

#[derive(Debug, Args)]
struct ApiArgs {
    #[command(flatten)]
    check: Check,
    /// Only prints the public interface of the crate that rustdoc described in this file.
    #[arg(long, value_name = "JSON", conflicts_with = "check")]
    list: Option<PathBuf>,
    /// A configuration for cargo, with whose profiles the dependencies were compiled before.
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
}

/// Adds a release: stores its proto if it is a new protocol revision, records it in
/// protos/versions.toml and regenerates what depends on it.
#[derive(Debug, Args)]
struct ImportArgs {
    /// The api.proto of the release.
    proto: PathBuf,
    /// The version, such as v0.12.6.
    #[arg(long)]
    version: String,
    /// The day of the release, such as 2026-12-01.
    #[arg(long)]
    date: String,
}

/// Adds the newest releases of containerd and CRI-O to protos/runtimes.toml, as the go command
/// finds them, and regenerates what depends on it; or adds one release, without the network, from a
/// file of its sources.
#[derive(Debug, Args)]
struct RefreshArgs {
    /// The go.mod of the release of a runtime, or the file that protos/distributions.toml names for
    /// a distribution.
    #[arg(requires = "release", requires = "date")]
    file: Option<PathBuf>,
    /// The release, such as cri-o@v1.37.1 or k0s@v1.36.4+k0s.0.
    #[arg(long, requires = "file")]
    release: Option<String>,
    /// The day of the release, such as 2026-12-01.
    #[arg(long, requires = "file")]
    date: Option<String>,
}

/// Builds the book in docs, with the output of a given nri-compat.
#[derive(Debug, Args)]
struct BookArgs {
    /// The folder for the sources and the pages of the book.
    #[arg(long, value_name = "FOLDER")]
    out: PathBuf,
    /// The nri-compat that writes the outputs, with all features.
    #[arg(long, value_name = "NRI-COMPAT")]
    command: PathBuf,
}

/// Builds the artifacts of a release: archives, packages, the image, charts, SBOMs and their sums.
#[derive(Debug, Args)]
struct ReleaseArgs {
    /// The folder for the artifacts.
    #[arg(long, value_name = "FOLDER")]
    out: PathBuf,
    /// Builds for this processor alone.
    #[arg(long, value_parser = ["x86_64", "aarch64"])]
    only: Option<String>,
    /// A folder with programs that were built on other systems, which are packed as well:
    /// x86_64-macos/nri-compat, aarch64-macos/nri-compat, x86_64-windows/nri-compat.exe.
    #[arg(long, value_name = "FOLDER")]
    elsewhere: Option<PathBuf>,
}

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
    Usage(Error),
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
            Failure::Usage(error) => {
                write!(f, "error: {error:?}\n  help: see `cargo run -p xtask -- --help`")
            }
            Failure::Failed(error) | Failure::Refresh(RefreshError::Generate(error)) => {
                write!(f, "error: {error:?}")
            }
            Failure::Task(error) => write!(f, "error: {error}"),
            Failure::Refresh(RefreshError::Go(reason)) => write!(
                f,
                "error: no module of a runtime can be fetched: {reason}\n  help: `go list -m -versions github.com/containerd/containerd/v2` shows what is wrong; GOPROXY names the module proxies"
            ),
            Failure::Refresh(RefreshError::File(reason)) => write!(
                f,
                "error: {reason}\n  help: name the release by its tag, and the file of its sources that names what it carries"
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

/// Runs a command and prints what it did.
pub(crate) fn run(cli: Cli) -> Result<Exit, Failure> {
    let root = cli.root;
    match cli.command {
        Command::Generate(Check { check }) => return generate(check, root),
        Command::Api(args) => return api(&args, root),
        Command::Import(ImportArgs { proto, version, date }) => {
            let request = Request::new(proto, &version, &date).map_err(Failure::Usage)?;
            print_import(&import::import(&find_root(root)?, &request)?)
        }
        Command::Refresh(RefreshArgs { file, release, date }) => {
            let root = find_root(root)?;
            let refreshed = match (file, release, date) {
                (Some(file), Some(release), Some(date)) => add(&root, &release, &date, &file),
                _ => refresh(&root),
            };
            print_refresh(&refreshed.map_err(Failure::Refresh)?)
        }
        Command::Book(BookArgs { out, command }) => {
            let options = book::BookOptions { out, command };
            let pages = book(&find_root(root)?, &options).map_err(Failure::Task)?;
            println!("wrote {}", pages.display());
        }
        Command::Release(ReleaseArgs { out, only, elsewhere }) => {
            let options = release::Options { out, only, elsewhere };
            print_release(&release(&find_root(root)?, &options).map_err(Failure::Task)?)
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

fn api(args: &ApiArgs, root: Option<PathBuf>) -> Result<Exit, Failure> {
    if let Some(json) = &args.list {
        print!("{}", interfaces::list(json).map_err(Failure::Task)?);
        return Ok(Exit::Clean);
    }
    let root = find_root(root)?;
    let targets = interfaces::targets(&root, args.config.as_deref()).map_err(Failure::Task)?;
    write_or_list(args.check.check, &root, targets, "api")
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

fn print_release(built: &Built) {
    for path in &built.artifacts {
        println!("wrote {}", path.display());
    }
    for name in &built.left_out {
        println!("left out {name}: its program is not in the folder of --elsewhere");
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
