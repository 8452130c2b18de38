//! Credential plugins.

use std::time::{Duration, Instant};

use serde_json::Value;
use tempfile::TempDir;

use crate::api_server::{ApiServer, kubeconfig};
use crate::command::{SMALL, check, command, run};

/// Returns a user with a credential plugin that is this shell script.
pub(crate) fn plugin(script: &str) -> String {
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
    // It was killed, and ends when it gets the processor.
    let end = Instant::now() + Duration::from_secs(60);
    while is_running(pid.trim()) {
        assert!(Instant::now() < end, "{pid} is still there");
        std::thread::yield_now();
    }
}

/// Returns true for a process that has not ended.
fn is_running(pid: &str) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    !stat.is_empty() && !stat.contains(") Z ")
}
