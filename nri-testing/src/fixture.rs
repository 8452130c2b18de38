//! Pods and containers for tests.

use nri::api::{Container, ContainerState, LinuxContainer, LinuxResources, Mount, PodSandbox};

/// Returns a pod with this name, in the namespace `default`.
///
/// ```
/// use nri::api::PodSandbox;
/// use nri_testing as testing;
///
/// let pod: PodSandbox = testing::pod("web").label("app", "shop").into();
/// assert_eq!(pod.full_name(), "default/web");
/// ```
pub fn pod(name: impl Into<String>) -> PodFixture {
    let name = name.into();
    PodFixture(PodSandbox {
        id: format!("{name}-pod"),
        uid: format!("{name}-uid"),
        namespace: "default".to_owned(),
        linux: Some(Box::default()),
        name,
        ..PodSandbox::default()
    })
}

/// Returns a container with this name. It gets its id when the runtime creates it in a pod.
pub fn container(name: impl Into<String>) -> ContainerFixture {
    ContainerFixture {
        pod: pod("pod"),
        container: Container {
            name: name.into(),
            state: ContainerState::ContainerCreated as i32,
            args: vec!["/bin/app".to_owned()],
            linux: Some(Box::default()),
            ..Container::default()
        },
    }
}

/// A builder of a pod, created by [`pod`].
#[derive(Clone, Debug, PartialEq)]
pub struct PodFixture(PodSandbox);

impl PodFixture {
    /// Sets the id of the sandbox. The default is the name with `-pod`.
    #[must_use]
    pub fn id(mut self, id: impl Into<String>) -> Self {
        self.0.id = id.into();
        self
    }

    /// Sets the Kubernetes namespace.
    #[must_use]
    pub fn namespace(mut self, namespace: impl Into<String>) -> Self {
        self.0.namespace = namespace.into();
        self
    }

    /// Adds a label.
    #[must_use]
    pub fn label(mut self, key: impl Into<String>, value: impl Into<String>) -> Self {
        self.0.labels.insert(key.into(), value.into());
        self
    }

    /// Adds an annotation.
    #[must_use]
    pub fn annotation(mut self, key: impl Into<String>, value: impl Into<String>) -> Self {
        self.0.annotations.insert(key.into(), value.into());
        self
    }

    /// Adds an IP address.
    #[must_use]
    pub fn ip(mut self, address: impl Into<String>) -> Self {
        self.0.ips.push(address.into());
        self
    }

    /// Changes any other field.
    #[must_use]
    pub fn with(mut self, change: impl FnOnce(&mut PodSandbox)) -> Self {
        change(&mut self.0);
        self
    }

    /// Returns a container of this pod.
    ///
    /// ```
    /// use nri_testing as testing;
    ///
    /// let (pod, container) = testing::pod("web").container("app").annotation("a", "b").build();
    /// assert_eq!(container.pod_sandbox_id, pod.id);
    /// assert_eq!(container.full_name(&pod), "default/web/app");
    /// ```
    #[must_use]
    pub fn container(self, name: impl Into<String>) -> ContainerFixture {
        ContainerFixture { pod: self, ..container(name) }
    }

    /// Returns the pod, for calling a handler.
    pub fn build(self) -> PodSandbox {
        self.0
    }
}

impl From<PodFixture> for PodSandbox {
    fn from(fixture: PodFixture) -> Self {
        fixture.0
    }
}

/// A builder of a container, created by [`container`] and [`PodFixture::container`].
#[derive(Clone, Debug, PartialEq)]
pub struct ContainerFixture {
    pod: PodFixture,
    container: Container,
}

impl ContainerFixture {
    /// Sets the id. The default is that of the pod, a hyphen, and the name.
    #[must_use]
    pub fn id(mut self, id: impl Into<String>) -> Self {
        self.container.id = id.into();
        self
    }

    /// Adds a label.
    #[must_use]
    pub fn label(mut self, key: impl Into<String>, value: impl Into<String>) -> Self {
        self.container.labels.insert(key.into(), value.into());
        self
    }

    /// Adds an annotation.
    #[must_use]
    pub fn annotation(mut self, key: impl Into<String>, value: impl Into<String>) -> Self {
        self.container.annotations.insert(key.into(), value.into());
        self
    }

    /// Sets the command line. The default is `/bin/app`.
    #[must_use]
    pub fn args<A: Into<String>>(mut self, args: impl IntoIterator<Item = A>) -> Self {
        self.container.args = args.into_iter().map(Into::into).collect();
        self
    }

    /// Adds an environment variable.
    #[must_use]
    pub fn env(mut self, name: &str, value: &str) -> Self {
        self.container.env.push(format!("{name}={value}"));
        self
    }

    /// Adds a mount.
    #[must_use]
    pub fn mount(mut self, mount: impl Into<Mount>) -> Self {
        self.container.mounts.push(mount.into());
        self
    }

    /// Sets the resources.
    #[must_use]
    pub fn resources(mut self, resources: LinuxResources) -> Self {
        self.linux().resources = Some(resources);
        self
    }

    /// Sets the path of the container's cgroup.
    #[must_use]
    pub fn cgroups_path(mut self, path: impl Into<String>) -> Self {
        self.linux().cgroups_path = path.into();
        self
    }

    /// Changes any other field.
    #[must_use]
    pub fn with(mut self, change: impl FnOnce(&mut Container)) -> Self {
        change(&mut self.container);
        self
    }

    /// Returns the pod and the container, for calling a handler.
    pub fn build(self) -> (PodSandbox, Container) {
        let pod = self.pod.build();
        let container = in_pod(self.container, &pod);
        (pod, container)
    }

    fn linux(&mut self) -> &mut LinuxContainer {
        self.container.linux.get_or_insert_default()
    }
}

impl From<ContainerFixture> for Container {
    /// Returns the container without a pod.
    fn from(fixture: ContainerFixture) -> Self {
        fixture.container
    }
}

/// Puts a container into a pod, with an id if it has none.
pub(super) fn in_pod(mut container: Container, pod: &PodSandbox) -> Container {
    container.pod_sandbox_id.clone_from(&pod.id);
    if container.id.is_empty() {
        container.id = format!("{}-{}", pod.id, container.name);
    }
    container
}
