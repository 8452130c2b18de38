//! The usual places of configurations, and unusual ones that are named.

use nri_compat::check::collect::{Request, collect};

use super::{Machine, containerd};
use crate::common::{self, paths};

#[test]
fn configurations_are_found_wherever_distributions_put_them() {
    let config = containerd("/srv/plugins");
    let table = "[plugins.'io.containerd.nri.v1.nri']\nplugin_path = '/srv/plugins'\n".to_owned();
    for (files, what) in [
        (vec![("etc/containerd/config.toml", config.clone())], "default"),
        (vec![("usr/share/containerd/config.toml", config.clone())], "distribution"),
        (vec![("var/lib/rancher/k3s/agent/etc/containerd/config.toml", config.clone())], "k3s"),
        (vec![("var/lib/rancher/rke2/agent/etc/containerd/config.toml", config.clone())], "RKE2"),
        (vec![("var/snap/microk8s/current/args/containerd.toml", config.clone())], "MicroK8s"),
        (vec![("etc/k0s/containerd.toml", config.clone())], "k0s"),
        (vec![("run/k0s/containerd-cri.toml", config.clone())], "k0s, generated"),
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
            vec![(
                "var/lib/rancher/k3s/agent/etc/containerd/config-v3.toml.tmpl",
                format!("{{{{ template \"base\" . }}}}\n\n{table}"),
            )],
            "template of k3s",
        ),
        (
            vec![(
                "var/lib/rancher/rke2/agent/etc/containerd/config.toml.tmpl",
                format!("version = 2\nroot = '{{{{ .Root }}}}'\n{table}[debug]\n"),
            )],
            "template of RKE2",
        ),
        (
            vec![(
                "var/lib/rancher/k3s/agent/etc/containerd/config-v3.toml.d/nri.toml",
                table.clone(),
            )],
            "drop-in of k3s",
        ),
        (vec![("etc/k0s/containerd.d/nri.toml", table.clone())], "drop-in of k0s"),
        (
            vec![(
                "var/snap/microk8s/current/args/containerd-template.toml",
                format!("version = 2\nroot = \"${{SNAP_DATA}}\"\n{table}"),
            )],
            "template of MicroK8s",
        ),
    ] {
        let mut machine = Machine::new().with("srv/plugins/10-a", "MARK a");
        for (path, text) in &files {
            machine = machine.with(path, text);
        }
        let found = machine.collected(&[], false);
        assert_eq!(machine.bare(&paths(&found)), ["/srv/plugins/10-a"], "{what}: {found:?}");
    }
}

#[test]
fn a_template_gives_way_to_the_file_that_is_made_from_it() {
    let folder = "var/lib/rancher/k3s/agent/etc/containerd";
    let machine = Machine::new()
        .with("srv/plugins/10-a", "MARK a")
        .with("srv/later/10-b", "MARK b")
        .with(&format!("{folder}/config.toml"), &containerd("/srv/plugins"))
        .with(&format!("{folder}/config.toml.tmpl"), &containerd("/srv/later"));
    assert_eq!(machine.found(&[]), ["/srv/plugins/10-a"]);
}

#[test]
fn a_template_that_cannot_be_read_is_listed() {
    let file = "var/lib/rancher/rke2/agent/etc/containerd/config-v3.toml.tmpl";
    let template = format!("{{{{ if .Nri }}}}\n{}{{{{ end }}}}\n", containerd("/srv/plugins"));
    let machine = Machine::new().with(file, &template);
    let line = format!(
        "/{file}: a template whose settings for NRI depend on actions; check the configuration that is made from it"
    );
    assert_eq!(machine.bare(&common::skipped(&machine.collected(&[], false))), [line]);
}

#[test]
fn an_unusual_place_is_named() {
    let machine = Machine::new()
        .with("srv/plugins/10-a", "MARK a")
        .with("opt/nri/plugins/10-b", "MARK b")
        .with("a/b.toml", &containerd("/srv/plugins"))
        .with("a/no.toml", "x = 1\n");
    let collected = |file: &str| {
        let request = Request {
            config_files: vec![machine.root.join(file)],
            root: Some(machine.root.clone()),
            ..Request::default()
        };
        collect(&request, &[&common::Marker])
    };
    assert_eq!(machine.bare(&paths(&collected("a/b.toml"))), ["/srv/plugins/10-a"]);
    assert_eq!(
        machine.bare(&common::answers(&collected("a/no.toml"))),
        ["/a/no.toml: not a configuration of containerd or CRI-O"]
    );
    let absent = collected("a/absent.toml");
    assert_eq!(machine.bare(&absent.missing), ["/a/absent.toml"]);
}

#[test]
fn static_pods_are_found_where_kubelets_look_for_them() {
    let pod = |path: &str| {
        format!(
            "apiVersion: v1\nkind: Pod\nmetadata: {{name: a}}\nspec:\n  containers:\n  - {{name: b, image: 'example.com/b:1', volumeMounts: [{{name: c, mountPath: {path}}}]}}\n  volumes:\n  - {{name: c, hostPath: {{path: {path}}}}}\n"
        )
    };
    for folder in [
        "etc/kubernetes/manifests",
        "var/lib/rancher/k3s/agent/pod-manifests",
        "var/lib/rancher/rke2/agent/pod-manifests",
        "srv/pods",
    ] {
        let machine = Machine::new()
            .with("etc/kubernetes/kubelet.yaml", "staticPodPath: /srv/pods\n")
            .with(&format!("{folder}/plugin.yaml"), &pod("/var/run/nri"))
            .with(&format!("{folder}/other.yaml"), &pod("/var/log"));
        let found = machine.collected(&[], false);
        let files: Vec<_> =
            found.sightings.iter().filter_map(|one| one.place.file.rsplit('/').next()).collect();
        assert_eq!(files, ["plugin.yaml"], "{folder}: {:?}", found.sightings);
        assert!(machine.places(&found).contains(&format!("/{folder}")), "{folder}");
    }
}
