//! Builders for OCI hooks.

use std::fmt;

use crate::api::{Hook, Hooks};

impl Hook {
    /// Creates a hook that runs the program at this absolute path, with the path as its first
    /// argument.
    pub fn new(path: impl Into<String>) -> Self {
        let path = path.into();
        Hook { args: vec![path.clone()], path, ..Hook::default() }
    }

    /// Adds an argument.
    #[must_use]
    pub fn arg(mut self, arg: impl Into<String>) -> Self {
        self.args.push(arg.into());
        self
    }

    /// Adds an environment variable. A hook inherits none.
    #[must_use]
    pub fn env(mut self, name: &str, value: &str) -> Self {
        self.env.push(format!("{name}={value}"));
        self
    }

    /// Sets the timeout of the hook, in seconds.
    #[must_use]
    pub fn timeout_seconds(mut self, seconds: i64) -> Self {
        self.timeout = Some(seconds);
        self
    }
}

/// The stage at which a hook runs, in the order of the [OCI runtime
/// specification](https://github.com/opencontainers/runtime-spec/blob/v1.2.0/config.md#posix-platform-hooks).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum HookStage {
    /// Before the process starts, in the runtime's namespaces. Deprecated in favour of the next
    /// two.
    Prestart,
    /// After the namespaces are created and before the root is changed, in the runtime's
    /// namespaces.
    CreateRuntime,
    /// After `CreateRuntime`, in the container's namespaces.
    CreateContainer,
    /// Before the process starts, in the container's namespaces.
    StartContainer,
    /// After the process has started, in the runtime's namespaces.
    Poststart,
    /// After the container is deleted, in the runtime's namespaces.
    Poststop,
}

impl HookStage {
    /// Every stage, in order.
    pub const ALL: &'static [Self] = &[
        HookStage::Prestart,
        HookStage::CreateRuntime,
        HookStage::CreateContainer,
        HookStage::StartContainer,
        HookStage::Poststart,
        HookStage::Poststop,
    ];

    /// Returns the name in an OCI configuration, such as `createRuntime`.
    pub const fn name(self) -> &'static str {
        match self {
            HookStage::Prestart => "prestart",
            HookStage::CreateRuntime => "createRuntime",
            HookStage::CreateContainer => "createContainer",
            HookStage::StartContainer => "startContainer",
            HookStage::Poststart => "poststart",
            HookStage::Poststop => "poststop",
        }
    }
}

/// Formats the stage with its name in an OCI configuration.
impl fmt::Display for HookStage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl Hooks {
    /// Adds a hook at this stage, after the existing ones.
    ///
    /// ```
    /// use nri::adjust::HookStage;
    /// use nri::api::{Hook, Hooks};
    ///
    /// let hooks = Hooks::default().with(HookStage::Poststop, Hook::new("/usr/bin/clean"));
    /// assert_eq!(hooks.stage(HookStage::Poststop).len(), 1);
    /// ```
    #[must_use]
    pub fn with(mut self, stage: HookStage, hook: Hook) -> Self {
        self.stage_mut(stage).push(hook);
        self
    }

    /// Returns the hooks of a stage, in the order in which they run.
    pub fn stage(&self, stage: HookStage) -> &[Hook] {
        match stage {
            HookStage::Prestart => &self.prestart,
            HookStage::CreateRuntime => &self.create_runtime,
            HookStage::CreateContainer => &self.create_container,
            HookStage::StartContainer => &self.start_container,
            HookStage::Poststart => &self.poststart,
            HookStage::Poststop => &self.poststop,
        }
    }

    /// Returns a mutable reference to the hooks of a stage.
    pub fn stage_mut(&mut self, stage: HookStage) -> &mut Vec<Hook> {
        match stage {
            HookStage::Prestart => &mut self.prestart,
            HookStage::CreateRuntime => &mut self.create_runtime,
            HookStage::CreateContainer => &mut self.create_container,
            HookStage::StartContainer => &mut self.start_container,
            HookStage::Poststart => &mut self.poststart,
            HookStage::Poststop => &mut self.poststop,
        }
    }

    /// Adds all hooks of another set after those of this one.
    pub fn append(&mut self, mut other: Hooks) {
        for &stage in HookStage::ALL {
            self.stage_mut(stage).append(other.stage_mut(stage));
        }
    }

    /// Returns every hook with its stage, in the order in which they run.
    pub fn iter(&self) -> impl Iterator<Item = (HookStage, &Hook)> {
        let of_stage = |stage| self.stage(stage).iter().map(move |hook| (stage, hook));
        HookStage::ALL.iter().copied().flat_map(of_stage)
    }
}
