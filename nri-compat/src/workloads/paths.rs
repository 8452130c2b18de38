//! The paths of a host that belong to NRI, and the relation of mounted folders to them.

use std::fmt;
use std::sync::OnceLock;

use super::host_path::NodePath;

/// Something on a host that a plugin uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Resource {
    /// The socket where a runtime accepts plugins.
    Socket,
    /// The folder of the plugins that a runtime starts.
    PluginFolder,
    /// The configuration of plugins.
    Configuration,
}

/// The relation of a mounted path to a resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Reach {
    /// It is the resource, a part of it, or the folder dedicated to it.
    Direct,
    /// It is the folder around that folder, such as `/var/run`, which also contains other things.
    Parent,
}

/// A path that is known to belong to NRI.
#[derive(Debug)]
struct KnownPath {
    path: NodePath,
    resource: Resource,
}

/// The paths of NRI v0.1.0, which its code hard-codes, and sockets that distributions configure.
const FURTHER: [(&str, Resource); 3] = [
    ("/opt/nri/bin", Resource::PluginFolder),
    ("/etc/nri/conf.json", Resource::Configuration),
    ("/var/snap/microk8s/common/run/nri.sock", Resource::Socket),
];

/// The final components of paths that belong to NRI in any folder, for configured paths.
const SUFFIXES: [(&[&str], Resource); 5] = [
    (&["nri.sock"], Resource::Socket),
    (&["nri", "plugins"], Resource::PluginFolder),
    (&["nri", "bin"], Resource::PluginFolder),
    (&["nri", "conf.d"], Resource::Configuration),
    (&["nri", "conf.json"], Resource::Configuration),
];

/// The name of folders that are dedicated to NRI.
const FOLDER: &str = "nri";

impl fmt::Display for Resource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Socket => "the NRI socket",
            Self::PluginFolder => "the folder of NRI plugins",
            Self::Configuration => "the configuration of NRI plugins",
        })
    }
}

/// Returns the resources that a mount makes visible, with the most direct relation first; `None` if
/// it does not involve NRI.
pub(super) fn resources(mounted: &NodePath, can_be_folder: bool) -> Option<(Reach, Vec<Resource>)> {
    if let Some(resource) = direct(mounted) {
        return Some((Reach::Direct, vec![resource]));
    }
    let mut above: Vec<Resource> = known()
        .iter()
        .filter(|known| can_be_folder && is_around(mounted, known))
        .map(|known| known.resource)
        .collect();
    above.sort_unstable();
    above.dedup();
    (!above.is_empty()).then_some((Reach::Parent, above))
}

/// Returns true if a folder is so close above a path that a container that mounts it probably uses the
/// path: around the folder that is dedicated to NRI, as `/run` and `/opt`. Exporters and scanners mount
/// `/`, `/var` and `/etc`, and are no plugins.
fn is_around(folder: &NodePath, known: &KnownPath) -> bool {
    let is_used = match known.resource {
        Resource::Socket | Resource::PluginFolder => true,
        Resource::Configuration => false,
    };
    let depth = known.path.depth_below(folder);
    is_used && !folder.components().is_empty() && depth.is_some_and(|depth| depth <= 2)
}

/// Returns the resource that this path is or belongs to.
fn direct(path: &NodePath) -> Option<Resource> {
    let is_known = |known: &&KnownPath| path.is_within(&known.path);
    known()
        .iter()
        .find(is_known)
        .map(|known| known.resource)
        .or_else(|| by_end(path))
        .or_else(|| by_folder(path))
}

/// Recognises a configured path by its last components, or by those of a folder above it.
fn by_end(path: &NodePath) -> Option<Resource> {
    let components = path.components();
    let occurs = |end: &[&str]| components.windows(end.len()).any(|part| part == end);
    let found = SUFFIXES.iter().find(|(end, _)| occurs(end));
    found.map(|(_, resource)| *resource)
}

/// Recognises a folder named `nri` and its content.
fn by_folder(path: &NodePath) -> Option<Resource> {
    let components = path.components();
    let at = components.iter().position(|name| name == FOLDER)?;
    let is_below = |name: &str| {
        components
            .iter()
            .take(at)
            .any(|component| component == name)
    };
    Some(if is_below("run") {
        Resource::Socket
    } else if is_below("etc") {
        Resource::Configuration
    } else {
        Resource::PluginFolder
    })
}

/// Returns the known paths: the defaults in the table of runtimes, and further ones.
fn known() -> &'static [KnownPath] {
    static KNOWN: OnceLock<Vec<KnownPath>> = OnceLock::new();
    KNOWN.get_or_init(|| {
        let further = FURTHER.iter().map(|(path, resource)| (*path, *resource));
        let parse = |(path, resource)| {
            let path = NodePath::parse(path)?;
            Some(KnownPath { path, resource })
        };
        defaults().chain(further).filter_map(parse).collect()
    })
}

/// Returns the default paths of the runtimes; none if the tables cannot be read, an error that
/// `check` reports before it reads anything else.
fn defaults() -> impl Iterator<Item = (&'static str, Resource)> {
    let history = crate::data::history().ok();
    let runtimes = history.map(|history| history.runtimes());
    runtimes.into_iter().flatten().flat_map(|runtime| {
        [
            (runtime.socket.as_str(), Resource::Socket),
            (runtime.plugin_dir.as_str(), Resource::PluginFolder),
            (runtime.config_dir.as_str(), Resource::Configuration),
        ]
    })
}
