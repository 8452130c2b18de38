//! A plugin written for runtimes before NRI v0.12.0: a single handler, of StateChange, for nine
//! events.
//!
//! It runs under newer runtimes as well: their dedicated calls are passed to the same handler.
//! Without the `allow` below, the compiler warns and names the handlers to write instead; the same
//! warning is logged at start.

#![allow(deprecated)]

use nri::prelude::*;
use tracing::info;

const ABOUT: &str = "An old-style NRI plugin, which only handles the deprecated StateChange.";

struct Legacy;

#[nri::plugin(name = "legacy", index = "10")]
impl Legacy {
    async fn state_change(
        &self,
        event: Event,
        pod: PodSandbox,
        container: Option<Container>,
    ) -> nri::Result<()> {
        let subject = match container {
            Some(container) => container.full_name(&pod),
            None => pod.full_name(),
        };
        info!("{} {subject}", event.as_str_name());
        Ok(())
    }
}

fn main() -> nri::Result<()> {
    nri::cli::run(ABOUT, Legacy)
}

#[cfg(test)]
mod tests {
    use super::*;
    use nri_testing::{self as testing, Logs, pod};

    /// Returns what is logged under this release of the runtime, and the events that it records as
    /// deprecated.
    async fn life_of_a_pod(release: &str) -> (Vec<String>, usize) {
        let logs = Logs::start();
        let settings = testing::Runtime::new().speaking(release);
        let mut runtime = settings.start(Legacy).await.unwrap();
        let web = runtime.run_pod(pod("web")).await.unwrap();
        let app = runtime.create_container(&web, testing::container("app")).await.unwrap();
        runtime.start_container(&app).await.unwrap();
        runtime.stop_pod(&web).await.unwrap();
        runtime.remove_pod(&web).await.unwrap();
        (logs.lines(), runtime.deprecations().len())
    }

    #[tokio::test]
    async fn one_handler_gets_nine_events_under_every_release() {
        let (old, _) = life_of_a_pod("v0.11.0").await;
        let expected = [
            "RUN_POD_SANDBOX default/web",
            "POST_CREATE_CONTAINER default/web/app",
            "START_CONTAINER default/web/app",
            "POST_START_CONTAINER default/web/app",
            "STOP_POD_SANDBOX default/web",
            "REMOVE_CONTAINER default/web/app",
            "REMOVE_POD_SANDBOX default/web",
        ];
        assert_eq!(old, expected);
        let (new, deprecated) = life_of_a_pod("v0.12.5").await;
        assert_eq!(new, expected);
        assert_eq!(deprecated, 0, "the stub has the dedicated calls");
    }
}
