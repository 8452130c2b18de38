//! The arguments of `nri-compat check`, and their conversion to a request.

use std::path::{Path, PathBuf};

use super::cluster_args::Args as ClusterArgs;
use super::schedule;
use crate::check::collect::{Collected, ImageOptions, ImageRequest, Pull, Request, collect};
use crate::check::evidence::READERS;
use crate::cli::{answer, images, output, progress, targets};
use crate::error::{Error, ErrorKind};

/// Finds plugins that still use deprecated interfaces, or would not run, with the evidence.
///
/// Files are recognised by content: plugins (Go, Rust, WebAssembly), images, sources, logs, the
/// configuration of a runtime, Kubernetes manifests. Nothing is executed, except the Go toolchain with --go.
#[derive(Debug, clap::Args)]
pub(in crate::cli) struct Args {
    /// Files, folders, and images in registries (docker://REFERENCE); `-` for standard input
    /// [default: what the runtimes configured on this machine use, else their default folders].
    paths: Vec<PathBuf>,
    /// Check running processes: the programs of all, and what is connected to the NRI socket of a
    /// runtime or was started by one.
    #[arg(long)]
    proc: bool,
    /// Configuration of containerd or CRI-O in an unusual place, whose plugin folders and socket count.
    #[arg(long, value_name = "FILE")]
    config_file: Vec<PathBuf>,
    /// Build the plugins of Go modules with `go build`, and check the programs instead of the sources; it may
    /// download modules.
    #[arg(long)]
    go: bool,
    /// Folder where the file system of the machine to check is mounted: configurations, the paths in
    /// them, /proc, and links are resolved below it.
    #[arg(long, value_name = "FOLDER")]
    root: Option<PathBuf>,
    /// Fetch the images of containers in Kubernetes manifests that may be plugins, from the registries
    /// that the manifests name; otherwise they are reported as unknown.
    #[arg(long)]
    pull: bool,
    /// Fetch no images at all, not even those that are named here or that a cluster runs.
    #[arg(long, conflicts_with = "pull")]
    pub(super) no_pull: bool,
    #[command(flatten)]
    pub(super) cluster: ClusterArgs,
    #[command(flatten)]
    images: ImageOptions,
    #[command(flatten)]
    pub(super) targets: targets::Args,
    #[command(flatten)]
    pub(super) schedule: schedule::Args,
    #[command(flatten)]
    pub(super) answer: answer::Args,
}

impl Args {
    /// Returns an error for standard input in repeated checks, because it can be read only once.
    pub(super) fn check_input(&self) -> Result<(), Error> {
        if !self.schedule.is_repeated() || !self.reads_standard_input() {
            return Ok(());
        }
        let message = "--every: standard input can be checked only once";
        Err(Error::new(ErrorKind::Input, message).with_help("name files or folders instead of `-`"))
    }

    fn reads_standard_input(&self) -> bool {
        self.paths.iter().any(|path| path == Path::new("-"))
    }

    /// Returns an error for a missing root, which must not count as a machine without plugins.
    pub(super) fn check_root(&self) -> Result<(), Error> {
        let Some(root) = self.root.as_ref().filter(|root| !root.is_dir()) else {
            return Ok(());
        };
        let message = format!("--root {}: no such folder", root.display());
        Err(Error::new(ErrorKind::Input, message)
            .with_help("name the folder where the machine's file system is mounted"))
    }

    /// Returns true if the command line names something to check in addition to a cluster.
    #[cfg(feature = "cluster")]
    pub(super) fn names_places(&self) -> bool {
        !self.paths.is_empty() || !self.config_file.is_empty() || self.proc || self.root.is_some()
    }

    /// Checks the places that the command line names, and further images.
    pub(super) fn collect(&self, further: Vec<ImageRequest>) -> Collected {
        if self.reads_standard_input() {
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
            image_options: self.images.clone(),
            processes: self.proc,
            config_files: self.config_file.clone(),
            root: self.root.clone(),
            pull: match (self.no_pull, self.pull) {
                (true, _) => Pull::None,
                (false, true) => Pull::All,
                (false, false) => Pull::Named,
            },
            go: self.go,
            ..Request::default()
        }
    }
}
