use std::fs;
use std::os::unix::fs::PermissionsExt;

use nri::api::{LinuxCpu, LinuxMemory};
use nri_testing::{self as testing, RunningRuntime, pod};
use serde_json::{Value, json};
use tempfile::TempDir;

use super::*;

/// A folder with a configuration and programs.
struct Programs(TempDir);

impl Programs {
    /// Makes programs that save each request and answer with this text, in the order of the
    /// configuration.
    fn new(answers: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        for (name, answer) in answers {
            let requests = folder.path().join(format!("{name}.requests"));
            let script = format!(
                "#!/bin/sh\ntest \"$1\" = invoke || exit 3\ncat >>{requests:?}\necho >>{requests:?}\necho '{answer}'\n"
            );
            let program = folder.path().join(name);
            fs::write(&program, script).unwrap();
            fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
        }
        let plugins =
            answers.iter().map(|(name, _)| json!({ "type": name, "conf": { "of": name } }));
        let config = json!({ "version": "0.1", "plugins": plugins.collect::<Vec<_>>() });
        fs::write(folder.path().join("conf.json"), config.to_string()).unwrap();
        Programs(folder)
    }

    async fn start(&self) -> RunningRuntime {
        let config = self.0.path().join("conf.json");
        let adapter = Adapter::new(config, self.0.path().to_owned()).unwrap();
        testing::Runtime::new().start(adapter).await.unwrap()
    }

    /// Returns the requests that a program got.
    fn requests(&self, name: &str) -> Vec<Value> {
        let file = self.0.path().join(format!("{name}.requests"));
        let text = fs::read_to_string(file).unwrap_or_default();
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }
}

#[tokio::test]
async fn programs_get_the_pod_and_the_results_before_them() {
    let programs = Programs::new(&[("first", r#"{"plugin": "first"}"#), ("second", "{}")]);
    let mut runtime = programs.start().await;
    let web = pod("web").label("app", "shop").annotation("a", "b").with(|pod| pod.pid = 7);
    runtime.run_pod(web).await.unwrap();
    let spec = json!({ "resources": null, "annotations": { "a": "b" } });
    let mut request = json!({
        "conf": { "of": "first" }, "version": "0.1", "state": "create", "id": "web-pod", "sandboxID": "web-pod",
        "pid": 7, "spec": spec, "labels": { "app": "shop" },
    });
    assert_eq!(programs.requests("first"), [request.clone()]);
    request["conf"] = json!({ "of": "second" });
    request["results"] = json!([{ "plugin": "first" }]);
    assert_eq!(programs.requests("second"), [request]);
}

#[tokio::test]
async fn programs_see_containers_start_and_stop() {
    let programs = Programs::new(&[("limits", "{}")]);
    let mut runtime = programs.start().await;
    let resources = LinuxResources {
        memory: Some(LinuxMemory { limit: Some(0), ..LinuxMemory::default() }),
        cpu: Some(LinuxCpu { shares: Some(2), cpus: "0-1".into(), ..LinuxCpu::default() }),
        ..LinuxResources::default()
    };
    let app = pod("web").container("app").resources(resources).cgroups_path("/pods/app");
    let created = runtime.create_in_pod(app).await.unwrap();
    runtime.start_container(&created).await.unwrap();
    runtime.stop_pod(&created.pod).await.unwrap();
    let requests = programs.requests("limits");
    let calls: Vec<_> = requests
        .iter()
        .map(|it| (it["state"].as_str().unwrap(), it["id"].as_str().unwrap()))
        .collect();
    assert_eq!(
        calls,
        [
            ("create", "web-pod"),
            ("create", "web-pod-app"),
            ("delete", "web-pod-app"),
            ("delete", "web-pod")
        ]
    );
    let spec = json!({
        "resources": { "memory": { "limit": 0 }, "cpu": { "shares": 2, "cpus": "0-1" } },
        "cgroupsPath": "/pods/app",
    });
    assert_eq!(requests[1]["spec"], spec);
}

#[tokio::test]
async fn errors_fail_the_start_but_not_the_stop_of_a_container() {
    for (answer, reason) in
        [(r#"{"error": "no quota"}"#, "no quota"), ("oops", "\"oops\\n\" is not a result")]
    {
        let programs = Programs::new(&[]);
        let mut runtime = programs.start().await;
        let created = runtime.create_in_pod(pod("web").container("app")).await.unwrap();
        let failing = Programs::new(&[("limits", answer)]);
        for file in ["limits", "conf.json"] {
            fs::copy(failing.0.path().join(file), programs.0.path().join(file)).unwrap();
        }
        let error = runtime.start_container(&created).await.unwrap_err();
        assert!(error.to_string().contains(reason), "{error}");
        runtime.stop_container(&created).await.unwrap();
        assert!(runtime.run_pod(pod("other")).await.is_err());
    }
}

#[tokio::test]
async fn without_a_configuration_nothing_is_called() {
    let folder = tempfile::tempdir().unwrap();
    let adapter = Adapter::new(folder.path().join("absent"), folder.path().to_owned()).unwrap();
    let mut runtime = testing::Runtime::new().start(adapter).await.unwrap();
    runtime.run_pod(pod("web")).await.unwrap();
}
