//! `nri-compat check --cluster`, against servers on loopback.
#![cfg(feature = "cluster")]

#[path = "common/api_server.rs"]
#[allow(dead_code)]
mod api_server;

use std::path::Path;
use std::process::Command;

use api_server::{Answer, ApiServer, Generated, PLUGIN_SPEC, Request, kubeconfig, page};
use serde_json::Value;
use tempfile::TempDir;

const SMALL: Generated = Generated {
    nodes: 5,
    pods: 20,
    plugin_every: 1,
    padding: 0,
};

/// The exit code and the output of the command.
#[derive(Debug)]
struct Output {
    code: Option<i32>,
    stdout: String,
    stderr: String,
}

impl Output {
    fn json(&self) -> Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    /// Asserts that the command could not run, and that it says so with all these words.
    #[track_caller]
    fn fails_with(&self, words: &[&str]) {
        assert_eq!(self.code, Some(1), "{self:?}");
        for word in words {
            assert!(self.stderr.contains(word), "{word}: {self:?}");
        }
        assert!(self.stderr.contains("\nhelp: "), "no help: {self:?}");
    }
}

/// Returns a command in an empty home folder, without a kubeconfig or a proxy.
fn command(home: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_nri-compat"));
    command
        .args(["check", "--cluster", "--no-pull"])
        .args(arguments);
    command.current_dir(home).env("HOME", home);
    for name in [
        "KUBECONFIG",
        "KUBERNETES_SERVICE_HOST",
        "HTTPS_PROXY",
        "HTTP_PROXY",
        "ALL_PROXY",
    ] {
        command.env_remove(name).env_remove(name.to_lowercase());
    }
    command
}

fn run(command: &mut Command) -> Output {
    let output = command.output().expect("it runs");
    Output {
        code: output.status.code(),
        stdout: String::from_utf8(output.stdout).expect("UTF-8"),
        stderr: String::from_utf8(output.stderr).expect("UTF-8"),
    }
}

/// Checks with this kubeconfig.
fn check(kubeconfig: &str, arguments: &[&str]) -> Output {
    let home = TempDir::new().expect("a folder");
    std::fs::write(home.path().join("config"), kubeconfig).expect("written");
    let arguments = [&["--kubeconfig", "config"], arguments].concat();
    run(&mut command(home.path(), &arguments))
}

fn check_server(server: &ApiServer, arguments: &[&str]) -> Output {
    check(&server.kubeconfig(), arguments)
}

/// Returns the names of the nodes on which each workload runs a plugin.
fn nodes_of(report: &Value) -> Vec<(String, usize)> {
    let subjects = report["subjects"].as_array().expect("subjects");
    let name = |subject: &Value| {
        let workload = &subject["place"]["workload"];
        let text = |key: &str| workload[key].as_str().unwrap_or_default().to_owned();
        format!("{} {}/{}", text("kind"), text("namespace"), text("name"))
    };
    let nodes = |subject: &Value| subject["nodes"].as_array().map_or(0, Vec::len);
    subjects.iter().map(|one| (name(one), nodes(one))).collect()
}

fn is(request: &Request, plural: &str) -> bool {
    request.path.ends_with(&format!("/{plural}"))
}

#[test]
fn plugins_are_judged_for_the_pools_on_which_they_run() {
    let server = ApiServer::start(|request| SMALL.answer(request));
    let output = check_server(&server, &["--format", "json", "--target", "containerd@2.7"]);
    assert_eq!(output.code, Some(0), "{output:?}");
    let report = output.json();
    let found = nodes_of(&report);
    let expected = [
        ("DaemonSet kube-system/idle", 0),
        ("DaemonSet kube-system/logger", 5),
    ];
    assert_eq!(
        found,
        expected.map(|(name, nodes)| (name.to_owned(), nodes))
    );
    let pools = &report["cluster"]["pools"];
    assert_eq!(pools[0]["runtime"], "containerd://2.2.3");
    assert_eq!(pools[0]["nodes"].as_array().map(Vec::len), Some(4));
    assert_eq!(pools[1]["target"], "cri-o@1.35.1");
    assert_eq!(report["cluster"]["pods"], 20);
    for subject in report["subjects"].as_array().expect("subjects") {
        assert_eq!(
            subject["verdicts"].as_array().map(Vec::len),
            Some(3),
            "{subject}"
        );
    }
    assert_eq!(
        report["summary"].get("node"),
        None,
        "it is no report of a node"
    );
}

#[test]
fn people_see_pools_and_what_cannot_be_seen() {
    let server = ApiServer::start(|request| SMALL.answer(request));
    let output = check_server(&server, &["--explain"]);
    for text in [
        "4 nodes containerd 2.2.3: judged as containerd@2.2.3",
        "1 node cri-o 1.35.1: judged as cri-o@1.35.1",
        "installed on the nodes themselves cannot be seen",
        "mounts /var/run/nri of the host",
        "no pod of it runs: judged for all pools",
        "cluster test (http://127.0.0.1",
    ] {
        let shown: Vec<&str> = output.stdout.split_whitespace().collect();
        let text: Vec<&str> = text.split_whitespace().collect();
        assert!(
            shown.join(" ").contains(&text.join(" ")),
            "{text:?}: {output:?}"
        );
    }
}

#[test]
fn only_lists_are_requested_and_the_role_permits_exactly_those() {
    let server = ApiServer::start(|request| SMALL.answer(request));
    check_server(&server, &[]);
    let requests = server.requests();
    assert!(requests.iter().all(|request| request.method == "GET"));
    let mut paths: Vec<&str> = requests
        .iter()
        .map(|request| request.path.as_str())
        .collect();
    paths.sort_unstable();
    let mut expected: Vec<String> = nri_compat::cluster::RESOURCES
        .iter()
        .map(|resource| resource.path(None))
        .collect();
    expected.sort_unstable();
    assert_eq!(paths, expected);
    let role = nri_compat::cluster::cluster_role();
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let file = root.join("../deploy/kubernetes/cluster-reader.yaml");
    let deployed = std::fs::read_to_string(file).expect("the role");
    assert!(deployed.contains(&role), "{deployed}\nis not\n{role}");
    let readme = std::fs::read_to_string(root.join("README.md")).expect("the README");
    assert!(readme.contains(&role), "the README does not show\n{role}");
}

#[test]
fn long_lists_are_read_page_by_page() {
    let cluster = Generated {
        pods: 1200,
        ..SMALL
    };
    let server = ApiServer::start(move |request| cluster.answer(request));
    let report = check_server(&server, &["--format", "json"]).json();
    assert_eq!(report["cluster"]["pods"], 1200);
    let requests = server.requests();
    let pods = requests.iter().filter(|request| is(request, "pods"));
    let pages: Vec<_> = pods
        .map(|request| request.query.get("continue").cloned())
        .collect();
    assert_eq!(
        pages,
        [None, Some("500".to_owned()), Some("1000".to_owned())]
    );
}

#[test]
fn an_expired_list_is_begun_again() {
    let cluster = Generated {
        pods: 1200,
        ..SMALL
    };
    let server = ApiServer::start(move |request| {
        if is(request, "pods") && request.nth == 2 {
            return Answer::failure(410, "Expired", "The provided continue parameter is too old");
        }
        cluster.answer(request)
    });
    let report = check_server(&server, &["--format", "json"]).json();
    assert_eq!(report["cluster"]["pods"], 1200);
}

#[test]
fn a_list_that_keeps_expiring_is_given_up() {
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
}

#[test]
fn a_busy_server_is_asked_again() {
    for code in [429, 500, 503] {
        let server = ApiServer::start(move |request| match request.nth {
            0 => {
                let after = vec![("Retry-After", "0".to_owned())];
                Answer::Status(code, after, "busy".to_owned())
            }
            _ => SMALL.answer(request),
        });
        let output = check_server(&server, &[]);
        assert_eq!(output.code, Some(0), "{output:?}");
        assert_eq!(server.requests().len(), 14);
    }
}

#[test]
fn a_server_that_stays_busy_is_given_up() {
    let server = ApiServer::start(|request| {
        if is(request, "pods") {
            let after = vec![("Retry-After", "0".to_owned())];
            return Answer::Status(429, after, "too many requests".to_owned());
        }
        SMALL.answer(request)
    });
    let output = check_server(&server, &[]);
    assert_eq!(output.code, Some(1), "{output:?}");
    assert!(output.stderr.contains("429"), "{output:?}");
    assert!(
        output.stdout.contains("DaemonSet kube-system/idle"),
        "{output:?}"
    );
}

#[test]
fn a_missing_permission_is_named_and_the_rest_goes_on() {
    for resource in nri_compat::cluster::RESOURCES {
        let server = ApiServer::start(move |request| {
            if is(request, resource.plural) {
                return Answer::failure(403, "Forbidden", "User x cannot list it");
            }
            SMALL.answer(request)
        });
        let output = check_server(&server, &[]);
        let name = resource.name();
        output.fails_with(&[
            &format!("not permitted to list {name} in the whole cluster"),
            "cluster-reader.yaml",
        ]);
        assert_eq!(server.requests().len(), 7, "the others are read");
        assert!(
            output.stdout.contains(&format!("cluster test: {name}: ")),
            "{output:?}"
        );
        let report = check_server(&server, &["--format", "json"]).json();
        assert_eq!(report["skipped"][0]["kind"], "permission");
    }
}

#[test]
fn a_cut_connection_is_opened_again() {
    let server = ApiServer::start(|request| match request.nth {
        0 if is(request, "pods") => Answer::Cut(r#"{"items":["#.to_owned()),
        _ => SMALL.answer(request),
    });
    let report = check_server(&server, &["--format", "json"]).json();
    assert_eq!(report["cluster"]["pods"], 20);
}

#[test]
fn an_answer_that_is_no_list_is_named() {
    for (body, word) in [
        ("<html>login</html>", "expected value"),
        (r#"{"items":[1,2]}"#, "expected"),
        (r#"{"metadata":{"continue":7},"items":[]}"#, "expected"),
        ("[]", "expected"),
        ("{}", "missing field `items`"),
        (r#"{"items":{}}"#, "expected a sequence"),
        ("\u{0}", "expected value"),
    ] {
        let server = ApiServer::start(move |request| {
            if is(request, "daemonsets") {
                return Answer::ok(body);
            }
            SMALL.answer(request)
        });
        check_server(&server, &[]).fails_with(&["daemonsets.apps", "something else", word]);
    }
}

#[test]
fn a_page_that_is_too_large_is_requested_in_parts() {
    let server = ApiServer::start(|request| {
        let limit = request
            .query
            .get("limit")
            .and_then(|limit| limit.parse().ok());
        if is(request, "pods") && limit.unwrap_or(500) > 100 {
            return Answer::ok("x".repeat(65 << 20));
        }
        SMALL.answer(request)
    });
    let report = check_server(&server, &["--format", "json"]).json();
    assert_eq!(report["cluster"]["pods"], 20);
}

#[test]
fn a_list_without_an_end_is_given_up() {
    for repeats in [true, false] {
        let server = ApiServer::start(move |request| {
            if is(request, "jobs") {
                let token = if repeats { 1 } else { request.nth };
                return Answer::ok(format!(
                    r#"{{"metadata":{{"continue":"t{token}"}},"items":[]}}"#
                ));
            }
            SMALL.answer(request)
        });
        let output = check_server(&server, &[]);
        assert_eq!(output.code, Some(1), "{output:?}");
        let word = if repeats { "repeats" } else { "no end" };
        assert!(output.stderr.contains(word), "{output:?}");
    }
}

#[test]
fn a_silent_server_is_given_up() {
    let server = ApiServer::start(|request| {
        if is(request, "statefulsets") {
            return Answer::Silence;
        }
        SMALL.answer(request)
    });
    let output = check_server(&server, &["--request-timeout", "500ms"]);
    output.fails_with(&["statefulsets.apps", "within 500ms", "--request-timeout"]);
}

#[test]
fn redirects_are_not_followed() {
    let other = ApiServer::start(|request| SMALL.answer(request));
    let to = other.url();
    let server = ApiServer::start(move |_| {
        Answer::Status(307, vec![("Location", to.clone())], String::new())
    });
    let output = check_server(&server, &[]);
    output.fails_with(&["redirect (307)", &other.url()]);
    assert!(
        other.requests().is_empty(),
        "the credentials go nowhere else"
    );
}

#[test]
fn rejected_credentials_end_the_run() {
    let server = ApiServer::start(|_| Answer::failure(401, "Unauthorized", "Unauthorized"));
    let output = check_server(&server, &[]);
    output.fails_with(&["does not accept the credentials of the context `test`"]);
    assert_eq!(output.stdout, "");
    assert_eq!(server.requests().len(), 1);
}

#[test]
fn a_server_that_cannot_be_reached_ends_the_run() {
    let output = check(&kubeconfig("http://127.0.0.1:1", "{}"), &[]);
    output.fails_with(&["http://127.0.0.1:1", "refused"]);
    assert_eq!(output.stdout, "");
}

#[test]
fn a_namespace_limits_workloads_but_not_nodes() {
    let server = ApiServer::start(|request| SMALL.answer(request));
    let output = check_server(&server, &["--namespace", "kube-system", "--format", "json"]);
    assert_eq!(output.json()["cluster"]["namespace"], "kube-system");
    let requests = server.requests();
    let paths: Vec<&str> = requests
        .iter()
        .map(|request| request.path.as_str())
        .collect();
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

/// Returns a pod with a plugin; `metadata` and `status` are further members of these objects.
fn pod(metadata: &str, node: &str, status: &str) -> String {
    format!(
        r#"{{"metadata":{{"namespace":"n",{metadata}}},"spec":{{"nodeName":"{node}",{PLUGIN_SPEC}}},"status":{{{status}}}}}"#
    )
}

fn owner(kind: &str, name: &str) -> String {
    format!(r#""ownerReferences":[{{"kind":"{kind}","name":"{name}","controller":true}}]"#)
}

#[test]
fn pods_belong_to_the_workloads_that_people_know() {
    let mirror = r#""annotations":{"kubernetes.io/config.mirror":"x"}"#;
    let running = r#""phase":"Running","containerStatuses":[]"#;
    let pods = [
        pod(
            &format!(r#""name":"dep-7d9c-x",{}"#, owner("ReplicaSet", "dep-7d9c")),
            "node-0",
            running,
        ),
        pod(
            &format!(r#""name":"dep-8e0d-y",{}"#, owner("ReplicaSet", "dep-8e0d")),
            "node-1",
            running,
        ),
        pod(
            &format!(r#""name":"lone-5f-z",{}"#, owner("ReplicaSet", "lone-5f")),
            "node-1",
            running,
        ),
        pod(
            &format!(r#""name":"cron-28-a",{}"#, owner("Job", "cron-28")),
            "node-2",
            running,
        ),
        pod(
            &format!(r#""name":"old-27-a",{}"#, owner("Job", "cron-27")),
            "node-3",
            r#""phase":"Succeeded""#,
        ),
        pod(
            &format!(
                r#""name":"static-node-0",{mirror},{}"#,
                owner("Node", "node-0")
            ),
            "node-0",
            running,
        ),
        pod(
            &format!(
                r#""name":"static-node-1",{mirror},{}"#,
                owner("Node", "node-1")
            ),
            "node-1",
            running,
        ),
        pod(r#""name":"bare""#, "node-4", running),
        pod(
            &format!(r#""name":"crd-1",{}"#, owner("AdvancedDaemonSet", "crd")),
            "node-4",
            running,
        ),
    ];
    let deployment = format!(
        r#"{{"metadata":{{"name":"dep","namespace":"n"}},"spec":{{"template":{{"spec":{{{PLUGIN_SPEC}}}}}}}}}"#
    );
    let cron = format!(
        r#"{{"metadata":{{"name":"cron","namespace":"n"}},"spec":{{"jobTemplate":{{"spec":{{"template":{{"spec":{{{PLUGIN_SPEC}}}}}}}}}}}}}"#
    );
    let job = |name: &str| {
        format!(
            r#"{{"metadata":{{"name":"{name}","namespace":"n",{}}},"spec":{{"template":{{"spec":{{{PLUGIN_SPEC}}}}}}}}}"#,
            owner("CronJob", "cron")
        )
    };
    let jobs = [job("cron-27"), job("cron-28")];
    let operated = format!(
        r#"{{"metadata":{{"name":"operated","namespace":"n",{}}},"spec":{{"template":{{"spec":{{{PLUGIN_SPEC}}}}}}}}}"#,
        owner("ClusterPolicy", "operator")
    );
    let server = ApiServer::start(move |request| match request.path.rsplit('/').next() {
        Some("daemonsets") => page(request, 1, |_| operated.clone()),
        Some("pods") => page(request, pods.len(), |nth| pods[nth].clone()),
        Some("deployments") => page(request, 1, |_| deployment.clone()),
        Some("cronjobs") => page(request, 1, |_| cron.clone()),
        Some("jobs") => page(request, jobs.len(), |nth| jobs[nth].clone()),
        Some("nodes") => SMALL.answer(request),
        _ => page(request, 0, |_| String::new()),
    });
    let report = check_server(&server, &["--format", "json"]).json();
    let expected = [
        ("AdvancedDaemonSet n/crd", 1),
        ("CronJob n/cron", 1),
        ("DaemonSet n/operated", 0),
        ("Deployment n/dep", 2),
        ("Pod n/bare", 1),
        ("Pod n/static", 2),
        ("ReplicaSet n/lone-5f", 1),
    ];
    assert_eq!(
        nodes_of(&report),
        expected.map(|(name, nodes)| (name.to_owned(), nodes))
    );
}

#[test]
fn nodes_whose_runtime_is_not_known_are_named() {
    let runtimes = [
        "docker://24.0.7",
        "containerd://9.9.9",
        "",
        "containerd://1.7.27-k3s1",
        "\\u001b[31m",
    ];
    let server = ApiServer::start(move |request| {
        if is(request, "nodes") {
            return page(request, runtimes.len(), |nth| {
                api_server::node(nth, runtimes[nth])
            });
        }
        SMALL.answer(request)
    });
    let output = check_server(&server, &["--fail-on", "skipped"]);
    assert_eq!(output.code, Some(100), "{output:?}");
    for text in [
        "1 node docker 24.0.7: without plugins: this runtime does not support NRI",
        "1 node containerd 9.9.9: not judged: unknown release `9.9.9`",
        "1 node without a runtime: not judged",
        "1 node containerd 1.7.27-k3s1: judged as containerd@1.7.27",
        "\\u{1b}[31m",
    ] {
        assert!(output.stdout.contains(text), "{text}: {output:?}");
    }
    assert!(!output.stdout.contains('\u{1b}'));
    let assumed = check_server(&server, &["--assume", "nri@0.12"]);
    assert!(
        assumed.stdout.contains("judged as containerd@9.9.9"),
        "{assumed:?}"
    );
}

#[test]
fn files_are_checked_along_with_the_cluster() {
    let server = ApiServer::start(|request| SMALL.answer(request));
    let home = TempDir::new().expect("a folder");
    std::fs::write(home.path().join("config"), server.kubeconfig()).expect("written");
    std::fs::write(home.path().join("plugin"), "#!/bin/sh\n").expect("written");
    let output = run(&mut command(
        home.path(),
        &["--kubeconfig", "config", "plugin", "--format", "json"],
    ));
    let report = output.json();
    let paths: Vec<&str> = report["subjects"]
        .as_array()
        .expect("subjects")
        .iter()
        .filter_map(|subject| subject["place"]["file"].as_str())
        .collect();
    assert!(
        paths.contains(&"plugin") && paths.contains(&"cluster test"),
        "{paths:?}"
    );
    let missing = run(&mut command(
        home.path(),
        &["--kubeconfig", "config", "absent"],
    ));
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
fn kubeconfigs_that_cannot_be_used_are_named() {
    let home = TempDir::new().expect("a folder");
    let config = |text: &str| std::fs::write(home.path().join("config"), text).expect("written");
    let named = |arguments: &[&str]| {
        let arguments = [&["--kubeconfig", "config"], arguments].concat();
        run(&mut command(home.path(), &arguments))
    };
    named(&[]).fails_with(&["cannot read the kubeconfig config", "No such file"]);
    run(&mut command(home.path(), &[])).fails_with(&["there is no kubeconfig", ".kube/config"]);
    run(command(home.path(), &[]).env("KUBECONFIG", "a:b"))
        .fails_with(&["no file of KUBECONFIG exists", "a, b"]);
    config("{");
    named(&[]).fails_with(&["cannot read the kubeconfig config", "YAML"]);
    config("apiVersion: v1\nkind: Config\n");
    named(&[]).fails_with(&["config does not name a current context", "it has none"]);
    let whole = kubeconfig("http://127.0.0.1:1", "{}");
    config(&whole.replace("\"current-context\": \"test\",", ""));
    named(&[]).fails_with(&["does not name a current context", "--context: test"]);
    config(&whole);
    named(&["--context", "prod"])
        .fails_with(&["does not have the context `prod`", "its contexts: test"]);
    config(&whole.replace("\"name\": \"c\",", "\"name\": \"d\","));
    named(&[]).fails_with(&["names the cluster `c`, which config does not have"]);
    config(&whole.replace("\"name\": \"u\",", "\"name\": \"v\","));
    named(&[]).fails_with(&["names the user `u`, which config does not have"]);
    config(&whole.replace("http://127.0.0.1:1", "http://[::1"));
    named(&[]).fails_with(&["cannot use the context `test`", "url"]);
    config(&kubeconfig(
        "http://127.0.0.1:1",
        r#"{"tokenFile":"absent"}"#,
    ));
    named(&[]).fails_with(&["cannot read the token", "absent", "No such file"]);
    config(&kubeconfig(
        "http://127.0.0.1:1",
        r#"{"auth-provider":{"name":"gcp"}}"#,
    ));
    named(&[]).fails_with(&["authentication provider `gcp`", "exec"]);
    config(&kubeconfig(
        "https://127.0.0.1:1",
        r#"{"client-certificate":"absent","client-key":"absent"}"#,
    ));
    named(&[]).fails_with(&["cannot use the context `test`", "absent"]);
    config(&kubeconfig("https://127.0.0.1:1", "{}").replace(
        "\"server\"",
        "\"certificate-authority-data\": \"!\", \"server\"",
    ));
    named(&[]).fails_with(&["cannot use the context `test`", "base64"]);
}

#[test]
fn several_kubeconfigs_are_merged_as_by_kubectl() {
    let server = ApiServer::start(|request| SMALL.answer(request));
    let home = TempDir::new().expect("a folder");
    let write =
        |name: &str, text: &str| std::fs::write(home.path().join(name), text).expect("written");
    write(
        "a",
        r#"{"current-context":"test","contexts":[{"name":"test","context":{"cluster":"c","user":"u"}}]}"#,
    );
    write(
        "b",
        &format!(
            r#"{{"clusters":[{{"name":"c","cluster":{{"server":"{}"}}}}],"users":[{{"name":"u","user":{{"tokenFile":"token"}}}}]}}"#,
            server.url()
        ),
    );
    write("token", "from-a-file\n");
    let output = run(command(home.path(), &[]).env("KUBECONFIG", "a:absent:b"));
    assert_eq!(output.code, Some(0), "{output:?}");
    for request in server.requests() {
        assert_eq!(request.headers["authorization"], "Bearer from-a-file");
    }
}

#[test]
fn the_kubeconfig_of_the_home_folder_is_the_default() {
    let server = ApiServer::start(|request| SMALL.answer(request));
    let home = TempDir::new().expect("a folder");
    std::fs::create_dir(home.path().join(".kube")).expect("a folder");
    std::fs::write(home.path().join(".kube/config"), server.kubeconfig()).expect("written");
    let output = run(command(home.path(), &[]).env("HTTP_PROXY", "http://127.0.0.1:1"));
    assert_eq!(
        output.code,
        Some(0),
        "no proxy for this machine: {output:?}"
    );
    assert_eq!(server.requests()[0].headers["authorization"], "Bearer abc");
}

/// Returns a user with a credential plugin that is this shell script.
fn plugin(script: &str) -> String {
    let script = Value::from(script);
    format!(
        r#"{{"exec":{{"apiVersion":"client.authentication.k8s.io/v1","interactiveMode":"Never","command":"/bin/sh","args":["-c",{script}],"env":[{{"name":"GIVEN","value":"secret"}}]}}}}"#
    )
}

#[test]
fn credential_plugins_give_tokens() {
    let server = ApiServer::start(|request| SMALL.answer(request));
    let script = r#"case $KUBERNETES_EXEC_INFO in *'"interactive":false'*) ;; *) exit 3 ;; esac
        echo x >> runs
        printf '{"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential","status":{"token":"%s","expirationTimestamp":"2000-01-01T00:00:00Z"}}' "$GIVEN""#;
    let home = TempDir::new().expect("a folder");
    let config = kubeconfig(&server.url(), &plugin(script));
    std::fs::write(home.path().join("config"), config).expect("written");
    let output = run(&mut command(home.path(), &["--kubeconfig", "config"]));
    assert_eq!(output.code, Some(0), "{output:?}");
    assert_eq!(
        server.requests()[6].headers["authorization"],
        "Bearer secret"
    );
    let runs = std::fs::read_to_string(home.path().join("runs")).expect("it ran");
    assert_eq!(runs, "x\n", "it runs once");
}

#[test]
fn credential_plugins_that_fail_are_named() {
    let failing = |script: &str| {
        check(
            &kubeconfig("http://127.0.0.1:1", &plugin(script)),
            &["--request-timeout", "2s"],
        )
    };
    failing("echo not logged in >&2; exit 7")
        .fails_with(&["plugin `/bin/sh` failed with exit status: 7: not logged in"]);
    failing("echo hello").fails_with(&["plugin `/bin/sh` did not print an ExecCredential"]);
    failing("yes").fails_with(&["plugin `/bin/sh`"]);
    failing(r#"echo '{"apiVersion":"client.authentication.k8s.io/v1","status":{}}'"#)
        .fails_with(&["without a token or certificate"]);
    failing(r#"echo '{"apiVersion":"client.authentication.k8s.io/v1beta1","status":{}}'"#)
        .fails_with(&["of `client.authentication.k8s.io/v1beta1` instead"]);
    let absent = r#"{"exec":{"apiVersion":"client.authentication.k8s.io/v1","command":"absent-plugin","installHint":"get it from example.org"}}"#;
    check(&kubeconfig("http://127.0.0.1:1", absent), &[]).fails_with(&[
        "plugin `absent-plugin` cannot be started",
        "help: get it from example.org",
    ]);
}

#[test]
fn a_credential_plugin_that_hangs_is_ended_with_its_children() {
    let home = TempDir::new().expect("a folder");
    let config = kubeconfig(
        "http://127.0.0.1:1",
        &plugin("sleep 1000 & echo $! > pid; wait"),
    );
    std::fs::write(home.path().join("config"), config).expect("written");
    let arguments = ["--kubeconfig", "config", "--request-timeout", "1s"];
    run(&mut command(home.path(), &arguments))
        .fails_with(&["did not end within 1s", "--request-timeout"]);
    let pid = std::fs::read_to_string(home.path().join("pid")).expect("it started");
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", pid.trim())).unwrap_or_default();
    assert!(
        stat.is_empty() || stat.contains(") Z "),
        "still there: {stat}"
    );
}

#[test]
fn options_of_clusters_need_a_cluster() {
    let home = TempDir::new().expect("a folder");
    for option in ["--context", "--kubeconfig", "--namespace"] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_nri-compat"));
        let output = run(command
            .args(["check", option, "x"])
            .current_dir(home.path()));
        assert_eq!(output.code, Some(2), "{output:?}");
        assert!(output.stderr.contains("--cluster"), "{output:?}");
    }
}
