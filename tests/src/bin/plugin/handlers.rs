//! The handlers of plugins that differ only in the options of their stubs.

use nri::prelude::*;
use serde_json::json;

use crate::annotations::{adjustment, handle, update_unsolicited, updates};
use crate::settings::Settings;

macro_rules! plain_events {
    ($plugin:ident: $($trait:ident::$method:ident($($container:ident)?),)*) => {$(
        impl $trait for $plugin {
            async fn $method(&self, _: &EventContext, pod: PodSandbox $(, $container: Container)?) -> nri::Result<()> {
                let container: Option<&Container> = None$(.or(Some(&$container)))?;
                handle(stringify!($trait), &pod, container).await
            }
        }
    )*};
}

macro_rules! plugin {
    ($plugin:ident $(, $($attribute:tt)+)?) => {
        #[derive(NriPlugin)]
        #[nri(name = "peer", index = "10" $(, $($attribute)+)?)]
        pub(crate) struct $plugin(pub(crate) Settings);

        impl Configure for $plugin {
            async fn configure(&self, cx: &EventContext, config: Config) -> nri::Result<Subscription> {
                let runtime = cx.runtime();
                let (runtime, version) = (runtime.as_ref().map(|it| it.name()), runtime.as_ref().map(|it| it.version()));
                println!("{}", json!({"event": "Configure", "runtime": runtime, "version": version}));
                self.0.subscription(config.text())
            }
        }

        impl Synchronize for $plugin {
            async fn synchronize(&self, _: &EventContext, pods: Vec<PodSandbox>, containers: Vec<Container>) -> nri::Result<Updates> {
                let (pods, containers) = (pods.len(), containers.len());
                println!("{}", json!({"event": "Synchronize", "pods": pods, "containers": containers}));
                Ok(Updates::new())
            }
        }

        plain_events! {
            $plugin:
            RunPodSandbox::run_pod_sandbox(),
            StopPodSandbox::stop_pod_sandbox(),
            RemovePodSandbox::remove_pod_sandbox(),
            PostCreateContainer::post_create_container(container),
            StartContainer::start_container(container),
            PostUpdateContainer::post_update_container(container),
            RemoveContainer::remove_container(container),
        }

        impl PostStartContainer for $plugin {
            async fn post_start_container(&self, cx: &EventContext, pod: PodSandbox, container: Container) -> nri::Result<()> {
                update_unsolicited(cx, &pod);
                handle("PostStartContainer", &pod, Some(&container)).await
            }
        }

        impl CreateContainer for $plugin {
            async fn create_container(&self, _: &EventContext, pod: PodSandbox, container: Container) -> nri::Result<Adjustment> {
                handle("CreateContainer", &pod, Some(&container)).await?;
                Ok(adjustment(&pod))
            }
        }

        impl UpdateContainer for $plugin {
            async fn update_container(&self, _: &EventContext, pod: PodSandbox, container: Container, _: LinuxResources) -> nri::Result<Updates> {
                handle("UpdateContainer", &pod, Some(&container)).await?;
                Ok(updates(&pod).into())
            }
        }

        impl StopContainer for $plugin {
            async fn stop_container(&self, _: &EventContext, pod: PodSandbox, container: Container) -> nri::Result<Updates> {
                handle("StopContainer", &pod, Some(&container)).await?;
                Ok(updates(&pod))
            }
        }

        impl Connection for $plugin {
            async fn on_disconnect(&self, _: &EventContext, reason: &nri::Error) {
                println!("{}", json!({"event": "disconnected", "reason": reason.to_string()}));
            }

            async fn on_reconnect(&self, _: &EventContext) {
                println!("{}", json!({"event": "reconnected"}));
            }
        }
    };
}

plugin!(Plain);
plugin!(OkOnTimeout, on_timeout(RunPodSandbox = "ok"));
plugin!(FailRequest, failure_policy(fail_request));
plugin!(KeepConnected, failure_policy(fail_request, keep_connected));
