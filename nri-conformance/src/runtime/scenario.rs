//! The scenarios. Each connects observing plugins, sends requests to the runtime, and judges what
//! happened.

pub(super) mod joining;
pub(super) mod life;
pub(super) mod setup;
pub(super) mod teardown;

use std::error::Error;
use std::sync::Arc;
use std::time::Duration;

use super::Stage;
use super::event::Hook;
use super::journal::{Journal, Record};
use super::judgement::{Ended, fail};
use super::observer::{Action, FIRST, Identity, LAST, MIDDLE, Observer, Script};

/// The reason why a step that a scenario needs failed.
pub(super) type Reason = Box<dyn Error + Send + Sync>;

/// The end of each test of a scenario, in the order of its tests.
pub(super) type Played<const TESTS: usize> = Result<[Ended; TESTS], Reason>;

/// The time without an event after which no further one is expected.
const QUIET: Duration = Duration::from_millis(250);

/// The longest wait for that time.
const QUIET_LIMIT: Duration = Duration::from_secs(2);

/// Connected plugins with their journal.
struct Scene {
    journal: Journal,
    observers: Vec<Observer>,
}

impl Scene {
    /// Connects several plugins.
    async fn connect<const N: usize>(
        stage: &Arc<Stage>,
        plugins: [(Identity, Script); N],
    ) -> crate::Result<Scene> {
        let mut scene = Scene { journal: Journal::new(), observers: Vec::new() };
        for (identity, script) in plugins {
            let mut observer = Observer::start(stage, &scene.journal, identity, script);
            observer.serving(stage.options.timeout).await?;
            scene.observers.push(observer);
        }
        Ok(scene)
    }

    /// Connects three plugins, of which the middle one misbehaves in a hook.
    async fn misbehaving(stage: &Arc<Stage>, hook: Hook, action: Action) -> crate::Result<Scene> {
        let middle = (MIDDLE, vec![(hook, action)]);
        Scene::connect(stage, [(FIRST, Vec::new()), middle, (LAST, Vec::new())]).await
    }

    /// Waits until no event has arrived for some time.
    async fn settle(&self) {
        self.journal.settle(QUIET, QUIET_LIMIT).await;
    }

    /// Disconnects the plugins, and returns everything that they received.
    async fn end(self) -> Record {
        disconnect(self.observers).await;
        self.journal.read()
    }
}

async fn disconnect(observers: Vec<Observer>) {
    for observer in observers {
        observer.disconnect().await;
    }
}

/// Tests that two sandboxes have different ids.
fn unlike(first: &str, second: &str) -> Ended {
    if first == second {
        return fail(format!("the id {second} again"));
    }
    Ok(())
}
