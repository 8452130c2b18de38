//! The scenario file: JSON, with messages in protobuf's JSON mapping.

use std::path::Path;

use nri::api::{Container, LinuxResources, PodSandbox};
use nri::json::Strict;
use serde::Deserialize;

use crate::error::Failure;
use crate::event::{self, Request};

/// The maximum size of the file in bytes.
const MAX_FILE: u64 = 256 << 20;

/// A checked scenario.
#[derive(Debug, Default)]
pub(crate) struct Scenario {
    /// The existing pods and containers, for Synchronize.
    pub(crate) state: NodeState,
    /// The events to send.
    pub(crate) steps: Vec<Request>,
}

/// The pods and containers that plugins get in Synchronize.
#[derive(Debug, Default)]
pub(crate) struct NodeState {
    pub(crate) pods: Vec<PodSandbox>,
    pub(crate) containers: Vec<Container>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    pods: Vec<Strict<PodSandbox>>,
    #[serde(default)]
    containers: Vec<Strict<Container>>,
    steps: Vec<Step>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Step {
    event: String,
    pod: Option<Strict<PodSandbox>>,
    container: Option<Strict<Container>>,
    #[serde(alias = "linuxResources", alias = "linux_resources")]
    resources: Option<Strict<LinuxResources>>,
    #[serde(alias = "overheadLinuxResources", alias = "overhead_linux_resources")]
    overhead: Option<Strict<LinuxResources>>,
}

impl Scenario {
    /// Reads a scenario.
    pub(crate) fn read(path: &Path) -> Result<Self, Failure> {
        let failed = |what: String| Failure::new(format!("cannot read {}: {what}", path.display()));
        let file = std::fs::metadata(path).map_err(|error| failed(error.to_string()))?;
        if file.len() > MAX_FILE {
            return Err(failed(format!("larger than {} MiB", MAX_FILE >> 20)));
        }
        let text = std::fs::read_to_string(path).map_err(|error| failed(error.to_string()))?;
        Self::parse(&text).map_err(|error| {
            Failure::new(format!("{}: {error}", path.display()))
                .with_help("see --help for the form; messages are in protobuf's JSON mapping")
        })
    }

    /// Parses the text of a scenario.
    ///
    /// # Errors
    ///
    /// Returns the problem, with line and column or with the number of the step.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let file: File = serde_json::from_str(text).map_err(|error| error.to_string())?;
        let steps = file.steps.into_iter().enumerate().map(|(at, step)| {
            let name = step.event.clone();
            request(step).map_err(|error| format!("step {} ({name}): {error}", at + 1))
        });
        Ok(Scenario {
            state: NodeState {
                pods: file.pods.into_iter().map(|pod| pod.0).collect(),
                containers: file.containers.into_iter().map(|container| container.0).collect(),
            },
            steps: steps.collect::<Result<_, _>>()?,
        })
    }
}

fn request(step: Step) -> Result<Request, String> {
    let event = event::parse(&step.event)?;
    let pod = step.pod.ok_or("`pod` is missing")?.0;
    let container = match step.container {
        Some(container) if event::has_container(event) => container.0,
        Some(_) => return Err("`container` does not belong to an event of a pod".to_owned()),
        None if event::has_container(event) => return Err("`container` is missing".to_owned()),
        None => Container::default(),
    };
    Ok(Request {
        event,
        pod,
        container,
        resources: step.resources.map(|resources| resources.0),
        overhead: step.overhead.map(|overhead| overhead.0),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mistakes_are_named() {
        for (text, error) in [
            ("", "EOF while parsing"),
            ("{}", "missing field `steps`"),
            (r#"{"steps":[],"pod":[]}"#, "unknown field `pod`"),
            (r#"{"steps":[{"event":"Dance","pod":{}}]}"#, "step 1 (Dance): unknown event `Dance`"),
            (
                r#"{"steps":[{"event":"RunPodSandbox"}]}"#,
                "step 1 (RunPodSandbox): `pod` is missing",
            ),
            (
                r#"{"steps":[{"event":"RunPodSandbox","pod":{}},{"event":"CreateContainer","pod":{}}]}"#,
                "step 2 (CreateContainer): `container` is missing",
            ),
            (
                r#"{"steps":[{"event":"ValidateContainerAdjustment","pod":{},"container":{}}]}"#,
                "is sent as a part of CreateContainer",
            ),
            (r#"{"steps":[{"event":"RunPodSandbox","pod":{"nmae":""}}]}"#, "unknown field `nmae`"),
        ] {
            let found = Scenario::parse(text).expect_err(text);
            assert!(found.contains(error), "{text}: {found}");
        }
    }

    #[test]
    fn both_spellings_of_events_and_fields() {
        let text = r#"{"steps":[
            {"event":"UPDATE_CONTAINER","pod":{},"container":{},"linuxResources":{"cpu":{"shares":{"value":"2"}}}},
            {"event":"UpdatePodSandbox","pod":{},"overhead_linux_resources":{}}
        ]}"#;
        let steps = Scenario::parse(text).expect("a scenario").steps;
        assert!(steps[0].resources.is_some());
        assert!(steps[1].overhead.is_some());
    }
}
