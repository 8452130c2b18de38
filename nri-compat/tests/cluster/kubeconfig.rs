//! The kubeconfig, found and merged as by kubectl.

use std::process::Command;

use tempfile::TempDir;

use crate::api_server::{ApiServer, kubeconfig};
use crate::command::{SMALL, command, run};

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
