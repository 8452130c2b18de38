//! Plugins that connect when there already are pods, and while pods and containers are being
//! created.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use super::{Played, Reason, disconnect};
use crate::runtime::Stage;
use crate::runtime::drive::{Driver, Pod};
use crate::runtime::event::Hook;
use crate::runtime::journal::{Journal, Record};
use crate::runtime::judgement::{Ended, Test, each, fail, tests};
use crate::runtime::observer::{Action, Identity, Observer, Script};
use crate::runtime::order;

/// A plugin that connects when a pod with a container is already running.
const LATE: Identity = Identity::new("late", "60");
/// The same plugin after it was disconnected.
const RETURNED: Identity = Identity::new("returned", "60");
/// A plugin that synchronizes slowly.
const SLOW: Identity = Identity::new("slow", "61");
/// Plugins that connect while pods and containers are being created.
const CROWD: [Identity; 4] = [
    Identity::new("crowd-0", "70"),
    Identity::new("crowd-1", "71"),
    Identity::new("crowd-2", "72"),
    Identity::new("crowd-3", "73"),
];

/// The time for which the slow plugin holds Synchronize. It is well below the usual request timeout
/// of 2 s: held for exactly that time, as by critest, the runtime disconnects the plugin, and
/// nothing is judged.
const SLOWNESS: Duration = Duration::from_millis(500);

/// The time within which an event must arrive after its request has been answered.
const ARRIVED: Duration = Duration::from_secs(2);

pub(crate) const TESTS: [Test; 6] = tests! {
    "Y1" "late-plugin" "a plugin that connects after the pod was run"
        => "every pod and container in Synchronize or in an event";
    "Y1" "container-during-synchronize" "a container is created while a plugin handles Synchronize"
        => "every pod and container in Synchronize or in an event";
    "Y1" "created-while-connecting" "pods and containers are created while plugins connect"
        => "every pod and container in Synchronize or in an event";
    "Y1" "returned-plugin" "a plugin that connects again"
        => "every pod and container in Synchronize or in an event";
    "Y3" "late-plugins-synchronized-once" "a registration"
        => "Synchronize once, before the first event";
    "Y4" "late-plugins-configured-once" "a registration"
        => "Configure once, before Synchronize and the first event";
};

/// The running scenario.
struct JoiningScene<'a> {
    stage: &'a Arc<Stage>,
    driver: &'a Driver,
    journal: Journal,
    pod: Pod,
    id: String,
    /// The running pods.
    pods: BTreeSet<String>,
    /// The running containers.
    containers: BTreeSet<String>,
}

/// Connects plugins in each of these ways.
pub(crate) async fn joining(stage: &Arc<Stage>, driver: &Driver) -> Played<6> {
    let pod = driver.new_pod("joined");
    let id = driver.run_pod(&pod).await?;
    let container = driver.run_container(&pod, &id, "main").await?;
    let mut scene = JoiningScene {
        stage,
        driver,
        journal: Journal::new(),
        pods: [id.clone()].into(),
        containers: [container].into(),
        pod,
        id,
    };
    // All pods and containers were created before.
    let latecomer = scene.connect(LATE).await?;
    let late = scene.missed(LATE).await;
    let slow = scene.slow().await?;
    latecomer.disconnect().await;
    let crowd = scene.crowd().await?;
    let returning = scene.connect(RETURNED).await?;
    let returned = scene.missed(RETURNED).await;
    returning.disconnect().await;
    for running in &scene.pods {
        driver.take_down(running).await;
    }
    let sequences = scene.journal.read().sequences;
    Ok([
        complete(&late),
        complete(&slow),
        complete(&crowd),
        complete(&returned),
        each(&sequences, order::synchronized_once),
        each(&sequences, order::configured_once),
    ])
}

/// The steps. Each returns the pods and containers that a plugin was not informed of.
impl JoiningScene<'_> {
    async fn connect(&self, identity: Identity) -> crate::Result<Observer> {
        let mut observer = self.start(identity, Script::new());
        observer.serving(self.stage.options.timeout).await?;
        Ok(observer)
    }

    fn start(&self, identity: Identity, script: Script) -> Observer {
        Observer::start(self.stage, &self.journal, identity, script)
    }

    /// Creates a container while a plugin handles Synchronize.
    async fn slow(&mut self) -> Result<Vec<String>, Reason> {
        let script = vec![(Hook::Synchronize, Action::Hold(SLOWNESS))];
        let mut observer = self.start(SLOW, script);
        let synchronized = self
            .journal
            .wait(self.stage.options.timeout, |record| record.synchronize(SLOW.name).is_some());
        if !synchronized.await {
            return Err("the runtime did not synchronize a plugin".into());
        }
        let container = self.container("during-synchronize").await?;
        self.containers.insert(container);
        observer.serving(self.stage.options.timeout).await?;
        let missed = self.missed(SLOW).await;
        observer.disconnect().await;
        Ok(missed)
    }

    /// Creates pods and containers while plugins connect one after the other.
    async fn crowd(&mut self) -> Result<Vec<String>, Reason> {
        let mut missed = Vec::new();
        let mut observers = Vec::new();
        for (round, identity) in CROWD.into_iter().enumerate() {
            observers.push(self.round(round, identity).await?);
            missed.extend(self.missed(identity).await);
        }
        disconnect(observers).await;
        Ok(missed)
    }

    async fn round(&mut self, round: usize, identity: Identity) -> Result<Observer, Reason> {
        let names: [String; 3] = std::array::from_fn(|number| format!("crowd-{round}-{number}"));
        let pod = self.driver.new_pod("crowd");
        let (observer, id, one, two, three) = tokio::join!(
            self.connect(identity),
            self.driver.run_pod(&pod),
            self.container(&names[0]),
            self.container(&names[1]),
            self.container(&names[2]),
        );
        self.pods.insert(id?);
        self.containers.extend([one?, two?, three?]);
        Ok(observer?)
    }

    async fn container(&self, name: &str) -> Result<String, String> {
        self.driver.run_container(&self.pod, &self.id, name).await
    }

    /// Returns the pods and containers that a plugin does not know, after waiting for late events.
    async fn missed(&self, identity: Identity) -> Vec<String> {
        let name = identity.name;
        let informed = |record: &Record| self.unknown(name, record).is_empty();
        self.journal.wait(ARRIVED, informed).await;
        self.unknown(name, &self.journal.read())
    }

    /// Returns the pods and containers that a plugin does not know so far.
    fn unknown(&self, name: &str, record: &Record) -> Vec<String> {
        let plugin = record.of(name);
        let knows = |id: &str| plugin.is_some_and(|plugin| plugin.knows(id));
        let pods = self.pods.iter().map(|id| ("pod", id));
        let containers = self.containers.iter().map(|id| ("container", id));
        pods.chain(containers)
            .filter(|(_, id)| !knows(id))
            .map(|(kind, id)| format!("plugin {name} did not learn of {kind} {id}"))
            .collect()
    }
}

/// Fails if a plugin was not informed of a pod or container.
fn complete(missed: &[String]) -> Ended {
    match missed.first() {
        None => Ok(()),
        Some(first) => fail(format!("{first} ({} in all)", missed.len())),
    }
}
