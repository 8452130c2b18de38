//! The requests: lists and their pages, and nothing else.

use std::path::Path;

use nri_compat::cluster::{RESOURCES, VERB};
use serde_json::{Value, json};

use crate::api_server::{Answer, ApiServer, Generated};
use crate::command::{SMALL, check_server, is};

#[test]
fn only_lists_are_requested_and_the_role_permits_exactly_those() {
    let server = ApiServer::start(|request| SMALL.answer(request));
    check_server(&server, &[]);
    let requests = server.requests();
    assert!(requests.iter().all(|request| request.method == "GET"));
    let mut paths: Vec<&str> = requests.iter().map(|request| request.path.as_str()).collect();
    paths.sort_unstable();
    let mut expected: Vec<String> = RESOURCES.iter().map(|resource| resource.path(None)).collect();
    expected.sort_unstable();
    assert_eq!(paths, expected);
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let text = |path: &str| std::fs::read_to_string(root.join(path)).expect("a file");
    let deployed = text("../deploy/kubernetes/cluster-reader.yaml");
    let permitted: Value = serde_yaml_ng::from_str(&deployed).expect("YAML");
    let names: Vec<(&str, &str)> = permitted["rules"]
        .as_array()
        .expect("rules")
        .iter()
        .flat_map(|rule| {
            assert_eq!(rule["verbs"], json!([VERB]));
            let group = rule["apiGroups"][0].as_str().expect("a group");
            rule["resources"]
                .as_array()
                .expect("resources")
                .iter()
                .map(move |plural| (group, plural.as_str().expect("a name")))
        })
        .collect();
    assert_eq!(names, RESOURCES.map(|resource| (resource.group, resource.plural)));
    let (_, role) = deployed.split_once("apiVersion: ").expect("an object");
    let chapter = text("../docs/src/check/cluster.md");
    assert!(chapter.contains(role), "the book does not show\n{role}");
}

#[test]
fn long_lists_are_read_page_by_page() {
    let cluster = Generated { pods: 1200, ..SMALL };
    let server = ApiServer::start(move |request| cluster.answer(request));
    let report = check_server(&server, &["--format", "json"]).json();
    assert_eq!(report["cluster"]["pods"], 1200);
    let requests = server.requests();
    let pods = requests.iter().filter(|request| is(request, "pods"));
    let pages: Vec<_> = pods.map(|request| request.query.get("continue").cloned()).collect();
    assert_eq!(pages, [None, Some("500".to_owned()), Some("1000".to_owned())]);
}

#[test]
fn a_list_that_expires_is_given_up() {
    let server = ApiServer::start(|request| {
        if is(request, "pods") && request.query.contains_key("continue") {
            return Answer::failure(410, "Expired", "The provided continue parameter is too old");
        }
        Generated { pods: 600, ..SMALL }.answer(request)
    });
    let output = check_server(&server, &[]);
    assert_eq!(output.code, Some(1), "{output:?}");
    assert!(output.stderr.contains("pods"), "{output:?}");
    assert!(output.stderr.contains("410"), "{output:?}");
    assert!(output.stderr.contains("run the command again"), "{output:?}");
}

#[test]
fn a_page_that_is_too_large_is_given_up() {
    let server = ApiServer::start(|request| {
        if is(request, "pods") {
            return Answer::ok("x".repeat(65 << 20));
        }
        SMALL.answer(request)
    });
    let output = check_server(&server, &[]);
    assert_eq!(output.code, Some(1), "{output:?}");
    assert!(output.stderr.contains("a page of pods is larger than 64 MiB"), "{output:?}");
}

#[test]
fn a_list_without_an_end_is_given_up() {
    let server = ApiServer::start(|request| {
        if is(request, "jobs") {
            return Answer::ok(r#"{"metadata":{"continue":"t"},"items":[]}"#);
        }
        SMALL.answer(request)
    });
    let output = check_server(&server, &[]);
    assert_eq!(output.code, Some(1), "{output:?}");
    assert!(output.stderr.contains("no end"), "{output:?}");
}

#[test]
fn a_namespace_limits_workloads_but_not_nodes() {
    let server = ApiServer::start(|request| SMALL.answer(request));
    let output = check_server(&server, &["--namespace", "kube-system", "--format", "json"]);
    assert_eq!(output.json()["cluster"]["namespace"], "kube-system");
    let requests = server.requests();
    let paths: Vec<&str> = requests.iter().map(|request| request.path.as_str()).collect();
    assert!(paths.contains(&"/api/v1/nodes"));
    assert!(paths.contains(&"/api/v1/namespaces/kube-system/pods"));
    assert!(paths.contains(&"/apis/apps/v1/namespaces/kube-system/daemonsets"));
}

#[test]
fn a_namespace_that_is_no_name_reaches_no_other_path() {
    let server = ApiServer::start(|request| SMALL.answer(request));
    let output = check_server(&server, &["--namespace", "../secrets?x"]);
    assert_eq!(output.code, Some(1), "{output:?}");
    assert!(output.stderr.contains("namespace"), "{output:?}");
    assert!(server.requests().is_empty());
}
