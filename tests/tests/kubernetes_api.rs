//! A real API server with etcd: what `deploy/` has for clusters.

use std::path::Path;

use nri_tests::kubernetes::{ControlPlane, User};

/// Returns the path of a file or a folder of the repository.
fn repository(path: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(path);
    path.to_str().expect("path is text").to_owned()
}

#[test]
fn the_manifests_of_deploy_are_accepted() {
    let plane = ControlPlane::start(&[]);
    let kubectl = plane.kubectl(User::ADMIN);
    let apply =
        |arguments: &[&str]| kubectl.run(&[&["apply", "--validate=strict"], arguments].concat());
    apply(&["-f", &repository("deploy/kubernetes/common.yaml")]);
    apply(&["-f", &repository("deploy/kubernetes")]);
    let overlays =
        std::fs::read_dir(repository("deploy/plugins/kustomize")).expect("folder is readable");
    for overlay in overlays {
        let overlay = overlay.expect("folder is readable").path();
        if !overlay.ends_with("base") {
            apply(&["-k", overlay.to_str().expect("path is text")]);
        }
    }
    let sets = kubectl.get(&["daemonsets", "--all-namespaces"]);
    assert_eq!(sets["items"].as_array().map(Vec::len), Some(13));
}
