//! Adjustments that are the same on every platform: annotations, mounts, environment, arguments,
//! hooks, limits, CDI devices.

use crate::adjust::{Adjustment, marker};
use crate::api::{CdiDevice, Hooks, KeyValue, Mount, PosixRlimit};

impl Adjustment {
    /// Sets an annotation.
    ///
    /// Two plugins must not set the same annotation: the runtime rejects the answer of the later
    /// one, unless it [replaces](Self::replace_annotation) the annotation.
    #[must_use]
    pub fn annotation(mut self, key: impl Into<String>, value: impl Into<String>) -> Self {
        self.set_annotation(key.into(), value.into());
        self
    }

    /// Not generic, so that code for inserting into a map is not compiled into each plugin once
    /// more.
    fn set_annotation(&mut self, key: String, value: String) {
        self.adjust.annotations.insert(key, value);
    }

    /// Removes an annotation.
    #[must_use]
    pub fn remove_annotation(mut self, key: &str) -> Self {
        self.set_annotation(marker::mark(key), String::new());
        self
    }

    /// Sets an annotation, even if an earlier plugin has set it.
    #[must_use]
    pub fn replace_annotation(self, key: &str, value: impl Into<String>) -> Self {
        self.remove_annotation(key).annotation(key, value)
    }

    /// Adds a mount. It replaces a mount that the container already has at this destination.
    ///
    /// ```
    /// use nri::adjust::Adjustment;
    /// use nri::api::Mount;
    ///
    /// let adjustment = Adjustment::new().mount(Mount::bind("/srv/models", "/models").read_only());
    /// assert_eq!(adjustment.container().mounts[0].options, ["rbind", "ro"]);
    /// ```
    #[must_use]
    pub fn mount(mut self, mount: Mount) -> Self {
        self.adjust.mounts.push(mount);
        self
    }

    /// Removes the mount at this destination.
    #[must_use]
    pub fn remove_mount(self, destination: &str) -> Self {
        self.mount(Mount { destination: marker::mark(destination), ..Mount::default() })
    }

    /// Adds a mount, even if an earlier plugin has added one at the same destination.
    #[must_use]
    pub fn replace_mount(self, mount: Mount) -> Self {
        self.remove_mount(&mount.destination).mount(mount)
    }

    /// Sets an environment variable.
    #[must_use]
    pub fn env(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.adjust.env.push(KeyValue { key: name.into(), value: value.into() });
        self
    }

    /// Removes an environment variable that an earlier plugin has set.
    ///
    /// The reference runtime (up to v0.12.5) does not apply the removal to variables of the
    /// container itself. To blank one of those, set it to the empty string.
    #[must_use]
    pub fn remove_env(self, name: &str) -> Self {
        self.env(marker::mark(name), "")
    }

    /// Sets an environment variable, even if an earlier plugin has set it.
    #[must_use]
    pub fn replace_env(self, name: &str, value: impl Into<String>) -> Self {
        self.remove_env(name).env(name, value)
    }

    /// Sets the command line. An empty command line changes nothing.
    ///
    /// A command line whose first element is empty is indistinguishable from
    /// [`replace_args`](Self::replace_args) with the remaining elements.
    #[must_use]
    pub fn args<S: Into<String>>(mut self, args: impl IntoIterator<Item = S>) -> Self {
        self.adjust.args = args.into_iter().map(Into::into).collect();
        self
    }

    /// Sets the command line, even if an earlier plugin has set it.
    #[must_use]
    pub fn replace_args<S: Into<String>>(mut self, args: impl IntoIterator<Item = S>) -> Self {
        let marker = std::iter::once(String::new());
        self.adjust.args = marker.chain(args.into_iter().map(Into::into)).collect();
        self
    }

    /// Adds OCI hooks after the existing ones. Several plugins may add hooks.
    ///
    /// ```
    /// use nri::adjust::{Adjustment, HookStage};
    /// use nri::api::{Hook, Hooks};
    ///
    /// let tell = Hook::new("/usr/bin/tell").arg("created").timeout_seconds(2);
    /// let adjustment = Adjustment::new().hooks(Hooks::default().with(HookStage::CreateRuntime, tell));
    /// assert_eq!(adjustment.container().hooks.as_ref().unwrap().create_runtime[0].args, ["/usr/bin/tell", "created"]);
    /// ```
    #[must_use]
    pub fn hooks(mut self, hooks: Hooks) -> Self {
        self.adjust.hooks.get_or_insert_default().append(hooks);
        self
    }

    /// Adds a POSIX resource limit, such as `RLIMIT_NOFILE`.
    ///
    /// There is no removal: the runtime rejects the answer of a plugin that sets a limit set by
    /// another plugin.
    #[must_use]
    pub fn rlimit(mut self, rlimit: PosixRlimit) -> Self {
        self.adjust.rlimits.push(rlimit);
        self
    }

    /// Adds a [CDI](https://github.com/cncf-tags/container-device-interface) device by its
    /// qualified name, `vendor.com/class=device`. There is no removal.
    #[must_use]
    pub fn cdi_device(mut self, name: impl Into<String>) -> Self {
        self.adjust.cdi_devices.push(CdiDevice { name: name.into() });
        self
    }
}
