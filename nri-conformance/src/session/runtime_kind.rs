//! The runtimes whose pods and containers the sample requests look like.

/// A runtime whose pods and containers are imitated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum RuntimeKind {
    /// containerd 2.4.
    #[default]
    Containerd,
    /// CRI-O 1.36.
    Crio,
}

impl RuntimeKind {
    /// Returns the kind of the runtime that reports this name in Configure. Runtimes other than CRI-O count as containerd,
    /// whose requests most plugins are written for.
    pub fn reporting(runtime_name: &str) -> Self {
        if runtime_name == Self::Crio.name() {
            Self::Crio
        } else {
            Self::Containerd
        }
    }

    /// Returns the name that the runtime reports in Configure.
    pub fn name(self) -> &'static str {
        match self {
            Self::Containerd => "containerd",
            Self::Crio => "cri-o",
        }
    }
}
