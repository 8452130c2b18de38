//! Constructors for mounts.

use crate::api::Mount;

impl Mount {
    /// Creates a mount of this filesystem type.
    pub fn new(
        r#type: impl Into<String>,
        source: impl Into<String>,
        destination: impl Into<String>,
    ) -> Self {
        Mount {
            destination: destination.into(),
            r#type: r#type.into(),
            source: source.into(),
            options: Vec::new(),
        }
    }

    /// Creates a recursive bind mount of a file or folder of the host.
    ///
    /// ```
    /// use nri::api::Mount;
    ///
    /// let mount = Mount::bind("/srv/data", "/data").read_only().option("nosuid");
    /// assert_eq!(mount.options, ["rbind", "ro", "nosuid"]);
    /// ```
    pub fn bind(source: impl Into<String>, destination: impl Into<String>) -> Self {
        Self::new("bind", source, destination).option("rbind")
    }

    /// Creates a mount of an empty in-memory filesystem.
    pub fn tmpfs(destination: impl Into<String>) -> Self {
        Self::new("tmpfs", "tmpfs", destination)
    }

    /// Adds a [mount option](https://github.com/opencontainers/runtime-spec/blob/main/config.md#linux-mount-options).
    #[must_use]
    pub fn option(mut self, option: impl Into<String>) -> Self {
        self.options.push(option.into());
        self
    }

    /// Adds the option `ro`.
    #[must_use]
    pub fn read_only(self) -> Self {
        self.option("ro")
    }

    /// Adds the pseudo-option `relabel`, which asks the runtime to relabel the source for SELinux.
    #[must_use]
    pub fn selinux_relabel(self) -> Self {
        self.option("relabel")
    }
}
