//! The report: pools, verdicts, and the places beside the cluster.

use tempfile::TempDir;

use crate::api_server::{self, ApiServer, page};
use crate::command::{SMALL, check_server, command, is, nodes_of, run};

#[test]
fn plugins_are_judged_for_the_pools_on_which_they_run() {
    let server = ApiServer::start(|request| SMALL.answer(request));
    let output = check_server(&server, &["--format", "json", "--target", "containerd@2.7"]);
    assert_eq!(output.code, Some(0), "{output:?}");
    let report = output.json();
    let found = nodes_of(&report);
    let expected = [("DaemonSet kube-system/idle", 0), ("DaemonSet kube-system/logger", 5)];
    assert_eq!(found, expected.map(|(name, nodes)| (name.to_owned(), nodes)));
    let pools = &report["cluster"]["pools"];
    assert_eq!(pools[0]["runtime"], "containerd://2.2.3");
    assert_eq!(pools[0]["nodes"].as_array().map(Vec::len), Some(4));
    assert_eq!(pools[1]["target"], "cri-o@1.35.1");
    assert_eq!(report["cluster"]["pods"], 20);
    for subject in report["subjects"].as_array().expect("subjects") {
        assert_eq!(subject["verdicts"].as_array().map(Vec::len), Some(3), "{subject}");
    }
    assert_eq!(report["summary"].get("node"), None, "it is no report of a node");
}

#[test]
fn people_see_pools_and_what_cannot_be_seen() {
    let server = ApiServer::start(|request| SMALL.answer(request));
    let output = check_server(&server, &["--explain"]);
    for text in [
        "4 nodes containerd 2.2.3: checked as containerd@2.2.3",
        "1 node cri-o 1.35.1: checked as cri-o@1.35.1",
        "installed on the nodes themselves cannot be seen",
        "mounts /var/run/nri of the host",
        "no pod runs it: checked for all pools",
        "cluster test (http://127.0.0.1",
    ] {
        let shown: Vec<&str> = output.stdout.split_whitespace().collect();
        let text: Vec<&str> = text.split_whitespace().collect();
        assert!(shown.join(" ").contains(&text.join(" ")), "{text:?}: {output:?}");
    }
}

#[test]
fn nodes_whose_runtime_is_not_known_are_named() {
    let runtimes = [
        "docker://24.0.7",
        "containerd://9.9.9",
        "containerd://2.5.1",
        "",
        "containerd://1.7.27-k3s1",
        "containerd://2.2.3+unknown",
        "containerd://v2.2.3~ds1",
        "cri-o://1.35.1-dev",
        "containerd://Unknown",
        "containerd",
        "\\u001b[31m",
    ];
    let server = ApiServer::start(move |request| {
        if is(request, "nodes") {
            return page(request, runtimes.len(), |nth| api_server::node(nth, runtimes[nth]));
        }
        SMALL.answer(request)
    });
    let output = check_server(&server, &["--fail-on", "skipped"]);
    assert_eq!(output.code, Some(100), "{output:?}");
    for text in [
        "1 node docker 24.0.7: without plugins: this runtime does not support NRI",
        "1 node containerd 9.9.9: not checked: unknown release `9.9.9`",
        "1 node containerd 2.5.1: checked as containerd@2.5.1",
        "1 node without a runtime: not checked",
        "1 node containerd 1.7.27-k3s1: checked as containerd@1.7.27",
        "1 node containerd 2.2.3+unknown: checked as containerd@2.2.3",
        "1 node containerd v2.2.3~ds1: checked as containerd@2.2.3",
        "1 node cri-o 1.35.1-dev: checked as cri-o@1.35.1",
        "1 node containerd Unknown: not checked",
        "1 node containerd: not checked",
        "\\u{1b}[31m",
    ] {
        assert!(output.stdout.contains(text), "{text}: {output:?}");
    }
    assert!(!output.stdout.contains('\u{1b}'));
    let assumed = check_server(&server, &["--assume", "nri@0.12"]);
    assert!(assumed.stdout.contains("checked as containerd@9.9.9"), "{assumed:?}");
}

#[test]
fn files_are_checked_along_with_the_cluster() {
    let server = ApiServer::start(|request| SMALL.answer(request));
    let home = TempDir::new().expect("a folder");
    std::fs::write(home.path().join("config"), server.kubeconfig()).expect("written");
    std::fs::write(home.path().join("plugin"), "#!/bin/sh\n").expect("written");
    let output =
        run(&mut command(home.path(), &["--kubeconfig", "config", "plugin", "--format", "json"]));
    let report = output.json();
    let paths: Vec<&str> = report["subjects"]
        .as_array()
        .expect("subjects")
        .iter()
        .filter_map(|subject| subject["place"]["file"].as_str())
        .collect();
    assert!(paths.contains(&"plugin") && paths.contains(&"cluster test"), "{paths:?}");
    let missing = run(&mut command(home.path(), &["--kubeconfig", "config", "absent"]));
    assert_eq!(missing.code, Some(1), "{missing:?}");
}

#[test]
fn nothing_else_of_this_machine_is_checked() {
    let server = ApiServer::start(|request| page(request, 0, |_| String::new()));
    let report = check_server(&server, &["--format", "json"]).json();
    let looked_at = report["summary"]["looked_at"].as_array().expect("places");
    assert_eq!(looked_at.len(), 1, "{looked_at:?}");
}

#[test]
fn nodes_whose_runtime_warned_are_joined_with_the_plugins_on_them() {
    let condition = r#"{"type":"ContainerdHasNoDeprecationWarnings","status":"False","reason":"ContainerdHasDeprecationWarnings","message":"{\"io.containerd.deprecation/nri-plugin-interface\":\"NRI plugin uses a deprecated interface.\"}"}"#;
    let server = ApiServer::start(move |request| {
        if is(request, "nodes") {
            return page(request, 5, |nth| {
                let node = api_server::node(nth, "containerd://2.3.4");
                let conditions = if nth < 2 { condition } else { "" };
                node.replace("\"conditions\":[]", &format!("\"conditions\":[{conditions}]"))
            });
        }
        SMALL.answer(request)
    });
    let report = check_server(&server, &["--format", "json"]).json();
    let subjects = report["subjects"].as_array().expect("subjects");
    let of_nodes = |subject: &&serde_json::Value| subject["kind"] == "deprecation_list";
    let warned = subjects.iter().find(of_nodes).expect("the nodes warned");
    assert_eq!(warned["nodes"].as_array().map(Vec::len), Some(2), "{warned}");
    assert_eq!(warned["verdicts"][0]["verdict"], "deprecated", "{warned}");
    let evidence = warned["evidence"].to_string();
    assert!(evidence.contains("of 2 nodes is False") && evidence.contains("logger"), "{evidence}");
    let logger = subjects.iter().find(|subject| subject["place"]["workload"]["name"] == "logger");
    let of_logger = logger.expect("a plugin in pods")["evidence"].to_string();
    assert!(of_logger.contains("the runtime of 2 nodes with it warned"), "{of_logger}");
}
