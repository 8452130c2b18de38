//! The example runtime with the example plugins: scenarios, round trips, and error messages.

use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::Instant;

use nri_tests::examples::example;
use nri_tests::process::PATIENCE;
use serde_json::{Value, json};

/// A plugin that is ended when it is dropped.
struct Plugin(Child);

/// The name of an example and its flags.
pub(crate) type Line<'a> = (&'a str, &'a [&'a str]);

impl Plugin {
    fn start((name, flags): Line<'_>, socket: &Path) -> Self {
        let mut command = Command::new(example(name));
        command.arg("--socket").arg(socket).args(flags);
        command.stdout(Stdio::null()).stderr(Stdio::null());
        Plugin(command.spawn().expect("the example starts"))
    }
}

impl Drop for Plugin {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn runtime(arguments: &[&str]) -> Output {
    let mut command = Command::new(example("runtime"));
    command.args(arguments).output().expect("the example starts")
}

/// Runs the runtime, and these plugins once it listens on the socket.
pub(crate) fn runtime_with(plugins: &[Line<'_>], socket: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(example("runtime"));
    command.arg("--socket").arg(socket).args(["--wait", &plugins.len().to_string()]);
    command.args(arguments).stdout(Stdio::piped()).stderr(Stdio::piped());
    // The examples are built before the runtime counts the time.
    plugins.iter().for_each(|(name, _)| drop(example(name)));
    let runtime = command.spawn().expect("the example starts");
    let deadline = Instant::now() + PATIENCE;
    while !socket.exists() && Instant::now() < deadline {
        std::thread::yield_now();
    }
    let running: Vec<Plugin> = plugins.iter().map(|line| Plugin::start(*line, socket)).collect();
    let output = runtime.wait_with_output().expect("the runtime ends by itself");
    drop(running);
    output
}

/// Runs a scenario with these example plugins.
fn play(plugins: &[Line<'_>], speak: Option<&str>, scenario: &Value) -> Value {
    let folder = tempfile::tempdir().expect("temporary folder");
    let (socket, file) = (folder.path().join("nri.sock"), folder.path().join("scenario.json"));
    std::fs::write(&file, scenario.to_string()).expect("temporary folder is writable");
    let mut arguments = vec!["--scenario", file.to_str().expect("UTF-8")];
    if let Some(release) = speak {
        arguments.extend(["--speak", release]);
    }
    let output = runtime_with(plugins, &socket, &arguments);
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{error}");
    serde_json::from_slice(&output.stdout).expect("JSON")
}

fn scenario() -> Value {
    let pod = json!({"id": "p1", "name": "web", "namespace": "default"});
    let container = json!({"id": "c1", "podSandboxId": "p1", "name": "app"});
    json!({
        "pods": [{"id": "p0", "name": "older"}],
        "containers": [{"id": "c0", "pod_sandbox_id": "p0"}],
        "steps": [
            {"event": "RunPodSandbox", "pod": pod},
            {"event": "CREATE_CONTAINER", "pod": pod, "container": container},
            {"event": "UpdateContainer", "pod": pod, "container": container,
             "resources": {"cpu": {"shares": {"value": "512"}}}},
            {"event": "StopContainer", "pod": pod, "container": container},
            {"event": "RemovePodSandbox", "pod": pod},
        ],
    })
}

fn outcome<'r>(step: &'r Value, plugin: &str) -> &'r Value {
    step["outcomes"]
        .as_array()
        .expect("an array")
        .iter()
        .find(|outcome| outcome["plugin"] == plugin)
        .expect(plugin)
}

#[test]
fn a_scenario_reports_every_step_and_plugin() {
    let report = play(&[("logger", &[]), ("legacy", &[])], None, &scenario());
    let steps = report["steps"].as_array().expect("an array");
    let events: Vec<&Value> = steps.iter().map(|step| &step["event"]).collect();
    let sent = [
        "RunPodSandbox",
        "CreateContainer",
        "UpdateContainer",
        "StopContainer",
        "RemovePodSandbox",
    ];
    assert_eq!(events, sent);
    for step in steps {
        assert_eq!(step["error"], Value::Null, "{step}");
        assert!(step["updates"].is_array() && step["evictions"].is_array(), "{step}");
        assert_eq!(outcome(step, "00-logger")["result"], "answered", "{step}");
        assert_eq!(outcome(step, "00-logger")["via"], step["event"], "{step}");
    }
    assert_eq!(steps[1]["adjustment"], json!({}));
    assert_eq!(outcome(&steps[1], "10-legacy")["result"], "not-subscribed");
    assert_eq!(report["deprecations"], json!([]));
}

#[test]
fn an_older_runtime_sends_state_change() {
    let report = play(&[("logger", &[])], Some("v0.11.0"), &scenario());
    let steps = &report["steps"];
    assert_eq!(outcome(&steps[0], "00-logger")["via"], "StateChange");
    assert_eq!(outcome(&steps[1], "00-logger")["via"], "CreateContainer");
    // It knows no other way, so nothing is deprecated yet.
    assert_eq!(report["deprecations"], json!([]));
}

#[test]
fn round_trips_are_measured() {
    let folder = tempfile::tempdir().expect("temporary folder");
    let socket = folder.path().join("nri.sock");
    let bench = ["--event", "PostStartContainer", "--count", "50", "--labels", "10"];
    let output = runtime_with(&[("logger", &[])], &socket, &bench);
    let line = String::from_utf8(output.stdout).expect("UTF-8");
    assert!(line.starts_with("PostStartContainer n=50 events/s="), "{line}");
    for figure in ["p50=", "p99=", "max="] {
        assert!(line.contains(figure), "{line}");
    }
    assert_eq!(line.lines().count(), 1);
}

#[test]
fn an_invalid_adjustment_is_an_error_of_the_container() {
    let name: Line<'_> = ("logger", &["--quiet", "--add-annotation", ""]);
    let mount: Line<'_> = ("device-injector", &[]);
    for (plugin, problem) in [(name, "annotations"), (mount, "mounts")] {
        let request = "[{source: /srv, destination: srv, options: [bind]}]";
        let annotations = json!({"mounts.noderesource.dev": request});
        let pod = json!({"id": "p1", "name": "web", "annotations": annotations});
        let container = json!({"id": "c1", "podSandboxId": "p1", "name": "app"});
        let step = json!({"event": "CreateContainer", "pod": pod, "container": container});
        let report = play(&[plugin], None, &json!({"steps": [step]}));
        let error = report["steps"][0]["error"].as_str().expect("an error");
        let expected = "the merged adjustment is invalid: ";
        assert!(error.starts_with(expected) && error.contains(problem), "{error}");
    }
}

#[test]
fn mistakes_have_an_exit_code_and_a_message() {
    let folder = tempfile::tempdir().expect("temporary folder");
    let path = |name: &str| folder.path().join(name).to_str().expect("UTF-8").to_owned();
    let (socket, taken, broken, unknown) =
        (path("nri.sock"), path("taken"), path("broken"), path("unknown"));
    std::fs::write(&broken, "{\"steps\": [").expect("temporary folder is writable");
    std::fs::write(&unknown, r#"{"steps":[{"event":"Dance","pod":{}}]}"#)
        .expect("temporary folder is writable");
    let _listener = std::os::unix::net::UnixListener::bind(&taken).expect("a free path");
    let bench = ["--event", "RunPodSandbox", "--count", "1"];
    for (arguments, code, message) in [
        (vec![], 2, "--scenario, --bundle or --event is missing"),
        (vec!["--socket", &socket, "--event", "Dance", "--count", "1"], 2, "unknown event `Dance`"),
        (vec!["--socket", &socket, "--event", "RunPodSandbox"], 2, "--count is missing"),
        (vec!["--socket", &socket, "--event", "RunPodSandbox", "--count", "0"], 2, "--count is 0"),
        (vec!["--socket", &socket, "--wait", "x"], 2, "x"),
        (vec!["--socket", &socket, "--loud"], 2, "--loud"),
        (vec!["--socket", &socket, "--scenario", &broken], 1, "broken: EOF while parsing"),
        (vec!["--socket", &socket, "--scenario", &unknown], 1, "step 1 (Dance): unknown event"),
        (vec!["--socket", &socket, "--scenario", "/nonexistent"], 1, "cannot read /nonexistent"),
        ([&["--socket", &taken][..], &bench].concat(), 1, "taken"),
        ([&["--socket", &socket, "--speak", "v9.9.9"][..], &bench].concat(), 1, "v9.9.9"),
    ] {
        let output = runtime(&arguments);
        let error = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{arguments:?}: {error}");
        assert!(error.contains(message), "{arguments:?}: {error}");
        assert!(output.stdout.is_empty(), "{arguments:?}");
    }
    let help = runtime(&["--help"]);
    assert!(
        help.status.success() && String::from_utf8_lossy(&help.stdout).contains("--scenario FILE")
    );
}
