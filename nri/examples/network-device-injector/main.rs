//! Moves network devices of the host into pods that request them with an annotation, and back when
//! the pod stops:
//!
//! ```yaml
//! annotations:
//!   netdevices.noderesource.dev/pod: |
//!     - name: enp2s2f0
//!       new_name: eth1
//!       address: 192.168.2.2
//!       prefix: 24
//!       mtu: 1500
//! ```
//!
//! Only `name` is mandatory. The key may lack `/pod`, and may be `netdevice.noderesource.dev` or
//! the older `netdevices.nri.containerd.io`. All containers of the pod have the device, as they
//! share its network namespace.
//!
//! The plugin has to run in the network namespace of the host, as root or with `CAP_NET_ADMIN` and
//! `CAP_SYS_ADMIN`.

mod links;
mod request;
#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use links::{Kernel, Links};
use nri::prelude::*;
use request::Device;
use tracing::{info, warn};

const ABOUT: &str = "An NRI plugin that moves network devices into pods that request them.";

struct NetworkDeviceInjector {
    links: Arc<dyn Links>,
}

impl NetworkDeviceInjector {
    /// Moves the devices into a pod: all of them, or none if one fails.
    fn inject(links: &dyn Links, namespace: &Path, devices: &[Device]) -> nri::Result<()> {
        for (at, device) in devices.iter().enumerate() {
            if let Err(error) = links.inject(namespace, device) {
                Self::release(links, namespace, &devices[..at]);
                return Err(error);
            }
        }
        Ok(())
    }

    /// Moves devices back to the host. A failure is only logged, because it must not keep a pod
    /// from stopping.
    fn release(links: &dyn Links, namespace: &Path, devices: &[Device]) {
        for device in devices {
            if let Err(error) = links.release(namespace, device) {
                warn!("{error}");
            }
        }
    }

    /// Runs a function outside of the plugin's threads, because requests to the kernel wait for it.
    async fn with_links<T: Send + 'static>(
        &self,
        work: impl FnOnce(&dyn Links) -> T + Send + 'static,
    ) -> nri::Result<T> {
        let links = Arc::clone(&self.links);
        let working = tokio::task::spawn_blocking(move || work(&*links));
        working.await.map_err(nri::Error::other)
    }
}

/// Returns the pod's network namespace, unless it is that of the host.
fn namespace(pod: &PodSandbox) -> Option<PathBuf> {
    let path = pod.namespace_path("network")?;
    (!path.is_empty()).then(|| PathBuf::from(path))
}

#[nri::plugin(name = "network-device-injector", index = "10")]
impl NetworkDeviceInjector {
    async fn run_pod_sandbox(&self, pod: PodSandbox) -> nri::Result<()> {
        let devices = request::devices(&pod)?;
        if devices.is_empty() {
            return Ok(());
        }
        let Some(namespace) = namespace(&pod) else {
            let name = pod.full_name();
            let message = format!("{name} requests network devices, but uses the host's network");
            return Err(nri::Error::new(message));
        };
        let names: Vec<_> = devices.iter().map(|device| device.name.clone()).collect();
        self.with_links(move |links| Self::inject(links, &namespace, &devices)).await??;
        info!("{}: injected {}", pod.full_name(), names.join(", "));
        Ok(())
    }

    async fn stop_pod_sandbox(&self, pod: PodSandbox) -> nri::Result<()> {
        let devices = request::devices(&pod)?;
        match namespace(&pod) {
            Some(namespace) if !devices.is_empty() => {
                self.with_links(move |links| Self::release(links, &namespace, &devices)).await
            }
            Some(_) | None => Ok(()),
        }
    }
}

fn main() -> nri::Result<()> {
    let links = Arc::new(Kernel);
    nri::cli::run(ABOUT, NetworkDeviceInjector { links })
}
