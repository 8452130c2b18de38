//! OCI hooks in a few words.

use crate::api::{Hook, Hooks};

impl Hook {
    /// Runs the program at this absolute path; its name is the first argument it sees.
    pub fn new(path: impl Into<String>) -> Self {
        let path = path.into();
        Hook {
            args: vec![path.clone()],
            path,
            ..Hook::default()
        }
    }

    /// Adds an argument.
    #[must_use]
    pub fn arg(mut self, arg: impl Into<String>) -> Self {
        self.args.push(arg.into());
        self
    }

    /// Adds an environment variable. A hook gets those given here and no other.
    #[must_use]
    pub fn env(mut self, name: &str, value: &str) -> Self {
        self.env.push(format!("{name}={value}"));
        self
    }

    /// Ends the hook after so many seconds.
    #[must_use]
    pub fn timeout_seconds(mut self, seconds: i64) -> Self {
        self.timeout = Some(seconds.into());
        self
    }
}

impl Hooks {
    /// Adds a hook that runs after the namespaces are made and before the root is changed, in the runtime's namespace.
    #[must_use]
    pub fn with_create_runtime(mut self, hook: Hook) -> Self {
        self.create_runtime.push(hook);
        self
    }

    /// Adds a hook that runs after those of createRuntime, in the container's namespace.
    #[must_use]
    pub fn with_create_container(mut self, hook: Hook) -> Self {
        self.create_container.push(hook);
        self
    }

    /// Adds a hook that runs in the container before its process starts.
    #[must_use]
    pub fn with_start_container(mut self, hook: Hook) -> Self {
        self.start_container.push(hook);
        self
    }

    /// Adds a hook that runs after the process has started.
    #[must_use]
    pub fn with_poststart(mut self, hook: Hook) -> Self {
        self.poststart.push(hook);
        self
    }

    /// Adds a hook that runs after the container is deleted.
    #[must_use]
    pub fn with_poststop(mut self, hook: Hook) -> Self {
        self.poststop.push(hook);
        self
    }

    /// Adds a prestart hook, which the OCI runtime specification deprecates in favour of createRuntime.
    #[must_use]
    pub fn with_prestart(mut self, hook: Hook) -> Self {
        self.prestart.push(hook);
        self
    }

    /// Adds all hooks of another set after those of this one.
    pub fn append(&mut self, other: Hooks) {
        self.prestart.extend(other.prestart);
        self.create_runtime.extend(other.create_runtime);
        self.create_container.extend(other.create_container);
        self.start_container.extend(other.start_container);
        self.poststart.extend(other.poststart);
        self.poststop.extend(other.poststop);
    }

    /// Every hook with the name of its place in an OCI configuration, in the order they run.
    pub fn iter(&self) -> impl Iterator<Item = (&'static str, &Hook)> {
        fn named<'a>(
            name: &'static str,
            hooks: &'a [Hook],
        ) -> impl Iterator<Item = (&'static str, &'a Hook)> {
            hooks.iter().map(move |hook| (name, hook))
        }
        named("prestart", &self.prestart)
            .chain(named("createRuntime", &self.create_runtime))
            .chain(named("createContainer", &self.create_container))
            .chain(named("startContainer", &self.start_container))
            .chain(named("poststart", &self.poststart))
            .chain(named("poststop", &self.poststop))
    }
}
