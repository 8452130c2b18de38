//! A block of methods is a plugin: of a plain, a generic and a concrete type, with the context only
//! where it is used.
#![deny(warnings)]

use nri::plugin::Plugin;
use nri::prelude::*;

pub struct Plain;

#[nri::plugin(name = "plain", index = "10", required(RunPodSandbox), blocking(Synchronize))]
impl Plain {
    async fn configure(&self, config: Config) -> nri::Result<Subscription> {
        config.parse::<u64>()?;
        Ok(Subscription::Handled)
    }

    async fn synchronize(&self, cx: &EventContext, _: Vec<PodSandbox>, _: Vec<Container>) -> nri::Result<Updates> {
        let _ = cx.time_left();
        Ok(Updates::new())
    }

    /// Documented.
    pub async fn run_pod_sandbox(&self, pod: PodSandbox) -> nri::Result<()> {
        self.note(&pod.name);
        Ok(())
    }

    async fn on_connect(&self) {}

    async fn on_disconnect(&self, reason: &nri::Error) {
        self.note(&reason.to_string());
    }

    async fn on_reconnect(&self, cx: &EventContext) {
        self.on_connect(cx).await;
    }
}

impl Plain {
    fn note(&self, _: &str) {}
}

pub struct Generic<'a, B, const N: usize>(&'a [B; N]);

#[nri::plugin(index = "20")]
impl<'a, B: Clone, const N: usize> Generic<'a, B, N>
where
    B: std::fmt::Debug,
{
    async fn stop_pod_sandbox(&self, _: PodSandbox) -> nri::Result<()> {
        let _ = format!("{:?}", self.0.clone());
        Ok(())
    }
}

pub struct Concrete<T>(T);

#[nri::plugin]
impl Concrete<u8> {
    async fn shutdown(&self) -> nri::Result<()> {
        Ok(())
    }

    async fn remove_container(&self, _: PodSandbox, _: Container) -> nri::Result<()> {
        let _ = self.0;
        Ok(())
    }
}

pub struct Old;

#[nri::plugin]
#[allow(deprecated)]
impl Old {
    async fn state_change(&self, _: Event, _: PodSandbox, _: Option<Container>) -> nri::Result<()> {
        Ok(())
    }
}

fn main() {
    assert_eq!((Plain::NAME, Plain::INDEX), (Some("plain"), Some("10")));
    assert_eq!(Plain::EVENTS, EventMask::EMPTY.with(Event::RunPodSandbox));
    assert!(Plain::CONNECTION.is_some());
    assert_eq!(Generic::<String, 2>::EVENTS, EventMask::EMPTY.with(Event::StopPodSandbox));
    assert!(Generic::<String, 2>::CONNECTION.is_none());
    assert_eq!(Concrete::<u8>::EVENTS, EventMask::EMPTY.with(Event::RemoveContainer));
    assert!(Old::EVENTS.contains(Event::StartContainer));
}
