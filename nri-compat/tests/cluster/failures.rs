//! Servers that refuse, break, or do not answer.

use crate::api_server::{Answer, ApiServer, kubeconfig};
use crate::command::{SMALL, check, check_server, is};

#[test]
fn a_busy_server_is_asked_again() {
    for code in [429, 503] {
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
fn a_server_that_fails_is_named_and_the_rest_goes_on() {
    let server = ApiServer::start(|request| {
        if is(request, "pods") {
            return Answer::failure(500, "InternalError", "no storage");
        }
        SMALL.answer(request)
    });
    let output = check_server(&server, &[]);
    assert_eq!(output.code, Some(1), "{output:?}");
    assert!(output.stderr.contains("500: no storage"), "{output:?}");
    assert!(output.stdout.contains("DaemonSet kube-system/idle"), "{output:?}");
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
        assert!(output.stdout.contains(&format!("cluster test: {name}: ")), "{output:?}");
        let report = check_server(&server, &["--format", "json"]).json();
        assert_eq!(report["skipped"][0]["kind"], "permission");
    }
}

#[test]
fn a_cut_connection_is_named() {
    let server = ApiServer::start(|request| {
        if is(request, "pods") {
            return Answer::Cut(r#"{"items":["#.to_owned());
        }
        SMALL.answer(request)
    });
    check_server(&server, &[]).fails_with(&["cannot read pods from", "the context `test`"]);
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
fn a_silent_server_is_given_up() {
    let server = ApiServer::start(|request| {
        if is(request, "statefulsets") {
            return Answer::Silence;
        }
        SMALL.answer(request)
    });
    let output = check_server(&server, &["--request-timeout", "4s"]);
    output.fails_with(&["statefulsets.apps", "within 4s", "--request-timeout"]);
}

#[test]
fn redirects_are_not_followed() {
    let other = ApiServer::start(|request| SMALL.answer(request));
    let to = other.url();
    let server = ApiServer::start(move |_| {
        Answer::Status(307, vec![("Location", to.clone())], String::new())
    });
    let output = check_server(&server, &[]);
    output.fails_with(&["status 307", "redirects are not followed"]);
    assert!(other.requests().is_empty(), "the credentials go nowhere else");
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
fn a_server_that_stops_answering_is_given_up_after_one_request() {
    let server = ApiServer::start(|request| {
        if is(request, "nodes") {
            return SMALL.answer(request);
        }
        Answer::Silence
    });
    let output = check_server(&server, &["--request-timeout", "4s"]);
    output.fails_with(&["pods", "within 4s", "--request-timeout"]);
    assert_eq!(server.requests().len(), 2);
    assert!(output.stdout.contains("4 nodes containerd 2.2.3"), "{output:?}");
}

#[test]
fn a_page_that_stops_in_the_middle_is_given_up() {
    let server = ApiServer::start(|request| {
        if is(request, "pods") {
            return Answer::Stall(r#"{"items":["#.to_owned());
        }
        SMALL.answer(request)
    });
    let output = check_server(&server, &["--request-timeout", "4s"]);
    output.fails_with(&["pods", "within 4s"]);
}
