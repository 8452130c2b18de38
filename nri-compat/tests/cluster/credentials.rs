//! Credential plugins.

use serde_json::Value;

use crate::api_server::{ApiServer, kubeconfig};
use crate::command::{SMALL, check};

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
        printf '{"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential","status":{"token":"%s","expirationTimestamp":"2099-01-01T00:00:00Z"}}' "$GIVEN""#;
    let output = check(&kubeconfig(&server.url(), &plugin(script)), &[]);
    assert_eq!(output.code, Some(0), "{output:?}");
    assert_eq!(server.requests()[6].headers["authorization"], "Bearer secret");
}

#[test]
fn credential_plugins_that_fail_are_named() {
    let failing = |script: &str| {
        check(&kubeconfig("http://127.0.0.1:1", &plugin(script)), &["--request-timeout", "20s"])
    };
    let failed = failing("echo a-token; echo not logged in >&2; exit 7");
    failed.fails_with(&["context `test`", "failed with exit status: 7: not logged in"]);
    assert!(!failed.stderr.contains("token"), "{failed:?}");
    failing("echo hello").fails_with(&["context `test`", "auth exec output"]);
    let absent =
        r#"{"exec":{"apiVersion":"client.authentication.k8s.io/v1","command":"absent-plugin"}}"#;
    check(&kubeconfig("http://127.0.0.1:1", absent), &[]).fails_with(&[
        "context `test`",
        "unable to run auth exec",
        "No such file",
    ]);
}

#[test]
fn a_credential_plugin_that_hangs_is_given_up() {
    let config = kubeconfig("http://127.0.0.1:1", &plugin("exec sleep 20"));
    check(&config, &["--request-timeout", "1s"])
        .fails_with(&["did not end within 1s", "--request-timeout"]);
}
