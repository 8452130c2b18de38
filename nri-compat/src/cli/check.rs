//! `nri-compat check PATH...`.

use std::path::{Path, PathBuf};

use super::{answer, images, output, progress, targets};
use crate::check::assess::assess;
use crate::check::collect::{Request, collect};
use crate::check::evidence::READERS;
use crate::error::{Error, ErrorKind};
use crate::exit::Exit;

/// Finds plugins that still use deprecated interfaces, or would not run, with the evidence.
///
/// Files are recognised by content: plugins (Go, Rust, WebAssembly), images, sources, logs, the
/// configuration of a runtime. Nothing is executed.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Files, folders, and images in registries (`docker://REFERENCE`); `-` for standard input [default: what the runtimes configured on this
    /// machine use, else their default folders].
    paths: Vec<PathBuf>,
    /// Check the executables of running processes.
    #[arg(long)]
    proc: bool,
    /// Ask the Go toolchain (`go list`) which packages a plugin is built from; it may download
    /// modules.
    #[arg(long)]
    go: bool,
    /// Folder where the file system of the machine is mounted: configurations, the paths in them,
    /// /proc, and links are resolved below it.
    #[arg(long, value_name = "FOLDER")]
    root: Option<PathBuf>,
    #[command(flatten)]
    targets: targets::Args,
    #[command(flatten)]
    answer: answer::Args,
}

pub(super) fn run(args: &Args) -> Result<Exit, Error> {
    args.check_root()?;
    let decisions = args.answer.decisions()?;
    let history = crate::data::history()?;
    let targets = args.targets.resolve(history, &decisions.policy.targets)?;
    if args.paths.iter().any(|path| path == Path::new("-")) {
        output::waiting_for_input();
    }
    let mut collected = progress::shown(|progress| {
        let request = Request {
            progress: Some(progress),
            ..args.request()
        };
        collect(&request, READERS)
    });
    let missing = std::mem::take(&mut collected.missing);
    let exit = args
        .answer
        .finish(assess(collected, &targets), &decisions)?;
    Ok(match exit {
        Exit::Clean if !missing.is_empty() => output::error(&not_there(&missing)),
        exit => exit,
    })
}

impl Args {
    /// Returns an error for a missing root, which must not count as a machine without plugins.
    fn check_root(&self) -> Result<(), Error> {
        let Some(root) = self.root.as_ref().filter(|root| !root.is_dir()) else {
            return Ok(());
        };
        let message = format!("--root {}: no such folder", root.display());
        Err(Error::new(ErrorKind::Input, message)
            .with_help("name the folder where the machine's file system is mounted"))
    }

    fn request(&self) -> Request<'_> {
        let (images, paths) = images::split(&self.paths);
        Request {
            paths,
            images,
            processes: self.proc,
            root: self.root.clone(),
            go: self.go,
            ..Request::default()
        }
    }
}

/// Returns the error for missing named paths, which must not count as clean.
pub(super) fn not_there(missing: &[String]) -> Error {
    let message = format!("no such file or folder: {}", missing.join(", "));
    Error::new(ErrorKind::Input, message)
        .with_help("name the files or folders of plugins, or use --proc for running ones")
}
