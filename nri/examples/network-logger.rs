//! Logs the network namespace and the IP addresses of each pod.

use nri::prelude::*;
use tracing::info;

const ABOUT: &str = "An NRI plugin that logs the network namespace and addresses of pods.";

struct NetworkLogger;

/// Returns the line for an event of a pod, with its network namespace while it has one.
fn line(event: &str, pod: &PodSandbox, with_namespace: bool) -> String {
    let namespace = pod.namespace_path("network").unwrap_or("<host-network>");
    let (name, ips) = (pod.full_name(), pod.ips.join(" "));
    if with_namespace {
        format!("{event} {name}: namespace={namespace} ips=[{ips}]")
    } else {
        format!("{event} {name}: ips=[{ips}]")
    }
}

#[nri::plugin(name = "network-logger", index = "10")]
impl NetworkLogger {
    async fn synchronize(
        &self,
        pods: Vec<PodSandbox>,
        containers: Vec<Container>,
    ) -> nri::Result<Updates> {
        info!("{} pods, {} containers", pods.len(), containers.len());
        for pod in &pods {
            info!("{}", line("pod", pod, true));
        }
        Ok(Updates::new())
    }

    async fn run_pod_sandbox(&self, pod: PodSandbox) -> nri::Result<()> {
        info!("{}", line("started pod", &pod, true));
        Ok(())
    }

    async fn stop_pod_sandbox(&self, pod: PodSandbox) -> nri::Result<()> {
        info!("{}", line("stopped pod", &pod, false));
        Ok(())
    }

    async fn remove_pod_sandbox(&self, pod: PodSandbox) -> nri::Result<()> {
        info!("{}", line("removed pod", &pod, false));
        Ok(())
    }

    async fn shutdown(&self) -> nri::Result<()> {
        info!("the runtime shuts down");
        Ok(())
    }
}

fn main() -> nri::Result<()> {
    nri::cli::run(ABOUT, NetworkLogger)
}

#[cfg(test)]
mod tests {
    use super::*;
    use nri::api::LinuxNamespace;
    use nri_testing::{self as testing, Logs, pod};

    #[tokio::test]
    async fn every_pod_is_logged() {
        let logs = Logs::start();
        let old = testing::Runtime::new().with_pod(pod("old").ip("10.0.0.1"));
        let mut runtime = old.start(NetworkLogger).await.unwrap();
        let fixture = pod("web").ip("10.0.0.2").ip("fd00::2").with(|pod| {
            let namespace =
                LinuxNamespace { r#type: "network".to_owned(), path: "/run/netns/web".to_owned() };
            pod.linux.get_or_insert_default().namespaces.push(namespace);
        });
        let web = runtime.run_pod(fixture).await.unwrap();
        runtime.stop_pod(&web).await.unwrap();
        runtime.remove_pod(&web).await.unwrap();
        assert_eq!(
            logs.lines(),
            [
                "1 pods, 0 containers",
                "pod default/old: namespace=<host-network> ips=[10.0.0.1]",
                "started pod default/web: namespace=/run/netns/web ips=[10.0.0.2 fd00::2]",
                "stopped pod default/web: ips=[10.0.0.2 fd00::2]",
                "removed pod default/web: ips=[10.0.0.2 fd00::2]",
            ]
        );
    }
}
