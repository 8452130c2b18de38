//! Plugins that connect when there already are pods, and while pods and containers are being created.

use std::time::Duration;

use super::{Scenario, Stage, disconnect};
use crate::runtime::drive::{Driver, Pod};
use crate::runtime::event::Hook;
use crate::runtime::judgement::{Ended, Test, fail, tests};
use crate::runtime::observer::{Action, Identity, Observer, Record, Script, Surroundings};
use crate::runtime::order;
use crate::runtime::sequence::Sequence;

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

/// The time for which the slow plugin holds Synchronize. It is well below the usual request timeout of 2 s: held for exactly
/// that time, as by critest, the runtime disconnects the plugin, and nothing is judged.
const SLOWNESS: Duration = Duration::from_millis(500);

/// The time within which an event must arrive after its request has been answered.
const ARRIVED: Duration = Duration::from_secs(2);

/// The result of the scenario: for each way to connect, the pods and containers that a plugin was not informed of.
#[derive(Debug)]
pub(crate) struct Joining {
    pub(crate) late: Vec<String>,
    pub(crate) slow: Vec<String>,
    pub(crate) crowd: Vec<String>,
    pub(crate) returned: Vec<String>,
    /// Everything that the plugins received.
    pub(crate) sequences: Vec<Sequence>,
}

/// A pod or container that a plugin must know.
#[derive(Clone, Debug)]
enum Known {
    Pod(String),
    Container(String),
}

/// The running scenario.
struct Scene<'a> {
    stage: &'a Stage,
    driver: &'a Driver,
    surroundings: Surroundings,
    pod: Pod,
    id: String,
    /// All running pods and containers.
    running: Vec<Known>,
}

impl Scenario for Joining {
    type Evidence = Joining;

    const TESTS: &[Test<Self::Evidence>] = tests! {
        "Y1" "late-plugin" complete(|it| &it.late, "a plugin that connects after the pod was run");
        "Y1" "container-during-synchronize" complete(
            |it| &it.slow,
            "a container is created while a plugin handles Synchronize"
        );
        "Y1" "created-while-connecting" complete(
            |it| &it.crowd,
            "pods and containers are created while plugins connect"
        );
        "Y1" "returned-plugin" complete(|it| &it.returned, "a plugin that connects again");
        "Y3" "late-plugins-synchronized-once" once_each(order::synchronized_once);
        "Y4" "late-plugins-configured-once" once_each(order::configured_once);
    };

    /// Connects plugins in each of these ways.
    async fn play(stage: &Stage, driver: &Driver) -> Result<Joining, String> {
        let pod = driver.new_pod("joined");
        let id = driver.run_pod(&pod).await?;
        let container = driver.run_container(&pod, &id, "main").await?;
        let mut scene = Scene {
            stage,
            driver,
            surroundings: stage.surroundings(stage.viewer()),
            running: vec![Known::Pod(id.clone()), Known::Container(container)],
            pod,
            id,
        };
        let (observer, late) = scene.late(LATE).await?;
        let slow = scene.slow().await?;
        observer.disconnect().await;
        let crowd = scene.crowd().await?;
        let (observer, returned) = scene.late(RETURNED).await?;
        observer.disconnect().await;
        scene.take_down().await;
        Ok(Joining {
            late,
            slow,
            crowd,
            returned,
            sequences: Sequence::all_of(&scene.surroundings.journal.read()),
        })
    }
}

impl Scene<'_> {
    /// Connects a plugin after all pods and containers were created.
    async fn late(&self, identity: Identity) -> Result<(Observer, Vec<String>), String> {
        let observer = self
            .surroundings
            .connect(identity, Script::default(), self.stage.timeout)
            .await
            .map_err(|error| error.to_string())?;
        let missed = self.missed(identity).await;
        Ok((observer, missed))
    }

    /// Creates a container while a plugin handles Synchronize.
    async fn slow(&mut self) -> Result<Vec<String>, String> {
        let script = Script::default().on(Hook::Synchronize, Action::Hold(SLOWNESS));
        let mut observer = self.surroundings.start(SLOW, script);
        let is_synchronized = |record: &Record| record.states(SLOW.name).next().is_some();
        let journal = &self.surroundings.journal;
        if !journal.wait(self.stage.timeout, is_synchronized).await {
            return Err("the runtime did not synchronize a plugin".to_owned());
        }
        let container = self.container("during-synchronize").await?;
        self.running.push(Known::Container(container));
        observer
            .serving(self.stage.timeout)
            .await
            .map_err(|error| error.to_string())?;
        let missed = self.missed(SLOW).await;
        observer.disconnect().await;
        Ok(missed)
    }

    /// Creates pods and containers while plugins connect one after the other.
    async fn crowd(&mut self) -> Result<Vec<String>, String> {
        let mut missed = Vec::new();
        let mut observers = Vec::new();
        for (round, identity) in CROWD.into_iter().enumerate() {
            observers.push(self.round(round, identity).await?);
            missed.extend(self.missed(identity).await);
        }
        disconnect(observers).await;
        Ok(missed)
    }

    async fn round(&mut self, round: usize, identity: Identity) -> Result<Observer, String> {
        let names: [String; 3] = std::array::from_fn(|number| format!("crowd-{round}-{number}"));
        let connects = self
            .surroundings
            .connect(identity, Script::default(), self.stage.timeout);
        let pod = self.driver.new_pod("crowd");
        let (observer, pod, one, two, three) = tokio::join!(
            connects,
            self.driver.run_pod(&pod),
            self.container(&names[0]),
            self.container(&names[1]),
            self.container(&names[2]),
        );
        self.running.push(Known::Pod(pod?));
        for container in [one, two, three] {
            self.running.push(Known::Container(container?));
        }
        observer.map_err(|error| error.to_string())
    }

    async fn container(&self, name: &str) -> Result<String, String> {
        self.driver.run_container(&self.pod, &self.id, name).await
    }

    /// Returns the pods and containers that a plugin does not know, after waiting for late events.
    async fn missed(&self, identity: Identity) -> Vec<String> {
        let name = identity.name;
        let journal = &self.surroundings.journal;
        let knows = |record: &Record, known: &Known| match known {
            Known::Pod(id) => record.knows_pod(name, id),
            Known::Container(id) => record.knows_container(name, id),
        };
        journal
            .wait(ARRIVED, |record| {
                self.running.iter().all(|known| knows(record, known))
            })
            .await;
        let record = journal.read();
        let unknown = self.running.iter().filter(|known| !knows(&record, known));
        unknown
            .map(|known| format!("plugin {name} did not learn of {known}"))
            .collect()
    }

    async fn take_down(&self) {
        for known in &self.running {
            if let Known::Pod(id) = known {
                self.driver.take_down(id).await;
            }
        }
    }
}

impl std::fmt::Display for Known {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Known::Pod(id) => write!(f, "pod {id}"),
            Known::Container(id) => write!(f, "container {id}"),
        }
    }
}

/// Fails if a plugin was not informed of a pod or container.
fn complete(joining: &Joining, missed: fn(&Joining) -> &[String], sent: &str) -> Ended {
    let missed = missed(joining);
    match missed.first() {
        None => Ok(()),
        Some(first) => fail(
            sent,
            format!("{first} ({} in all)", missed.len()),
            "every pod and container in Synchronize or in an event",
        ),
    }
}

/// Y3 and Y4 for plugins that connect late.
fn once_each(joining: &Joining, check: order::Check) -> Ended {
    order::each(&joining.sequences, check)
}
