//! Helm charts that are not rendered, in folders and archives.

use std::path::Path;
use std::process::Command;

use serde_json::Value;

/// The parts of a chart that mounts the socket, each time with the path in another file.
const CHARTS: [&[(&str, &str)]; 3] = [
    &[
        ("Chart.yaml", "apiVersion: v2\nname: agent\nversion: 1.0.0\n"),
        (
            "templates/ds.yaml",
            "apiVersion: apps/v1\nkind: DaemonSet\nspec:\n{{ if .Values.nri }}\n  path: /run/nri\n{{ end }}\n",
        ),
    ],
    &[
        ("Chart.yaml", "apiVersion: v2\nname: agent\nversion: 1.0.0\n"),
        ("values.yaml", "socketDir: /var/run/nri\n"),
        (
            "templates/ds.yaml",
            "apiVersion: apps/v1\nkind: DaemonSet\nspec: {volumes: [{hostPath: {path: {{ .Values.socketDir }} }}]}\n",
        ),
    ],
    &[
        ("Chart.yaml", "apiVersion: v2\nname: agent\nversion: 1.0.0\n"),
        ("templates/_helpers.tpl", "{{ define \"dir\" }}/opt/nri/plugins{{ end }}\n"),
        ("templates/ds.yaml", "path: {{ include \"dir\" . }}\n"),
    ],
];

/// Charts of published plugins, which name no path: they depend on another chart.
const PUBLISHED: [&[(&str, &str)]; 2] = [
    &[("Chart.yaml", "apiVersion: v2\nname: nri-memory-qos\nversion: 0.9.4\n")],
    &[(
        "Chart.yaml",
        "apiVersion: v2\nname: umbrella\ndependencies:\n- name: nri-resource-policy-balloons\n  version: 0.9.4\n",
    )],
];

/// A chart that has nothing to do with NRI, although its images are called `nri-…`.
const OTHER: &[(&str, &str)] = &[
    ("Chart.yaml", "apiVersion: v2\nname: nri-bundle\nversion: 5.0.0\n"),
    ("values.yaml", "image: newrelic/nri-kubernetes\n"),
    (
        "templates/ds.yaml",
        "apiVersion: apps/v1\nkind: DaemonSet\nspec: {image: {{ .Values.image }} }\n",
    ),
];

fn write(folder: &Path, files: &[(&str, &str)]) {
    for (name, content) in files {
        let path = folder.join(name);
        std::fs::create_dir_all(path.parent().expect("in a folder")).expect("a folder");
        std::fs::write(path, content).expect("written");
    }
}

fn archive(files: &[(&str, &str)]) -> Vec<u8> {
    let gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    let mut tar = tar::Builder::new(gzip);
    for (name, content) in files {
        let mut header = tar::Header::new_gnu();
        header.set_size(content.len() as u64);
        header.set_mode(0o644);
        let path = format!("agent/{name}");
        tar.append_data(&mut header, path, content.as_bytes()).expect("in memory");
    }
    tar.into_inner().expect("in memory").finish().expect("in memory")
}

/// Returns the paths that are unknown, and whether anything was skipped.
fn check(path: &Path) -> (Vec<String>, usize) {
    let output = Command::new(env!("CARGO_BIN_EXE_nri-compat"))
        .arg("check")
        .arg(path)
        .args(["--format", "json", "--target", "containerd@2.4"])
        .output()
        .expect("the command starts");
    let report: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let subjects = report["subjects"].as_array().expect("a list");
    let unknown = subjects.iter().map(|subject| {
        assert_eq!(subject["verdicts"][0]["verdict"], "unknown", "{subject:#}");
        let step = subject.to_string();
        assert!(step.contains("helm template"), "{step}");
        subject["path"].as_str().expect("a text").to_owned()
    });
    (unknown.collect(), report["skipped"].as_array().expect("a list").len())
}

#[test]
fn a_chart_that_may_install_a_plugin_is_unknown_once() {
    for files in CHARTS.iter().chain(&PUBLISHED) {
        let folder = tempfile::tempdir().expect("a folder");
        let chart = folder.path().join("charts/agent");
        write(&chart, files);
        let expected = vec![chart.to_str().expect("UTF-8").to_owned()];
        for named in [folder.path(), &chart, &chart.join("Chart.yaml")] {
            let (unknown, skipped) = check(named);
            let is_part = named.is_file() && unknown != expected;
            assert!(unknown == expected || is_part && unknown.len() == 1, "{files:?}: {unknown:?}");
            assert_eq!(skipped, 0, "{files:?}");
        }
        let packed = folder.path().join("agent-1.0.0.tgz");
        std::fs::write(&packed, archive(files)).expect("written");
        let (unknown, _) = check(&packed);
        assert_eq!(unknown.len(), 1, "{files:?}: {unknown:?}");
        assert!(unknown[0].ends_with("agent"), "{unknown:?}");
    }
}

#[test]
fn other_charts_are_silent() {
    let folder = tempfile::tempdir().expect("a folder");
    write(&folder.path().join("nri-bundle"), OTHER);
    std::fs::write(folder.path().join("nri-bundle.tgz"), archive(OTHER)).expect("written");
    assert_eq!(check(folder.path()), (Vec::new(), 0));
}
