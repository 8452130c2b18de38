//! Tokens that change while lists are read.

use std::sync::Mutex;

use serde_json::json;
use tempfile::TempDir;

use crate::api_server::{Answer, ApiServer, Request, kubeconfig};
use crate::command::{Output, SMALL, command, is, run};
use crate::credentials::plugin;

fn unauthorized() -> Answer {
    Answer::failure(401, "Unauthorized", "Unauthorized")
}

fn has_token(request: &Request, token: &str) -> bool {
    request.headers.get("authorization") == Some(&format!("Bearer {token}"))
}

/// Checks with a kubeconfig in a folder.
fn check(home: &TempDir, server: &ApiServer, user: &str) -> Output {
    let config = kubeconfig(&server.url(), user);
    std::fs::write(home.path().join("config"), config).expect("written");
    run(&mut command(home.path(), &["--kubeconfig", "config"]))
}

#[test]
fn a_file_with_a_token_is_read_again_when_the_server_rejects_it() {
    let home = TempDir::new().expect("a folder");
    let path = home.path().join("token");
    std::fs::write(&path, "old\n").expect("written");
    let server = ApiServer::start(move |request| {
        if is(request, "pods") && has_token(request, "old") {
            std::fs::write(&path, "new\n").expect("written");
            return unauthorized();
        }
        SMALL.answer(request)
    });
    let output = check(&home, &server, r#"{"tokenFile":"token"}"#);
    assert_eq!(output.code, Some(0), "{output:?}");
    let requests = server.requests();
    assert_eq!(requests.len(), 8, "one is repeated");
    assert!(has_token(&requests[1], "old") && has_token(&requests[2], "new"));
}

#[test]
fn a_file_whose_token_is_the_same_ends_the_run() {
    let home = TempDir::new().expect("a folder");
    std::fs::write(home.path().join("token"), "old\n").expect("written");
    let server = ApiServer::start(|_| unauthorized());
    let output = check(&home, &server, r#"{"tokenFile":"token"}"#);
    output.fails_with(&[
        "does not accept the credentials of the context `test`",
        &server.url(),
    ]);
    assert_eq!(server.requests().len(), 1);
    std::fs::write(home.path().join("token"), "\n").expect("written");
    check(&home, &server, r#"{"tokenFile":"token"}"#).fails_with(&["token: it is empty"]);
}

/// A plugin whose tokens are `t1`, `t2` and so on.
const COUNTING: &str = r#"echo x >> runs
    printf '{"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential","status":{"token":"t%s"}}' "$(grep -c x runs)""#;

#[test]
fn a_plugin_runs_again_when_the_server_rejects_its_token() {
    let home = TempDir::new().expect("a folder");
    let valid = Mutex::new(String::from("t1"));
    let server = ApiServer::start(move |request| {
        let mut valid = valid.lock().expect("no panic");
        if is(request, "daemonsets") && request.nth == 0 {
            *valid = "t2".to_owned();
        }
        if !has_token(request, &valid) {
            return unauthorized();
        }
        SMALL.answer(request)
    });
    let output = check(&home, &server, &plugin(COUNTING));
    assert_eq!(output.code, Some(0), "{output:?}");
    let runs = std::fs::read_to_string(home.path().join("runs")).expect("it ran");
    assert_eq!(runs, "x\nx\n", "it runs twice");
}

#[test]
fn a_server_that_rejects_every_token_is_asked_twice() {
    let home = TempDir::new().expect("a folder");
    let server = ApiServer::start(|_| unauthorized());
    let output = check(&home, &server, &plugin(COUNTING));
    output.fails_with(&["does not accept the credentials of the context `test`"]);
    assert_eq!(server.requests().len(), 2);
}

#[test]
fn a_plugin_runs_again_when_its_token_has_expired() {
    let home = TempDir::new().expect("a folder");
    let path = home.path().join("expires");
    let script = format!(
        r#"echo x >> runs
        printf '{{"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential","status":{{"token":"t","expirationTimestamp":"%s"}}}}' "$(cat {})""#,
        path.display()
    );
    let soon = jiff::Timestamp::now() + std::time::Duration::from_secs(3);
    std::fs::write(&path, soon.to_string()).expect("written");
    let server = ApiServer::start(move |request| {
        // The second request is made when the token has expired.
        while is(request, "nodes") && jiff::Timestamp::now() <= soon {
            std::thread::yield_now();
        }
        std::fs::write(&path, "2099-01-01T00:00:00Z").expect("written");
        SMALL.answer(request)
    });
    let output = check(&home, &server, &plugin(&script));
    assert_eq!(output.code, Some(0), "{output:?}");
    let runs = std::fs::read_to_string(home.path().join("runs")).expect("it ran");
    assert_eq!(runs, "x\nx\n", "it runs again");
}

#[test]
fn a_plugin_may_print_yaml_and_lie_beside_the_kubeconfig() {
    use std::os::unix::fs::PermissionsExt as _;
    let home = TempDir::new().expect("a folder");
    let folder = home.path().join("prod");
    std::fs::create_dir(&folder).expect("a folder");
    let script = "#!/bin/sh\necho 'apiVersion: client.authentication.k8s.io/v1'\necho 'kind: ExecCredential'\necho 'status: {token: from-yaml}'\n";
    let program = folder.join("login");
    std::fs::write(&program, script).expect("written");
    let executable = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(&program, executable).expect("it was just written");
    let server = ApiServer::start(|request| SMALL.answer(request));
    let user = json!({ "exec": {
        "apiVersion": "client.authentication.k8s.io/v1", "interactiveMode": "Never", "command": "./login",
    } });
    let config = kubeconfig(&server.url(), &user.to_string());
    std::fs::write(folder.join("config"), config).expect("written");
    let output = run(&mut command(home.path(), &["--kubeconfig", "prod/config"]));
    assert_eq!(output.code, Some(0), "{output:?}");
    assert!(has_token(&server.requests()[0], "from-yaml"));
}
