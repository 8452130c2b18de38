//! The request of a check: the places, the images, and the options.

use std::path::PathBuf;

use crate::arguments::IMAGE_SCHEME;
use crate::bridge::Relayed;
use crate::check::collected::MachineRuntime;
use crate::check::progress::Progress;
use crate::place::Place;
use crate::report::check::NotLookedFor;
use crate::runtime_release::RuntimeRelease;
use crate::sighting::{Evidence, Sighting};

/// The places to check, and the options.
#[derive(Clone, Debug, Default)]
pub struct Request<'p> {
    /// Files and folders, as spelled by the user; `-` is standard input, and pipes are read. A
    /// runtime's configuration stands for the folders that it names.
    ///
    /// If empty, and neither images nor processes are requested, the check covers what the runtimes
    /// configured on this machine use, or else their default folders;
    /// [`Summary::looked_at`](crate::report::check::Summary::looked_at) lists them.
    pub paths: Vec<PathBuf>,
    /// Configurations of containerd or CRI-O in unusual places. The check covers the folders that
    /// they name.
    pub config_files: Vec<PathBuf>,
    /// Images in registries. An image that is requested under several places is fetched once, and
    /// reported for each of them.
    pub images: Vec<ImageRequest>,
    /// The images that are fetched; all others are reported as unknown.
    pub pull: Pull,
    /// The way in which they are fetched.
    pub image_options: ImageOptions,
    /// True if images are those of the workloads of a cluster.
    pub in_cluster: bool,
    /// True if the executables of running processes are checked, too.
    pub processes: bool,
    /// The root of the machine's file system: `/`, or the folder where it is mounted in a
    /// container. It applies to the configuration of the runtimes, the paths in it, `proc`, and all
    /// links below it.
    pub root: Option<PathBuf>,
    /// The runtimes that have reported their releases, which count more than their programs.
    pub runtimes: Vec<MachineRuntime>,
    /// The releases of runtimes that are assumed to read the configurations, if the machine has no
    /// other.
    pub releases: Vec<RuntimeRelease>,
    /// The maximum number of threads; 0 means the number of cores.
    pub threads: usize,
    /// True if the Go toolchain builds the plugins of Go modules, whose programs are then checked
    /// instead of their sources. It may download modules.
    pub go: bool,
    /// The counters of a progress display.
    pub progress: Option<&'p Progress>,
}

impl Request<'_> {
    /// Returns true if nothing is named, so that the check covers what the runtimes of the machine
    /// use.
    pub(super) fn is_for_machine(&self) -> bool {
        self.paths.is_empty()
            && self.config_files.is_empty()
            && self.images.is_empty()
            && !self.processes
    }

    /// Returns true if a machine is checked, whose runtime decides.
    pub(super) fn is_about_machine(&self) -> bool {
        self.is_for_machine() || self.processes || self.root.is_some()
    }

    /// Returns the kinds of plugins that the check does not look for.
    pub(super) fn not_looked_for(&self) -> Vec<NotLookedFor> {
        let has_images = !self.images.is_empty() && self.pull != Pull::None;
        [
            (!self.processes, NotLookedFor::Processes),
            (self.is_for_machine(), NotLookedFor::External),
            (!has_images, NotLookedFor::Images),
            (!self.in_cluster, NotLookedFor::Cluster),
        ]
        .into_iter()
        .filter_map(|(is_missing, kind)| is_missing.then_some(kind))
        .collect()
    }
}

/// The images that are fetched.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Pull {
    /// None.
    None,
    /// Those of the request: nobody else chooses the hosts that are connected to.
    #[default]
    Named,
    /// Also those of the containers in Kubernetes manifests that may be plugins.
    All,
}

/// An image to check, and the place that its findings are reported under.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImageRequest {
    /// The reference: `registry.example.com/team/plugin:v1`, with or without `docker://`.
    pub reference: String,
    /// The place that names the image: the reference itself, or for example the manifest of a
    /// workload.
    pub place: Place,
    /// The plugin behind the bridge, if the image is run with the bridge.
    pub relayed: Option<Relayed>,
    /// The reasons for checking it, which its findings have as evidence.
    pub evidence: Vec<Evidence>,
    /// The names of the nodes that run it, sorted.
    pub nodes: Vec<String>,
}

impl ImageRequest {
    /// Returns a request whose findings are reported under the reference itself.
    pub fn new(reference: &str) -> Self {
        Self::at(reference, Place::from(shown(reference)))
    }

    /// Returns a request whose findings are reported under this place.
    pub fn at(reference: impl Into<String>, place: Place) -> Self {
        Self {
            reference: reference.into(),
            place,
            relayed: None,
            evidence: Vec::new(),
            nodes: Vec::new(),
        }
    }

    /// Returns a sighting of the image with what the request knows about it.
    pub(super) fn explained(&self, mut seen: Sighting) -> Sighting {
        seen.evidence.extend(self.evidence.iter().cloned());
        seen.nodes.clone_from(&self.nodes);
        seen
    }
}

/// The image of a container in a manifest that may be a plugin, to be checked when all files have
/// been read.
#[derive(Clone, Debug)]
pub(super) struct WantedImage {
    pub(super) request: ImageRequest,
    /// The reason why the container may be a plugin.
    pub(super) reason: String,
}

/// Returns a reference without the prefix, safe to print.
pub(super) fn shown(reference: &str) -> String {
    let name = reference.strip_prefix(IMAGE_SCHEME).unwrap_or(reference);
    crate::escape::bytes(name.as_bytes())
}

/// The way in which images are fetched, which is also the help of the command line.
#[derive(Clone, Debug, Default, PartialEq, Eq, clap::Args)]
#[group(skip)]
pub struct ImageOptions {
    /// The platform of images to check, such as linux/arm64 [default: every Linux platform].
    #[arg(long, value_name = "PLATFORM", help_heading = "Images in registries")]
    pub platform: Option<String>,
    /// A registry, HOST or HOST:PORT, that is accessed over plain HTTP, or whose certificate is not
    /// verified. May be given several times.
    #[arg(long, value_name = "HOST", help_heading = "Images in registries")]
    pub insecure: Vec<String>,
    /// Stop at the entry point of an image if that is a plugin, without reading its other files.
    #[arg(long, help_heading = "Images in registries")]
    pub quick: bool,
}
