//! Configurations that systemd units and command lines name.

use crate::common::{self, paths};
use crate::{Machine, containerd};

#[test]
fn configurations_are_found_wherever_distributions_put_them() {
    let unit = |command: &str| format!("[Service]\nExecStart={command}\n");
    let config = containerd("/srv/plugins");
    for (files, what) in [
        (
            vec![("etc/containerd/config.toml", config.clone())],
            "default",
        ),
        (
            vec![("usr/share/containerd/config.toml", config.clone())],
            "distribution",
        ),
        (
            vec![(
                "var/lib/rancher/k3s/agent/etc/containerd/config.toml",
                config.clone(),
            )],
            "k3s",
        ),
        (
            vec![(
                "var/lib/rancher/rke2/agent/etc/containerd/config.toml",
                config.clone(),
            )],
            "RKE2",
        ),
        (
            vec![(
                "var/snap/microk8s/current/args/containerd.toml",
                config.clone(),
            )],
            "MicroK8s",
        ),
        (vec![("etc/k0s/containerd.toml", config.clone())], "k0s"),
        (
            vec![("run/k0s/containerd-cri.toml", config.clone())],
            "k0s, generated",
        ),
        (vec![("etc/cri/containerd.toml", config.clone())], "Talos"),
        (
            vec![
                (
                    "etc/k0s/containerd.toml",
                    "version = 2\nimports = ['/run/k0s/x.d/*.toml']".into(),
                ),
                ("run/k0s/x.d/nri.toml", config.clone()),
            ],
            "import by pattern",
        ),
        (
            vec![
                (
                    "usr/lib/systemd/system/containerd.service",
                    unit("/usr/bin/containerd --config /a/b.toml"),
                ),
                ("a/b.toml", config.clone()),
            ],
            "unit",
        ),
        (
            vec![
                (
                    "usr/lib/systemd/system/containerd.service",
                    unit("/usr/bin/containerd"),
                ),
                (
                    "etc/systemd/system/containerd.service.d/10-config.conf",
                    unit("\nExecStart=/usr/bin/containerd -c /a/b.toml"),
                ),
                ("a/b.toml", config.clone()),
            ],
            "drop-in of a unit",
        ),
        (
            vec![
                (
                    "etc/systemd/system/k3s.service",
                    unit("/usr/local/bin/k3s server '--data-dir' '/data'"),
                ),
                ("data/agent/etc/containerd/config.toml", config.clone()),
            ],
            "k3s with a folder of its own",
        ),
        (
            vec![
                (
                    "proc/77/cmdline",
                    "/usr/bin/containerd\0--config=/a/b.toml\0".into(),
                ),
                ("a/b.toml", config.clone()),
            ],
            "process",
        ),
        (
            vec![
                ("proc/78/cmdline", "crio\0-c\0/a/crio.conf\0".into()),
                (
                    "a/crio.conf",
                    "[crio.nri]\nnri_plugin_dir = '/srv/plugins'".into(),
                ),
            ],
            "process of CRI-O",
        ),
        (
            vec![
                (
                    "proc/79/cmdline",
                    "/usr/bin/crio\0--nri-plugin-dir\0/srv/plugins\0".into(),
                ),
                ("etc/crio/crio.conf", "[crio.runtime]\n".into()),
            ],
            "plugin folder on the command line of CRI-O",
        ),
        (
            vec![
                (
                    "etc/systemd/system/crio.service",
                    unit("/usr/bin/crio --config-dir /drop"),
                ),
                (
                    "drop/10-nri.conf",
                    "[crio.nri]\nnri_plugin_dir = '/srv/plugins'".into(),
                ),
            ],
            "drop-in folder on the command line of CRI-O",
        ),
        (
            vec![
                (
                    "etc/systemd/system/crio.service",
                    unit("/usr/bin/crio -c /a/crio.conf"),
                ),
                ("a/crio.conf", "[crio.runtime]\n".into()),
                (
                    "etc/crio/crio.conf.d/10-nri.conf",
                    "[crio.nri]\nnri_plugin_dir = '/srv/plugins'".into(),
                ),
            ],
            "drop-in folder of CRI-O beside a file elsewhere",
        ),
        (
            vec![
                ("proc/80/cmdline", "crio\0".into()),
                (
                    "proc/80/environ",
                    "A=b\0CONTAINER_CONFIG=/a/crio.conf\0".into(),
                ),
                (
                    "a/crio.conf",
                    "[crio.nri]\nnri_plugin_dir = '/srv/plugins'".into(),
                ),
            ],
            "environment of a process",
        ),
        (
            vec![
                (
                    "etc/systemd/system/containerd.service",
                    unit("/bin/sh -c \"exec containerd -c '/a/b.toml'\""),
                ),
                ("a/b.toml", config.clone()),
            ],
            "shell in a unit",
        ),
        (
            vec![
                ("etc/rancher/k3s/config.yaml", "token: x\n".into()),
                (
                    "etc/rancher/k3s/config.yaml.d/10-data.yaml",
                    "data-dir: /data\n".into(),
                ),
                ("data/agent/etc/containerd/config.toml", config.clone()),
            ],
            "configuration of k3s",
        ),
    ] {
        let mut machine = Machine::new().with("srv/plugins/10-a", "MARK a");
        for (path, text) in &files {
            machine = machine.with(path, text);
        }
        let found = machine.look(&[], false);
        assert_eq!(
            machine.bare(&paths(&found)),
            ["/srv/plugins/10-a"],
            "{what}: {found:?}"
        );
    }
}

#[test]
fn a_configuration_that_a_unit_names_and_that_is_not_there_counts() {
    let unit = "[Service]\nExecStart=/usr/bin/containerd --config /gone.toml\n";
    let machine = Machine::new().with("lib/systemd/system/containerd.service", unit);
    let line = "/gone.toml: no such file or folder, but containerd.service names it";
    assert_eq!(
        machine.bare(&common::skipped(&machine.look(&[], false))),
        [line]
    );
}

#[test]
fn a_plugin_folder_on_a_command_line_that_is_not_there_counts() {
    let unit = "[Service]\nExecStart=/usr/bin/crio --nri-plugin-dir=/gone --enable-nri\n";
    let machine = Machine::new()
        .with("etc/crio/crio.conf", "[crio.nri]\nenable_nri = false\n")
        .with("lib/systemd/system/crio.service", unit);
    let found = machine.look(&[], false);
    let line = "/gone: no such file or folder, but crio.service names it";
    assert_eq!(machine.bare(&common::skipped(&found)), [line]);
    let line = "/etc/crio/crio.conf (cri-o, NRI is on, named by crio.service)".to_owned();
    assert!(machine.places(&found).contains(&line), "{found:?}");
}
