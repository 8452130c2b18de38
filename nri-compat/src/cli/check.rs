//! `nri-compat check PATH...`.

use std::path::{Path, PathBuf};

use super::{answer, cluster, images, output, progress, targets};
use crate::check::assess::assess;
use crate::check::collect::{Collected, ImageRequest, Request, collect};
use crate::check::evidence::READERS;
use crate::error::{Error, ErrorKind};
use crate::exit::Exit;

/// Finds plugins that still use deprecated interfaces, or would not run, with the evidence.
///
/// Files are recognised by content: plugins (Go, Rust, WebAssembly), images, sources, logs, the
/// configuration of a runtime, Kubernetes manifests. Nothing is executed.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Files, folders, and images in registries (docker://REFERENCE); `-` for standard input
    /// [default: what the runtimes configured on this machine use, else their default folders].
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
    /// Do not fetch images: list those of workloads that may run plugins, and named ones, as unknown.
    #[arg(long)]
    pub(super) no_pull: bool,
    #[command(flatten)]
    pub(super) cluster: cluster::Args,
    #[command(flatten)]
    images: images::Args,
    #[command(flatten)]
    pub(super) targets: targets::Args,
    #[command(flatten)]
    pub(super) answer: answer::Args,
}

pub(super) fn run(args: &Args) -> Result<Exit, Error> {
    args.check_root()?;
    if args.cluster.is_asked() {
        return cluster::run(args);
    }
    let decisions = args.answer.decisions()?;
    let history = crate::data::history()?;
    let targets = args.targets.resolve(history, &decisions.policy.targets)?;
    let mut collected = args.collect(Vec::new());
    let missing = std::mem::take(&mut collected.missing);
    let not_fetched = std::mem::take(&mut collected.not_fetched);
    let exit = args
        .answer
        .finish(assess(collected, &targets), &decisions)?;
    Ok(match exit {
        Exit::Clean if !missing.is_empty() => output::error(&not_there(&missing)),
        Exit::Clean if !not_fetched.is_empty() => output::error(&images::not_fetched(&not_fetched)),
        exit @ (Exit::Clean | Exit::CouldNotRun | Exit::Usage | Exit::Findings) => exit,
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

    /// Returns true if the command line names something to check besides a cluster.
    #[cfg(feature = "cluster")]
    pub(super) fn names_places(&self) -> bool {
        !self.paths.is_empty() || self.proc || self.root.is_some()
    }

    /// Checks what the command line names, and further images.
    pub(super) fn collect(&self, further: Vec<ImageRequest>) -> Collected {
        if self.paths.iter().any(|path| path == Path::new("-")) {
            output::waiting_for_input();
        }
        let mut request = self.request();
        request.images.extend(further);
        progress::shown(|progress| {
            let request = Request {
                progress: Some(progress),
                ..request
            };
            collect(&request, READERS)
        })
    }

    fn request(&self) -> Request<'static> {
        let (images, paths) = images::split(&self.paths);
        Request {
            paths,
            images,
            image_options: self.images.options(),
            processes: self.proc,
            root: self.root.clone(),
            no_pull: self.no_pull,
            go: self.go,
            ..Request::default()
        }
    }
}

/// Returns the error for missing named paths, which must not count as clean.
pub(super) fn not_there(missing: &[String]) -> Error {
    let message = format!("no such file or folder: {}", missing.join(", "));
    let help = match missing {
        [one] if images::may_be_reference(one) => format!(
            "name the files or folders of plugins; an image in a registry is named as docker://{one}"
        ),
        _ => "name the files or folders of plugins, or use --proc for running ones".to_owned(),
    };
    Error::new(ErrorKind::Input, message).with_help(help)
}
