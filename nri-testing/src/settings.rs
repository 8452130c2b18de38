//! The settings of the runtime of a test.

use std::time::Duration;

use super::fixture::{ContainerFixture, PodFixture};
use super::world::{Callbacks, World};
use nri::stub;
use nri::{Error, ErrorKind, Result};
use nri_adaptation::{Adaptation, DeprecationList, ErrorPolicy};

/// The settings of a runtime for tests. [`start`](Self::start) starts it, with a plugin.
#[derive(Clone, Debug, Default)]
pub struct Runtime {
    /// Name and version, if the test sets them.
    identity: Option<(String, String)>,
    /// The release of NRI that the runtime speaks, if the test sets it.
    release: Option<String>,
    /// True if the runtime speaks the release that it links, unless the test sets another.
    speaks_linked: bool,
    request_timeout: Option<Duration>,
    error_policy: ErrorPolicy,
    split_synchronize: bool,
    pods: Vec<PodFixture>,
    containers: Vec<ContainerFixture>,
    pub(super) config: String,
}

/// Name and version of a runtime that no release of a real one is known for.
const UNRELEASED: (&str, &str) = ("testing", "v1.0.0");

impl Runtime {
    /// Returns the settings of a runtime without pods that speaks the newest release of NRI.
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns the settings of this release of containerd, such as `1.7.20`: it speaks the release
    /// of NRI that it links.
    ///
    /// ```
    /// # use nri::prelude::*;
    /// # #[derive(NriPlugin)]
    /// # struct Gpu;
    /// # impl CreateContainer for Gpu {
    /// #     async fn create_container(&self, _: &EventContext, _: PodSandbox, _: Container) -> nri::Result<Adjustment> {
    /// #         Ok(Adjustment::new().cdi_device("example.org/gpu=0"))
    /// #     }
    /// # }
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// use nri_testing::{self as testing, pod};
    ///
    /// // NRI v0.6.1, one release too old for CDI devices.
    /// let mut runtime = testing::Runtime::containerd("1.7.20").start(Gpu).await?;
    /// let created = runtime.create_in_pod(pod("web").container("app")).await?;
    /// assert!(created.adjustment.cdi_devices.is_empty());
    /// assert_eq!(created.ignored_fields, ["adjust.CDI_devices"]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn containerd(version: impl Into<String>) -> Self {
        Self::released("containerd", version.into())
    }

    /// Returns the settings of this release of CRI-O, such as `1.31`: it speaks the release of NRI
    /// that it links.
    pub fn crio(version: impl Into<String>) -> Self {
        Self::released("cri-o", version.into())
    }

    fn released(name: &str, version: String) -> Self {
        Runtime { speaks_linked: true, ..Self::new().named(name, version) }
    }

    /// Sets the name and version in Configure, such as `containerd` and `v2.2.1`. The default
    /// belongs to the first runtime that links the NRI release which it [speaks](Self::speaking),
    /// if there is one.
    #[must_use]
    pub fn named(mut self, name: impl Into<String>, version: impl Into<String>) -> Self {
        self.identity = Some((name.into(), version.into()));
        self
    }

    /// Behaves like this release of NRI, such as `v0.11.0`; see
    /// [`Builder::speaking`](nri_adaptation::Builder::speaking).
    #[must_use]
    pub fn speaking(mut self, release: impl Into<String>) -> Self {
        self.release = Some(release.into());
        self
    }

    /// Sets the configuration that the plugin gets with Configure.
    #[must_use]
    pub fn config(mut self, config: impl Into<String>) -> Self {
        self.config = config.into();
        self
    }

    /// Sets how long the plugin may take to answer. The default is 2 s, as in runtimes.
    #[must_use]
    pub fn request_timeout(mut self, timeout: Duration) -> Self {
        self.request_timeout = Some(timeout);
        self
    }

    /// Sets what failing plugins mean for a request.
    #[must_use]
    pub fn error_policy(mut self, policy: ErrorPolicy) -> Self {
        self.error_policy = policy;
        self
    }

    /// Adds a pod that runs before the plugin starts: the plugin gets it with Synchronize.
    #[must_use]
    pub fn with_pod(mut self, pod: PodFixture) -> Self {
        self.pods.push(pod);
        self
    }

    /// Adds a container that runs before the plugin starts, and its pod: the plugin gets them with
    /// Synchronize.
    ///
    /// ```
    /// use nri_testing as testing;
    ///
    /// let runtime = testing::Runtime::new().with_container(testing::pod("web").container("app"));
    /// ```
    #[must_use]
    pub fn with_container(mut self, container: ContainerFixture) -> Self {
        self.containers.push(container);
        self
    }

    /// Sends each pod and container of Synchronize in a separate message, as a runtime does in
    /// larger parts if they do not fit into 4 MiB.
    #[must_use]
    pub fn split_synchronize(mut self) -> Self {
        self.split_synchronize = true;
        self
    }

    /// Returns the NRI release that the runtime speaks; `None` for the newest.
    fn nri_release(&self) -> Result<Option<String>> {
        let linked = self.identity.as_ref().filter(|_| self.speaks_linked);
        let (None, Some((name, version))) = (&self.release, linked) else {
            return Ok(self.release.clone());
        };
        let release = stub::Runtime::released(name, version).and_then(|it| it.nri_version());
        release.map(Some).ok_or_else(|| {
            let message = format!("no {name} {version} that speaks the protocol of NRI is known");
            Error::with_kind(ErrorKind::Config, message)
                .with_help("name a release from containerd 1.7.0 or CRI-O 1.26.0 on")
        })
    }

    /// Returns the name and version in Configure of a runtime that speaks this NRI release.
    fn identity(&self, release: Option<&str>) -> (String, String) {
        if let Some(identity) = &self.identity {
            return identity.clone();
        }
        match release.and_then(stub::Runtime::linking) {
            Some(runtime) => (runtime.name().to_owned(), runtime.version().to_owned()),
            None => (UNRELEASED.0.to_owned(), UNRELEASED.1.to_owned()),
        }
    }

    /// Returns the pods and containers that exist at the start.
    pub(super) fn world(&self) -> World {
        let world = World::default();
        let mut contents = world.lock();
        let pods = self.pods.iter().cloned().map(PodFixture::build);
        contents.pods.extend(pods);
        for (pod, container) in self.containers.iter().cloned().map(ContainerFixture::build) {
            if contents.pod(&pod.id).is_none() {
                contents.pods.push(pod);
            }
            contents.containers.push(container);
        }
        drop(contents);
        world
    }

    /// Starts an adaptation for these pods and containers.
    pub(super) async fn adaptation(
        &self,
        world: &World,
        deprecations: &DeprecationList,
    ) -> Result<Adaptation> {
        let release = self.nri_release()?;
        let (name, version) = self.identity(release.as_deref());
        let mut builder = Adaptation::builder(name, version)
            .error_policy(self.error_policy.clone())
            .deprecations(deprecations.clone())
            .callbacks(Callbacks { world: world.clone(), split: self.split_synchronize });
        if let Some(release) = release {
            builder = builder.speaking(release);
        }
        if let Some(timeout) = self.request_timeout {
            builder = builder.request_timeout(timeout);
        }
        builder.start().await
    }
}
