//! Limits the number of processes of each container, with a configuration that may change while the
//! plugin runs.
//!
//! The file of `--config` has one setting:
//!
//! ```yaml
//! limit: 1000
//! ```
//!
//! When the file changes, or at SIGHUP, the plugin reads it again and updates the existing
//! containers. Without a file, it changes nothing.

use std::sync::Arc;

use nri::cli::Cli;
use nri::prelude::*;
use nri::reload::ConfigWatch;
use nri::store::PodStore;
use serde::Deserialize;

const ABOUT: &str = "An NRI plugin that limits the number of processes of each container.";

#[derive(Default, Deserialize)]
struct Settings {
    limit: Option<i64>,
}

struct PidsLimit {
    settings: ConfigWatch<Settings>,
    store: Arc<PodStore>,
}

#[nri::plugin(name = "pids-limit", index = "20")]
impl PidsLimit {
    async fn create_container(&self, _: PodSandbox, _: Container) -> nri::Result<Adjustment> {
        let adjustment = Adjustment::new();
        Ok(match self.settings.get().limit {
            Some(limit) => adjustment.pids_limit(limit),
            None => adjustment,
        })
    }

    async fn on_connect(&self, cx: &EventContext) {
        self.settings.reconcile(cx, |settings| self.updates(settings)).await;
    }

    async fn on_reconnect(&self, cx: &EventContext) {
        self.on_connect(cx).await;
    }
}

impl PidsLimit {
    /// Returns an update of each container to the limit, if there is one.
    fn updates(&self, settings: &Settings) -> Updates {
        let Some(limit) = settings.limit else {
            return Updates::new();
        };
        // A container may have stopped meanwhile.
        let update = |id: &str| ContainerUpdate::new(id).pids_limit(limit).ignore_failure();
        self.store.containers().iter().map(|container| update(&container.id)).collect()
    }
}

fn main() -> nri::Result<()> {
    let Some(flags) = Cli::new(ABOUT).with_config().parse()? else {
        return Ok(());
    };
    nri::block_on(async {
        let settings = flags.watch_config(|text| serde_yaml_ng::from_str(text))?;
        let store = Arc::new(PodStore::new());
        let plugin = PidsLimit { settings, store: Arc::clone(&store) };
        flags.run_with(plugin, |stub| stub.store(store)).await
    })
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use nri_testing::{self as testing, RunningRuntime, pod};

    async fn start(
        runtime: testing::Runtime,
        settings: ConfigWatch<Settings>,
    ) -> nri::Result<RunningRuntime> {
        let store = Arc::new(PodStore::new());
        let plugin = PidsLimit { settings, store: Arc::clone(&store) };
        runtime.start_with(plugin, |stub| stub.store(store)).await
    }

    /// Returns the limits that the plugin has requested outside of events, with the containers,
    /// oldest first.
    fn requested(runtime: &RunningRuntime) -> Vec<(String, i64)> {
        let pids_of = |update: &ContainerUpdate| update.linux.clone()?.resources?.pids;
        runtime
            .requested()
            .into_iter()
            .flat_map(|it| it.updates)
            .map(|update| {
                let limit = pids_of(&update).map_or(0, |pids| pids.limit);
                (update.container_id, limit)
            })
            .collect()
    }

    #[tokio::test(start_paused = true)]
    async fn a_changed_file_updates_the_existing_containers() {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(&file, "limit: 10").unwrap();
        let parser = |text: &str| serde_yaml_ng::from_str(text);
        let settings = ConfigWatch::of_file(file.path(), parser).unwrap();
        let old = testing::Runtime::new().with_container(pod("old").container("db"));
        let mut runtime = start(old, settings).await.unwrap();
        let created = runtime.create_in_pod(pod("web").container("app")).await.unwrap();
        assert_eq!(created.resources().and_then(|it| it.pids).unwrap().limit, 10);

        std::fs::write(&file, "limit: 2000").unwrap();
        runtime.advance(Duration::from_secs(3)).await;
        let (db, app) = ("old-pod-db".to_owned(), "web-pod-app".to_owned());
        let expected = [(db.clone(), 10), (db.clone(), 2000), (app, 2000)];
        assert_eq!(requested(&runtime), expected);

        runtime.remove_container(&created).await.unwrap();
        std::fs::write(&file, "limit: a few").unwrap();
        runtime.advance(Duration::from_secs(3)).await;
        assert_eq!(requested(&runtime).len(), 3, "an invalid file changes nothing");
        std::fs::write(&file, "limit: 300").unwrap();
        runtime.advance(Duration::from_secs(3)).await;
        assert_eq!(requested(&runtime)[3..], [(db, 300)]);
    }

    #[tokio::test]
    async fn without_a_file_nothing_changes() {
        let settings = Settings::default().into();
        let mut runtime = start(testing::Runtime::new(), settings).await.unwrap();
        let created = runtime.create_in_pod(pod("web").container("app")).await.unwrap();
        assert_eq!(created.container, created.original);
        assert!(runtime.requested().is_empty());
    }
}
