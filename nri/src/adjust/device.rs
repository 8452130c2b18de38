//! Constructors for device nodes and rules of the device cgroup.

use crate::api::{LinuxDevice, LinuxDeviceCgroup};

impl LinuxDevice {
    /// Creates a character device.
    ///
    /// ```
    /// use nri::api::LinuxDevice;
    ///
    /// let device = LinuxDevice::char("/dev/kvm", 10, 232).mode(0o660).owner(0, 108);
    /// assert_eq!((device.r#type.as_str(), device.access()), ("c", "rw"));
    /// ```
    pub fn char(path: impl Into<String>, major: i64, minor: i64) -> Self {
        LinuxDevice {
            path: path.into(),
            r#type: "c".to_owned(),
            major,
            minor,
            ..LinuxDevice::default()
        }
    }

    /// Creates a block device.
    pub fn block(path: impl Into<String>, major: i64, minor: i64) -> Self {
        LinuxDevice {
            r#type: "b".to_owned(),
            ..Self::char(path, major, minor)
        }
    }

    /// Creates a named pipe.
    pub fn fifo(path: impl Into<String>) -> Self {
        LinuxDevice {
            path: path.into(),
            r#type: "p".to_owned(),
            ..LinuxDevice::default()
        }
    }

    /// Sets the permissions of the node, such as `0o660`.
    #[must_use]
    pub fn mode(mut self, permissions: u32) -> Self {
        self.file_mode = Some(permissions.into());
        self
    }

    /// Sets the owner and group of the node, as seen in the container.
    #[must_use]
    pub fn owner(mut self, uid: u32, gid: u32) -> Self {
        self.uid = Some(uid.into());
        self.gid = Some(gid.into());
        self
    }

    /// Returns the access that the runtime allows in the device cgroup: `rw`, or `rwm` for a block
    /// device.
    pub fn access(&self) -> &'static str {
        if self.r#type == "b" { "rwm" } else { "rw" }
    }
}

impl LinuxDeviceCgroup {
    /// Creates a rule that allows access (any of `r`, `w` and `m`) to devices of a type (`a`, `b`
    /// or `c`); a number of `None` means any.
    pub fn allow(r#type: &str, major: Option<i64>, minor: Option<i64>, access: &str) -> Self {
        LinuxDeviceCgroup {
            allow: true,
            r#type: r#type.to_owned(),
            major: major.map(Into::into),
            minor: minor.map(Into::into),
            access: access.to_owned(),
        }
    }

    /// Creates a rule that denies what [`allow`](Self::allow) would allow.
    pub fn deny(r#type: &str, major: Option<i64>, minor: Option<i64>, access: &str) -> Self {
        LinuxDeviceCgroup {
            allow: false,
            ..Self::allow(r#type, major, minor, access)
        }
    }
}
