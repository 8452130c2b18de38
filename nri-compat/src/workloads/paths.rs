//! The paths of a host that belong to NRI, and the folders around them.

use memchr::memmem;

/// Something on a host that a plugin uses, as a phrase.
pub(super) type HostResource = &'static str;

const SOCKET: HostResource = "the NRI socket";
const PLUGIN_FOLDER: HostResource = "the folder of NRI plugins";
const CONFIGURATION: HostResource = "the configuration of NRI plugins";

/// The name of folders that are dedicated to NRI.
const FOLDER: &str = "nri";

/// The folder, as a text names it within a path.
const IN_PATH: &[u8] = b"/nri";

/// The name of the socket.
const SOCKET_NAME: &str = "nri.sock";

/// The names in the folder of NRI, and what they are.
const IN_FOLDER: [(&str, HostResource); 5] = [
    (SOCKET_NAME, SOCKET),
    ("plugins", PLUGIN_FOLDER),
    ("bin", PLUGIN_FOLDER),
    ("conf.d", CONFIGURATION),
    ("conf.json", CONFIGURATION),
];

/// The folders around that of NRI, of which a container that mounts one probably uses NRI.
/// Exporters and scanners mount `/`, `/var` and `/etc`, and are not plugins.
const AROUND: [(&str, HostResource); 4] = [
    ("run", SOCKET),
    ("opt", PLUGIN_FOLDER),
    ("var/snap/microk8s/common", SOCKET),
    ("var/snap/microk8s/common/run", SOCKET),
];

/// Returns what a path of a host is or belongs to.
pub(super) fn direct(path: &str) -> Option<HostResource> {
    let names = names(path)?;
    if names.contains(&SOCKET_NAME) {
        return Some(SOCKET);
    }
    let at = names.iter().position(|name| *name == FOLDER)?;
    let (above, below) = names.split_at(at);
    let next = below.get(1);
    let known = IN_FOLDER.iter().find(|(name, _)| next == Some(name));
    Some(match known {
        Some((_, resource)) => *resource,
        None if above.contains(&"run") => SOCKET,
        None if above.contains(&"etc") => CONFIGURATION,
        None => PLUGIN_FOLDER,
    })
}

/// Returns what a path of a host contains, if it is a folder around that of NRI.
pub(super) fn around(path: &str) -> Option<HostResource> {
    let path = names(path)?.join("/");
    let found = AROUND.iter().find(|(folder, _)| *folder == path);
    found.map(|(_, resource)| *resource)
}

/// Returns the components of a normalised path, in which `/var/run` is `/run`; `None` for one that
/// is not absolute, such as `C:\nri`. As in the kernel, `..` at the root is the root.
fn names(path: &str) -> Option<Vec<&str>> {
    let mut names = Vec::new();
    for name in path.strip_prefix('/')?.split('/') {
        match name {
            "" | "." => {}
            ".." => drop(names.pop()),
            name => names.push(name),
        }
        if names == ["var", "run"] {
            names = vec!["run"];
        }
    }
    Some(names)
}

/// Returns true if a text names a path that belongs to NRI: a folder `nri`, or its socket.
pub(crate) fn mentions_nri(text: &[u8]) -> bool {
    let is_end = |at: usize| {
        let next = text.get(at);
        next.is_none_or(|byte| !byte.is_ascii_alphanumeric() && !b"-_.".contains(byte))
    };
    memmem::find(text, SOCKET_NAME.as_bytes()).is_some()
        || memmem::find_iter(text, IN_PATH).any(|at| is_end(at + IN_PATH.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_of_nri_and_folders_around_them_are_known() {
        let socket = "/var/run/nri/ //run//nri/./nri.sock /var/../run/nri /var/lib/../run/nri /run/k3s/nri/nri.sock \
            /var/run/nri.sock /var/snap/microk8s/common/run/nri.sock /run /var/run/ /var/snap/microk8s/common/run";
        let plugins = "/opt/nri/plugins/10-logger /../../opt/nri /opt/nri/bin /var/lib/rancher/rke2/nri/plugins /opt";
        let configuration = "/etc/nri/conf.d/10-logger.conf /etc/nri/conf.json /srv/nri/conf.d";
        let others = "/ /etc /var /run/containerd/containerd.sock /run/nri/../containerd /var/running/x \
            /home/var/run /opt/nrix run/nri ~/nri C:\\run\\nri";
        for (paths, expected) in [
            (socket, Some(SOCKET)),
            (plugins, Some(PLUGIN_FOLDER)),
            (configuration, Some(CONFIGURATION)),
            (others, None),
            ("", None),
        ] {
            for path in paths.split(' ') {
                assert_eq!(direct(path).or(around(path)), expected, "{path}");
            }
        }
    }

    #[test]
    fn the_defaults_of_the_runtimes_are_known() {
        for runtime in crate::data::history().unwrap().runtimes() {
            assert_eq!(direct(&runtime.socket), Some(SOCKET));
            assert_eq!(direct(&runtime.plugin_dir), Some(PLUGIN_FOLDER));
            assert_eq!(direct(&runtime.config_dir), Some(CONFIGURATION));
        }
    }

    #[test]
    fn only_the_folder_of_nri_is_a_path_of_it() {
        for (text, expected) in [
            ("path: /run/nri", true),
            ("dir: {{ .Values.run }}/nri\n", true),
            ("/opt/nri/plugins", true),
            ("a: nri.sock", true),
            ("newrelic/nri-kubernetes", false),
            ("/nri_x /nris nri /run/nri.d", false),
        ] {
            assert_eq!(mentions_nri(text.as_bytes()), expected, "{text}");
        }
    }
}
