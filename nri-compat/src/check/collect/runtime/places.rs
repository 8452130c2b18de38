//! The usual places of configurations, per distribution.

/// A usual place of containerd's configuration.
#[derive(Debug)]
pub(super) struct Usual {
    /// The file that containerd reads.
    pub(super) file: &'static str,
    /// Files and patterns that the distribution makes this file from when it starts. They are read if
    /// it has not made the file yet.
    pub(super) sources: &'static [&'static str],
}

/// The places of containerd's configuration. kind, EKS, GKE, AKS and Bottlerocket use the first one.
pub(super) const CONTAINERD: &[Usual] = &[
    plain("/etc/containerd/config.toml"),
    // Flatcar.
    plain("/usr/share/containerd/config.toml"),
    // k0s: a file that replaces the generated one, which imports the drop-ins.
    plain("/etc/k0s/containerd.toml"),
    Usual {
        file: "/run/k0s/containerd-cri.toml",
        sources: &["/etc/k0s/containerd.d/*.toml"],
    },
    // k3s and RKE2, <https://docs.k3s.io/advanced#configuring-containerd>.
    Usual {
        file: "/var/lib/rancher/k3s/agent/etc/containerd/config.toml",
        sources: &[
            "/var/lib/rancher/k3s/agent/etc/containerd/config.toml.tmpl",
            "/var/lib/rancher/k3s/agent/etc/containerd/config-v3.toml.tmpl",
            "/var/lib/rancher/k3s/agent/etc/containerd/config.toml.d/*.toml",
            "/var/lib/rancher/k3s/agent/etc/containerd/config-v3.toml.d/*.toml",
        ],
    },
    Usual {
        file: "/var/lib/rancher/rke2/agent/etc/containerd/config.toml",
        sources: &[
            "/var/lib/rancher/rke2/agent/etc/containerd/config.toml.tmpl",
            "/var/lib/rancher/rke2/agent/etc/containerd/config-v3.toml.tmpl",
            "/var/lib/rancher/rke2/agent/etc/containerd/config.toml.d/*.toml",
            "/var/lib/rancher/rke2/agent/etc/containerd/config-v3.toml.d/*.toml",
        ],
    },
    // MicroK8s.
    Usual {
        file: "/var/snap/microk8s/current/args/containerd.toml",
        sources: &["/var/snap/microk8s/current/args/containerd-template.toml"],
    },
    // Canonical Kubernetes.
    plain("/var/snap/k8s/common/etc/containerd/config.toml"),
    // Talos.
    Usual {
        file: "/etc/cri/containerd.toml",
        sources: &["/etc/cri/conf.d/*.toml"],
    },
    // Docker with its own containerd.
    plain("/run/docker/containerd/containerd.toml"),
];

/// The path of CRI-O's configuration.
pub(super) const CRIO: &str = "/etc/crio/crio.conf";

/// The paths of v0.1.0 plugins and their configuration, which NRI's `skel` and its client
/// hard-code, and whether runtimes start the executables in them.
pub(super) const ONE_SHOT: [(&str, bool); 2] =
    [("/opt/nri/bin", true), ("/etc/nri/conf.json", false)];

const fn plain(file: &'static str) -> Usual {
    Usual { file, sources: &[] }
}
