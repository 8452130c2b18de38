//! The settings of the runtime of a test.

use std::time::Duration;

use super::fixture::{ContainerFixture, PodFixture};
use super::world::{Callbacks, World};
use crate::Result;
use crate::adaptation::{Adaptation, DeprecationList, ErrorPolicy};

/// The settings of a runtime for tests. [`start`](Self::start) starts it, with a plugin.
#[derive(Clone, Debug)]
pub struct Runtime {
    name: String,
    version: String,
    release: Option<String>,
    request_timeout: Option<Duration>,
    error_policy: ErrorPolicy,
    split_synchronize: bool,
    pods: Vec<PodFixture>,
    containers: Vec<ContainerFixture>,
    pub(super) config: String,
}

impl Default for Runtime {
    fn default() -> Self {
        Runtime::new()
    }
}

impl Runtime {
    /// Returns the settings of a runtime without pods that speaks the newest release of NRI.
    pub fn new() -> Self {
        Runtime {
            name: "testing".to_owned(),
            version: "v1.0.0".to_owned(),
            release: None,
            request_timeout: None,
            error_policy: ErrorPolicy::default(),
            split_synchronize: false,
            pods: Vec::new(),
            containers: Vec::new(),
            config: String::new(),
        }
    }

    /// Sets the name and version in Configure, such as `containerd` and `v2.2.1`.
    #[must_use]
    pub fn named(mut self, name: impl Into<String>, version: impl Into<String>) -> Self {
        (self.name, self.version) = (name.into(), version.into());
        self
    }

    /// Behaves like this release of NRI, such as `v0.11.0`; see
    /// [`Builder::speaking`](crate::adaptation::Builder::speaking).
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

    /// Adds a container that runs before the plugin starts, and its pod: the plugin gets them with Synchronize.
    ///
    /// ```
    /// use nri::testing;
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

    /// Speaks another release from the next start on.
    pub(super) fn set_release(&mut self, release: String) {
        self.release = Some(release);
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
        let mut builder = Adaptation::builder(&*self.name, &*self.version)
            .error_policy(self.error_policy.clone())
            .deprecations(deprecations.clone())
            .callbacks(Callbacks {
                world: world.clone(),
                split: self.split_synchronize,
            });
        if let Some(release) = &self.release {
            builder = builder.speaking(release);
        }
        if let Some(timeout) = self.request_timeout {
            builder = builder.request_timeout(timeout);
        }
        builder.start().await
    }
}
