//! Paths on the host, and the path that a mount makes visible in a container.

use super::model::{Container, EnvVar, HostPath, Mount};

/// A normalised absolute path on a Linux host, as components. `/var/run` is `/run`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct NodePath(Vec<String>);

/// The part of the host's file system that a mount makes visible.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Mounted {
    /// The known part of the path.
    pub(super) path: NodePath,
    /// False if a variable in `subPathExpr` hides the rest of the path.
    pub(super) is_known: bool,
}

impl NodePath {
    /// Returns the normalised path; `None` for one that is not absolute, such as `C:\nri`.
    pub(super) fn parse(path: &str) -> Option<Self> {
        path.starts_with('/').then(|| Self::default().join(path))
    }

    /// Returns the path of a file below this one. As in the kernel, `..` at the root is the root.
    fn join(mut self, path: &str) -> Self {
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

    /// Returns the components.
    pub(super) fn components(&self) -> &[String] {
        &self.0
    }
}

/// Returns the part of the host that a mount of this volume makes visible in a container; `None` if
/// it is not a path on a Linux host.
pub(super) fn mounted(volume: &HostPath, mount: &Mount, container: &Container) -> Option<Mounted> {
    let path = NodePath::parse(&volume.path)?;
    let (sub_path, is_known) = match (&mount.sub_path_expr, &mount.sub_path) {
        (Some(expression), _) => expand(expression, &container.env),
        (None, Some(sub_path)) => (sub_path.clone(), true),
        (None, None) => (String::new(), true),
    };
    Some(Mounted {
        path: path.join(&sub_path),
        is_known,
    })
}

/// Replaces `$(NAME)` with the values in the environment, and `$$` with `$`, as Kubernetes does. At
/// the first variable without a value, returns the folders before it, and false.
fn expand(expression: &str, env: &[EnvVar]) -> (String, bool) {
    let mut path = String::new();
    let mut rest = expression;
    while let Some((before, after)) = rest.split_once('$') {
        path.push_str(before);
        if let Some(escaped) = after.strip_prefix('$') {
            path.push('$');
            rest = escaped;
        } else if let Some((name, after)) = variable(after) {
            let Some(value) = value(name, env) else {
                let known = path.rsplit_once('/').map_or("", |(folders, _)| folders);
                return (known.to_owned(), false);
            };
            path.push_str(value);
            rest = after;
        } else {
            path.push('$');
            rest = after;
        }
    }
    path.push_str(rest);
    (path, true)
}

/// Splits `(NAME)rest`.
fn variable(text: &str) -> Option<(&str, &str)> {
    text.strip_prefix('(')?.split_once(')')
}

/// Returns the value of a variable that does not depend on others.
fn value<'e>(name: &str, env: &'e [EnvVar]) -> Option<&'e str> {
    let variable = env.iter().rev().find(|variable| variable.name == name)?;
    let value = variable.value.as_deref()?;
    (!value.contains("$(")).then_some(value)
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

    #[test]
    fn variables_are_replaced() {
        let variable = |name: &str, value: Option<&str>| EnvVar {
            name: name.to_owned(),
            value: value.map(str::to_owned),
        };
        let env = [
            variable("DIR", Some("old")),
            variable("DIR", Some("nri")),
            variable("NODE", None),
            variable("NESTED", Some("$(DIR)")),
        ];
        for (expression, path, is_known) in [
            ("a/$(DIR)/b", "a/nri/b", true),
            ("$$(DIR)", "$(DIR)", true),
            ("a$", "a$", true),
            ("a$(DIR", "a$(DIR", true),
            ("nri/$(NODE)/x", "nri", false),
            ("nri/x-$(UNSET)", "nri", false),
            ("$(NESTED)", "", false),
            ("a/$(DIR)/$(NODE)", "a/nri", false),
        ] {
            let expected = (path.to_owned(), is_known);
            assert_eq!(expand(expression, &env), expected, "{expression}");
        }
    }
}
