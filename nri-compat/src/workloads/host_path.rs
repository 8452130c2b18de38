//! Paths on the host.

/// A normalised absolute path on a Linux host, as components. `/var/run` is `/run`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct NodePath(Vec<String>);

impl NodePath {
    /// Returns the normalised path; `None` for one that is not absolute, such as `C:\nri`.
    pub(super) fn parse(path: &str) -> Option<Self> {
        path.starts_with('/').then(|| Self::default().join(path))
    }

    /// Returns the path of a file below this one. As in the kernel, `..` at the root is the root.
    pub(super) fn join(mut self, path: &str) -> Self {
        for component in path.split('/') {
            match component {
                "" | "." => {}
                ".." => drop(self.0.pop()),
                name => self.0.push(name.to_owned()),
            }
            if self.0 == ["var", "run"] {
                self.0 = vec!["run".to_owned()];
            }
        }
        self
    }

    /// Returns true if this is `other`, or below it.
    pub(super) fn is_within(&self, other: &Self) -> bool {
        self.0.starts_with(&other.0)
    }

    /// Returns the number of folders between this path and `above`, which it is within.
    pub(super) fn depth_below(&self, above: &Self) -> Option<usize> {
        self.is_within(above).then(|| self.0.len() - above.0.len())
    }

    /// Returns the components.
    pub(super) fn components(&self) -> &[String] {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_normalised() {
        for (path, components) in [
            ("/", ""),
            ("//var//run/./nri/", "run/nri"),
            ("/var/run", "run"),
            ("/var/../run/nri", "run/nri"),
            ("/var/lib/../run/nri", "run/nri"),
            ("/../../opt/nri", "opt/nri"),
            ("/var/running", "var/running"),
            ("/home/var/run", "home/var/run"),
        ] {
            let parsed = NodePath::parse(path).unwrap();
            assert_eq!(parsed.components().join("/"), components, "{path}");
        }
        for path in ["", "run/nri", r"C:\run\nri", r"\\.\pipe\nri", "~/nri"] {
            assert_eq!(NodePath::parse(path), None, "{path}");
        }
    }
}
