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
    let unreadable = "cannot read the kubeconfig";
    named(&[]).fails_with(&[unreadable, "config", "No such file"]);
    run(&mut command(home.path(), &[])).fails_with(&[unreadable, ".kube/config"]);
    config("{");
    named(&[]).fails_with(&[unreadable, "YAML"]);
    config("apiVersion: v1\nkind: Config\n");
    named(&[]).fails_with(&["cannot use the context", "the kubeconfig has none"]);
    let whole = kubeconfig("http://127.0.0.1:1", "{}");
    config(&whole);
    named(&["--context", "prod"]).fails_with(&["cannot use the context `prod`", "--context: test"]);
    config(&whole.replace("http://127.0.0.1:1", "http://[::1"));
    named(&[]).fails_with(&["cannot use the context `test`", "url"]);
    config(&kubeconfig("http://127.0.0.1:1", r#"{"tokenFile":"absent"}"#));
    named(&[]).fails_with(&["cannot use the context `test`", "absent", "No such file"]);
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
    write("token", "from-a-file");
    let output = run(command(home.path(), &[]).env("KUBECONFIG", "a:b"));
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
    let output = run(command(home.path(), &[]).env("HTTPS_PROXY", "http://127.0.0.1:1"));
    assert_eq!(output.code, Some(0), "no proxy for this machine: {output:?}");
    assert_eq!(server.requests()[0].headers["authorization"], "Bearer abc");
}

#[test]
fn options_of_clusters_need_a_cluster() {
    let home = TempDir::new().expect("a folder");
    for option in ["--context", "--kubeconfig", "--namespace"] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_nri-compat"));
        let output = run(command.args(["check", option, "x"]).current_dir(home.path()));
        assert_eq!(output.code, Some(2), "{output:?}");
        assert!(output.stderr.contains("--cluster"), "{output:?}");
    }
}
