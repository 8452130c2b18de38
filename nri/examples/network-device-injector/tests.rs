use std::sync::Mutex;

use nri::api::LinuxNamespace;
use nri_testing::{self as testing, PodFixture, RunningRuntime, pod};

use super::*;

/// Records the requests instead of moving devices. The device `broken` cannot be moved.
#[derive(Default)]
struct Noted(Mutex<Vec<String>>);

impl Noted {
    fn note(&self, what: &str, namespace: &Path, device: &Device) -> nri::Result<()> {
        let (namespace, name, new) = (namespace.display(), &device.name, &device.new_name);
        let network = device.network().map(|(address, prefix)| format!(" {address}/{prefix}"));
        let mtu = device.mtu.map(|mtu| format!(" mtu {mtu}")).unwrap_or_default();
        let line =
            format!("{what} {name} as {new} {namespace}{}{mtu}", network.unwrap_or_default());
        self.0.lock().unwrap().push(line);
        match name.as_str() {
            "broken" => Err(nri::Error::new("no such device")),
            _ => Ok(()),
        }
    }

    fn take(&self) -> Vec<String> {
        std::mem::take(&mut self.0.lock().unwrap())
    }
}

impl Links for Noted {
    fn inject(&self, namespace: &Path, device: &Device) -> nri::Result<()> {
        self.note("inject", namespace, device)
    }

    fn release(&self, namespace: &Path, device: &Device) -> nri::Result<()> {
        self.note("release", namespace, device)
    }
}

async fn start() -> (RunningRuntime, Arc<Noted>) {
    let noted = Arc::new(Noted::default());
    let links: Arc<dyn Links> = noted.clone();
    let plugin = NetworkDeviceInjector { links };
    (testing::Runtime::new().start(plugin).await.unwrap(), noted)
}

fn pod_with(key: &str, value: &str) -> PodFixture {
    pod("web").annotation(key, value).with(|pod| {
        let namespace =
            LinuxNamespace { r#type: "network".to_owned(), path: "/run/netns/web".to_owned() };
        pod.linux.get_or_insert_default().namespaces.push(namespace);
    })
}

const KEY: &str = "netdevices.noderesource.dev/pod";

#[tokio::test]
async fn devices_move_in_and_out() {
    let (mut runtime, noted) = start().await;
    let value = "[{name: a, new_name: eth1, address: 10.0.0.2, prefix: 24, mtu: 1400}, {name: b, address: 'fd00::1'}]";
    let web = runtime.run_pod(pod_with(KEY, value)).await.unwrap();
    assert_eq!(
        noted.take(),
        [
            "inject a as eth1 /run/netns/web 10.0.0.2/24 mtu 1400",
            "inject b as b /run/netns/web fd00::1/128",
        ]
    );
    runtime.stop_pod(&web).await.unwrap();
    let released = noted.take();
    assert!(released[0].starts_with("release a as eth1"), "{released:?}");
    assert!(released[1].starts_with("release b as b"), "{released:?}");
}

#[tokio::test]
async fn every_spelling_of_the_annotation_is_read() {
    for prefix in [
        "netdevices.noderesource.dev",
        "netdevice.noderesource.dev",
        "netdevices.nri.containerd.io",
    ] {
        for suffix in ["", "/pod"] {
            let (mut runtime, noted) = start().await;
            let key = format!("{prefix}{suffix}");
            runtime.run_pod(pod_with(&key, "[{name: a}]")).await.unwrap();
            assert_eq!(noted.take(), ["inject a as a /run/netns/web"], "{key}");
        }
    }
    let (mut runtime, noted) = start().await;
    runtime.run_pod(pod("plain")).await.unwrap();
    assert!(noted.take().is_empty());
}

#[tokio::test]
async fn a_device_that_cannot_be_moved_fails_the_pod() {
    let (mut runtime, noted) = start().await;
    let error = runtime.run_pod(pod_with(KEY, "[{name: a}, {name: broken}]")).await.unwrap_err();
    assert!(error.fails_request() && error.to_string().contains("no such device"), "{error}");
    assert_eq!(noted.take().last().unwrap(), "release a as a /run/netns/web");
}

#[tokio::test]
async fn mistakes_fail_the_pod() {
    let (mut runtime, noted) = start().await;
    for (value, reason) in [
        ("[{name: ''}]", "a device has no name"),
        ("[{new_name: a}]", "missing field `name`"),
        ("[{name: a, address: 10.0.0}]", "invalid IP address"),
        ("[{name: a, address: 10.0.0.1, prefix: 33}]", "10.0.0.1 has a prefix of 33 bits"),
    ] {
        let error = runtime.run_pod(pod_with(KEY, value)).await.unwrap_err();
        assert!(error.to_string().contains(reason), "{error}");
    }
    let host = pod("host").annotation(KEY, "[{name: a}]");
    let error = runtime.run_pod(host).await.unwrap_err();
    assert!(error.to_string().contains("uses the host's network"), "{error}");
    assert!(noted.take().is_empty());
}

#[test]
fn the_kernel_names_a_device_that_it_lacks() {
    let device: Device = serde_yaml_ng::from_str("{name: absent0, new_name: eth1}").unwrap();
    let error = Kernel.inject(Path::new("/proc/self/ns/net"), &device).unwrap_err();
    let message = error.to_string();
    assert!(message.contains("absent0") && message.contains("No such device"), "{message}");
}
