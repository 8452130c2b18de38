//! `nri-compat check PATH...`: the arguments, and their conversion to a request.

#[cfg(feature = "cluster")]
mod cluster;
#[cfg(feature = "conformance")]
mod cri;
mod reported;
mod schedule;

use std::path::PathBuf;
use std::time::Duration;

use super::values::duration;
use super::{answer, images, output, progress, targets};
use crate::check::collect::{Collected, ImageOptions, ImageRequest, Pull, Request, collect};
use crate::check::evidence::READERS;
use crate::check::target::{Target, machine_targets};
use crate::error::{Error, ErrorKind};
use crate::exit::Exit;
use reported::ReportedRuntime;

use crate::arguments::is_stdin;
#[cfg(feature = "cluster")]
use cluster::run as check_cluster;

/// Finds plugins that still use deprecated interfaces, or would not run, with the evidence.
///
/// Files are recognised by content: plugins (Go, Rust, WebAssembly), images, sources, logs, the
/// configuration of a runtime, Kubernetes manifests. Nothing is executed, except the Go toolchain
/// with --go.
#[derive(Debug, clap::Args)]
pub(super) struct CheckArgs {
    /// Files, folders, and images in registries (docker://REFERENCE); `-` for standard input
    /// [default: what the runtimes configured on this machine use, else their default folders].
    paths: Vec<PathBuf>,
    /// Check running processes: the programs of all, and what is connected to the NRI socket of a
    /// runtime or was started by one.
    #[arg(long)]
    proc: bool,
    /// Configuration of containerd or CRI-O in an unusual place, whose plugin folders and socket
    /// count.
    #[arg(long, value_name = "FILE")]
    config_file: Vec<PathBuf>,
    /// Build the plugins of Go modules with `go build`, and check the programs instead of the
    /// sources; it may download modules.
    #[arg(long)]
    go: bool,
    /// Folder where the file system of the machine to check is mounted: configurations, the paths
    /// in them, /proc, and links are resolved below it.
    #[arg(long, value_name = "FOLDER")]
    root: Option<PathBuf>,
    /// Fetch the images of containers in Kubernetes manifests that may be plugins, from the
    /// registries that the manifests name; otherwise they are reported as unknown.
    #[arg(long)]
    pull: bool,
    /// Fetch no images at all, not even those that are named here or that a cluster runs.
    #[arg(long, conflicts_with = "pull")]
    no_pull: bool,
    /// CRI socket of a runtime, such as /run/containerd/containerd.sock: its version is the default
    /// target, and the plugins that it has recorded as deprecated are read from its status.
    #[cfg(feature = "conformance")]
    #[arg(long, value_name = "SOCKET")]
    cri: Option<PathBuf>,
    #[command(flatten)]
    cluster: ClusterArgs,
    #[command(flatten)]
    images: ImageOptions,
    #[command(flatten)]
    targets: targets::Args,
    #[command(flatten)]
    schedule: schedule::ScheduleArgs,
    #[command(flatten)]
    answer: answer::AnswerArgs,
}

/// The cluster to check.
#[derive(Debug, clap::Args)]
#[group(skip)]
struct ClusterArgs {
    /// Check the plugins that run in a Kubernetes cluster, against the runtimes of its nodes and
    /// each --target.
    #[arg(long)]
    cluster: bool,
    /// The context of the kubeconfig [default: the current one].
    #[arg(long, value_name = "NAME", requires = "cluster")]
    context: Option<String>,
    /// The kubeconfig [default: the files of KUBECONFIG, ~/.kube/config, or the service account of
    /// the pod].
    #[arg(long, value_name = "FILE", requires = "cluster")]
    kubeconfig: Option<PathBuf>,
    /// The namespace whose workloads are checked [default: all].
    #[arg(long, short, value_name = "NAMESPACE", requires = "cluster")]
    namespace: Option<String>,
    /// Time limit for each request to the API server, and for credential plugins.
    #[arg(long, value_name = "DURATION", default_value = "60s", value_parser = duration, requires = "cluster")]
    request_timeout: Duration,
}

pub(super) fn run(args: &CheckArgs) -> Result<Exit, Error> {
    args.check_input()?;
    args.schedule.run(|| once(args))
}

/// Runs one check.
fn once(args: &CheckArgs) -> Result<Exit, Error> {
    args.check_root()?;
    if args.cluster.cluster {
        return check_cluster(args);
    }
    let decisions = args.answer.decisions()?;
    let history = crate::data::history()?;
    crate::data::configuration()?;
    let named = args.targets.named(history, &decisions.policy.targets)?;
    let reported = args.reported()?;
    let mut collected = args.collect(Vec::new(), &named, &reported);
    for status in reported.into_iter().filter_map(|runtime| runtime.status) {
        collected.join(status);
    }
    let targets =
        if named.is_empty() { machine_targets(history, &collected.runtimes)? } else { named };
    args.answer.judge(collected, &targets, &decisions)
}

/// Returns an error, because this build has no client for the Kubernetes API.
#[cfg(not(feature = "cluster"))]
fn check_cluster(_: &CheckArgs) -> Result<Exit, Error> {
    Err(super::published::without_cluster("--cluster"))
}

impl CheckArgs {
    /// Returns an error for standard input in repeated checks, because it can be read only once.
    fn check_input(&self) -> Result<(), Error> {
        if self.schedule.every.is_none() || !self.reads_standard_input() {
            return Ok(());
        }
        let message = "--every: standard input can be checked only once";
        Err(Error::new(ErrorKind::Input, message).with_help("name files or folders instead of `-`"))
    }

    fn reads_standard_input(&self) -> bool {
        self.paths.iter().any(|path| is_stdin(path))
    }

    /// Returns an error for a missing root, which must not count as a machine without plugins.
    fn check_root(&self) -> Result<(), Error> {
        let Some(root) = self.root.as_ref().filter(|root| !root.is_dir()) else {
            return Ok(());
        };
        let message = format!("--root {}: no such folder", root.display());
        Err(Error::new(ErrorKind::Input, message)
            .with_help("name the folder where the machine's file system is mounted"))
    }

    /// Returns true if the command line names something to check in addition to a cluster.
    #[cfg(feature = "cluster")]
    fn names_places(&self) -> bool {
        !self.paths.is_empty() || !self.config_file.is_empty() || self.proc || self.root.is_some()
    }

    /// Checks the places that the command line names, and further images.
    fn collect(
        &self,
        further: Vec<ImageRequest>,
        targets: &[Target<'_>],
        reported: &[ReportedRuntime],
    ) -> Collected {
        if self.reads_standard_input() {
            output::waiting_for_input();
        }
        let mut request = self.request();
        request.images.extend(further);
        request.runtimes = reported.iter().map(|reported| reported.runtime.clone()).collect();
        request.releases = targets.iter().filter_map(|target| target.runtime_release()).collect();
        progress::shown(|progress| {
            let request = Request { progress: Some(progress), ..request };
            collect(&request, READERS)
        })
    }

    /// Returns the runtime of the CRI socket that the command line names; if a machine is checked,
    /// those whose usual sockets answer.
    #[cfg(feature = "conformance")]
    fn reported(&self) -> Result<Vec<ReportedRuntime>, Error> {
        match &self.cri {
            Some(socket) => Ok(vec![cri::ask(socket)?]),
            None if self.is_about_this_machine() => Ok(cri::versions()),
            None => Ok(Vec::new()),
        }
    }

    /// Returns nothing, because this build has no client for CRI.
    #[cfg(not(feature = "conformance"))]
    fn reported(&self) -> Result<Vec<ReportedRuntime>, Error> {
        Ok(Vec::new())
    }

    /// Returns true if the machine is checked on which the command runs.
    #[cfg(feature = "conformance")]
    fn is_about_this_machine(&self) -> bool {
        let names_files = !self.paths.is_empty() || !self.config_file.is_empty();
        self.root.is_none() && (self.proc || !names_files)
    }

    fn request(&self) -> Request<'static> {
        let (images, paths) = images::split(&self.paths);
        Request {
            paths,
            images,
            image_options: self.images.clone(),
            in_cluster: self.cluster.cluster,
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
