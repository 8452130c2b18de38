//! A plugin to start from: copy it, delete the handlers that you do not need, and fill in the
//! others.
//!
//! Its configuration has one setting: `cfgParam1: value`.

use std::str::FromStr;
use std::sync::Arc;

use nri::cli::Cli;
use nri::prelude::*;
use nri::store::PodStore;
use tracing::info;

const ABOUT: &str =
    "An NRI plugin to start from: tracks the pods of its node, and changes nothing.";

/// Logs what happens. The stub keeps a store of pods and containers, which handlers may read.
#[derive(Clone, Default)]
struct Template {
    store: Arc<PodStore>,
}

/// The plugin's configuration. Plugins with more settings usually derive `serde::Deserialize` and
/// parse YAML, TOML or JSON.
#[derive(Default)]
struct Settings {
    cfg_param1: String,
}

impl FromStr for Settings {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.trim().split_once(':') {
            Some(("cfgParam1", value)) => {
                Ok(Settings { cfg_param1: value.trim().trim_matches('"').to_owned() })
            }
            Some(_) | None => Err("expected `cfgParam1: value`".to_owned()),
        }
    }
}

fn log(pod: &PodSandbox, container: Option<&Container>, what: &str) {
    match container {
        Some(container) => info!("{} {what}", container.full_name(pod)),
        None => info!("{} {what}", pod.full_name()),
    }
}

#[nri::plugin(name = "template", index = "10")]
impl Template {
    /// Gets the configuration that the runtime has for this plugin, and may choose other events
    /// than those with handlers.
    async fn configure(&self, config: Config) -> nri::Result<Subscription> {
        let settings: Settings = config.parse()?;
        info!("cfgParam1 is {:?}", settings.cfg_param1);
        Ok(Subscription::Handled)
    }

    /// Gets the existing pods and containers at the start, and after each time that the plugin was
    /// disconnected.
    async fn synchronize(
        &self,
        pods: Vec<PodSandbox>,
        containers: Vec<Container>,
    ) -> nri::Result<Updates> {
        info!("{} pods, {} containers", pods.len(), containers.len());
        Ok(Updates::new())
    }

    async fn run_pod_sandbox(&self, pod: PodSandbox) -> nri::Result<()> {
        log(&pod, None, "runs");
        Ok(())
    }

    /// The answer changes the container before it is created, and may update others.
    async fn create_container(
        &self,
        pod: PodSandbox,
        container: Container,
    ) -> nri::Result<Adjustment> {
        log(&pod, Some(&container), "is created");
        Ok(Adjustment::new())
    }

    async fn post_create_container(
        &self,
        pod: PodSandbox,
        container: Container,
    ) -> nri::Result<()> {
        log(&pod, Some(&container), "has been created");
        Ok(())
    }

    async fn start_container(&self, pod: PodSandbox, container: Container) -> nri::Result<()> {
        log(&pod, Some(&container), "starts");
        Ok(())
    }

    async fn post_start_container(&self, pod: PodSandbox, container: Container) -> nri::Result<()> {
        log(&pod, Some(&container), "has started");
        Ok(())
    }

    /// The answer changes the update before it is applied, and may update others.
    async fn update_container(
        &self,
        pod: PodSandbox,
        container: Container,
        _: LinuxResources,
    ) -> nri::Result<Updates> {
        log(&pod, Some(&container), "is updated");
        Ok(Updates::new())
    }

    async fn post_update_container(
        &self,
        pod: PodSandbox,
        container: Container,
    ) -> nri::Result<()> {
        log(&pod, Some(&container), "has been updated");
        Ok(())
    }

    /// The answer updates other containers.
    async fn stop_container(&self, pod: PodSandbox, container: Container) -> nri::Result<Updates> {
        log(&pod, Some(&container), "stopped");
        Ok(Updates::new())
    }

    async fn remove_container(&self, pod: PodSandbox, container: Container) -> nri::Result<()> {
        log(&pod, Some(&container), "is removed");
        Ok(())
    }

    async fn stop_pod_sandbox(&self, pod: PodSandbox) -> nri::Result<()> {
        log(&pod, None, "stopped");
        Ok(())
    }

    async fn remove_pod_sandbox(&self, pod: PodSandbox) -> nri::Result<()> {
        log(&pod, None, "is removed");
        Ok(())
    }

    async fn shutdown(&self) -> nri::Result<()> {
        info!("the runtime shuts down");
        Ok(())
    }

    async fn on_disconnect(&self, reason: &nri::Error) {
        info!("the runtime is gone: {reason}");
    }
}

fn main() -> nri::Result<()> {
    let Some(flags) = Cli::new(ABOUT).parse()? else {
        return Ok(());
    };
    let plugin = Template::default();
    let store = Arc::clone(&plugin.store);
    nri::block_on(flags.run_with(plugin, |stub| stub.store(store)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use nri_testing::{self as testing, Logs, pod};

    #[tokio::test]
    async fn every_event_is_logged_and_nothing_changes() {
        let logs = Logs::start();
        let settings = testing::Runtime::new().config("cfgParam1: 5");
        let mut runtime = settings.start(Template::default()).await.unwrap();
        let app = pod("web").container("app");
        let created = runtime.create_in_pod(app).await.unwrap();
        assert_eq!(created.container, created.original);
        runtime.start_container(&created).await.unwrap();
        let resources = LinuxResources::default();
        runtime.update_container(&created, resources).await.unwrap();
        runtime.remove_pod(&created.pod).await.unwrap();
        let lines = logs.lines().join("\n");
        let expected = "cfgParam1 is \"5\"
0 pods, 0 containers
default/web runs
default/web/app is created
default/web/app has been created
default/web/app starts
default/web/app has started
default/web/app is updated
default/web/app has been updated
default/web/app stopped
default/web stopped
default/web/app is removed
default/web is removed";
        assert_eq!(lines, expected);
    }

    #[tokio::test]
    async fn pods_are_tracked_across_a_restart_of_the_runtime() {
        let _logs = Logs::start();
        let (store, template) = (Arc::new(PodStore::new()), Template::default());
        let filled = Arc::clone(&store);
        let old = testing::Runtime::new().with_pod(pod("old"));
        let started = old.start_with(template, |stub| stub.store(filled));
        let mut runtime = started.await.unwrap();
        let web = runtime.run_pod(pod("web")).await.unwrap();
        runtime.restart_speaking("v0.11.0").await.unwrap();
        assert_eq!(store.pods().len(), 2);
        runtime.remove_pod(&web).await.unwrap();
        let pods = store.pods();
        let names: Vec<_> = pods.iter().map(|pod| &*pod.name).collect();
        assert_eq!(names, ["old"]);
    }

    #[tokio::test]
    async fn a_wrong_configuration_ends_the_plugin() {
        let _logs = Logs::start();
        let settings = testing::Runtime::new().config("cfgParam2: 5");
        let error = settings.start(Template::default()).await.unwrap_err();
        assert!(error.to_string().contains("expected `cfgParam1: value`"), "{error}");
    }
}
