//! The result of a case, here and in the reference adaptation.

use std::io::Write as _;
use std::process::Command;

use nri::adaptation::merge::{CreateCollector, MergeError, UpdateCollector};
use nri::api::{
    Container, ContainerUpdate, CreateContainerRequest, CreateContainerResponse, LinuxResources,
    Mount, OwningPlugins, StopContainerResponse, UpdateContainerRequest, UpdateContainerResponse,
};
use nri_tests::{hex, peers};
use prost::Message;
use serde_json::Value;

use super::cases::name;

/// A case: what the peer gets, and what comes of it here.
pub(crate) struct Case {
    pub(crate) input: Value,
    pub(crate) expected: Expected,
}

/// The result of a case.
#[derive(Debug, PartialEq)]
pub(crate) struct Expected {
    error: String,
    response: Option<CreateContainerResponse>,
    seen: Vec<SeenRequest>,
    owners: OwningPlugins,
}

/// The request as a plugin saw it.
#[derive(Debug, PartialEq)]
pub(crate) enum SeenRequest {
    Container(Box<Container>),
    Resources(Box<LinuxResources>),
    Nothing,
}

pub(crate) fn created(container: Container, answers: Vec<CreateContainerResponse>) -> Expected {
    let mut collector = CreateCollector::new(container);
    let mut seen = Vec::new();
    for (number, answer) in answers.into_iter().enumerate() {
        seen.push(SeenRequest::Container(Box::new(normal(
            collector.container().clone(),
        ))));
        if let Err(error) = collector.apply(&name(number), answer) {
            return failed(seen, &error);
        }
    }
    let created = collector.finish();
    let response = CreateContainerResponse {
        adjust: Some(created.adjust),
        update: created.updates,
        evict: Vec::new(),
    };
    Expected {
        error: String::new(),
        response: Some(sorted(response)),
        seen,
        owners: (&created.owners).into(),
    }
}

pub(crate) fn updated(
    mut collector: UpdateCollector,
    answers: Vec<Vec<ContainerUpdate>>,
) -> Expected {
    let mut seen = Vec::new();
    for (number, answer) in answers.into_iter().enumerate() {
        let resources = collector.resources().cloned();
        seen.push(resources.map_or(SeenRequest::Nothing, |it| {
            SeenRequest::Resources(Box::new(it))
        }));
        if let Err(error) = collector.apply(&name(number), answer, Vec::new()) {
            return failed(seen, &error);
        }
    }
    let response = CreateContainerResponse {
        adjust: None,
        update: collector.finish().updates,
        evict: Vec::new(),
    };
    Expected {
        error: String::new(),
        response: Some(sorted(response)),
        seen,
        owners: OwningPlugins::default(),
    }
}

pub(crate) fn failed(seen: Vec<SeenRequest>, error: &MergeError) -> Expected {
    Expected {
        error: conflict(&error.to_string()),
        response: None,
        seen,
        owners: OwningPlugins::default(),
    }
}

/// Returns what must be the same in the words of both sides: the plugins, and the field.
///
/// Of several conflicting entries of a map the reference names any one, so the name of the entry is cut there.
pub(crate) fn conflict(error: &str) -> String {
    let maps = ["Annotations", "Sysctl", "LinuxNetDevices", "CgroupsUnified"];
    if error.contains("during creation") || error.contains("being created") {
        return "update during creation".to_owned();
    }
    let map = maps.iter().find_map(|map| Some((error.find(map)?, map)));
    let end = map.map_or(error.len(), |(start, map)| start + map.len());
    error[..end].trim().to_owned()
}

pub(crate) fn compare(cases: Vec<Case>) {
    let results = ask(cases.iter().map(|case| &case.input));
    let mut conflicts = 0;
    for (case, result) in cases.iter().zip(&results) {
        let mut theirs = expected(&case.input, result);
        if theirs != case.expected {
            theirs = another(case, theirs);
        }
        assert_eq!(theirs, case.expected, "theirs and ours of {}", case.input);
        conflicts += usize::from(!theirs.error.is_empty());
    }
    // Neither side of the rules may go untested.
    let some = cases.len() / 20..cases.len() - cases.len() / 20;
    assert!(
        some.contains(&conflicts),
        "{conflicts} of {} conflict",
        cases.len()
    );
}

/// Returns another result of the reference for the same case if one is the expected one.
///
/// The reference goes through maps in random order, so that a conflict whose failure a plugin ignores leaves claims on
/// random entries.
pub(crate) fn another(case: &Case, theirs: Expected) -> Expected {
    let results = ask(std::iter::repeat_n(&case.input, 100));
    let mut results = results.iter().map(|result| expected(&case.input, result));
    results
        .find(|theirs| *theirs == case.expected)
        .unwrap_or(theirs)
}

pub(crate) fn expected(input: &Value, result: &Value) -> Expected {
    let error = conflict(result["error"].as_str().unwrap());
    let bytes = |value: &Value| hex::decode(value.as_str().unwrap_or_default());
    let response = bytes(&result["response"]);
    let response = if input.get("stop").is_some() {
        let response = StopContainerResponse::decode(&*response).unwrap();
        CreateContainerResponse {
            update: response.update,
            ..CreateContainerResponse::default()
        }
    } else if input.get("update").is_some() {
        let response = UpdateContainerResponse::decode(&*response).unwrap();
        CreateContainerResponse {
            update: response.update,
            ..CreateContainerResponse::default()
        }
    } else {
        CreateContainerResponse::decode(&*response).unwrap()
    };
    let seen = result["seen"].as_array().into_iter().flatten();
    let seen = seen
        .map(|request| seen_by_plugin(input, &bytes(request)))
        .collect();
    let owners = OwningPlugins::decode(&*bytes(&result["owners"])).unwrap();
    Expected {
        response: error.is_empty().then(|| sorted(response)),
        error,
        seen,
        owners,
    }
}

pub(crate) fn seen_by_plugin(input: &Value, request: &[u8]) -> SeenRequest {
    if input.get("create").is_some() {
        let request = CreateContainerRequest::decode(request).unwrap();
        SeenRequest::Container(Box::new(normal(request.container.unwrap_or_default())))
    } else if input.get("update").is_some() {
        let request = UpdateContainerRequest::decode(request).unwrap();
        SeenRequest::Resources(Box::new(request.linux_resources.unwrap_or_default()))
    } else {
        SeenRequest::Nothing
    }
}

/// Puts namespaces in order: the reference keeps them in a map. Parts that are there and empty stay, because to a plugin
/// they differ from absent ones.
pub(crate) fn normal(mut container: Container) -> Container {
    if let Some(linux) = &mut container.linux {
        linux
            .namespaces
            .sort_by(|one, other| one.r#type.cmp(&other.r#type));
    }
    container
}

/// Leaves out parts that are there and empty, and puts removals of mounts in order: the reference keeps them in a map.
pub(crate) fn sorted(mut response: CreateContainerResponse) -> CreateContainerResponse {
    let mut adjust = response.adjust.unwrap_or_default().strip();
    let (mut removed, added): (Vec<Mount>, Vec<Mount>) = adjust
        .mounts
        .into_iter()
        .partition(|mount| mount.destination.starts_with('-'));
    removed.sort_by(|one, other| one.destination.cmp(&other.destination));
    adjust.mounts = added.into_iter().chain(removed).collect();
    response.adjust = Some(adjust);
    let updates = response.update.into_iter();
    response.update = updates.map(ContainerUpdate::strip).collect();
    response
}

pub(crate) fn encode(message: &impl Message) -> Value {
    hex::encode(&message.encode_to_vec()).into()
}

/// Has the peer merge all cases.
pub(crate) fn ask<'c>(cases: impl Iterator<Item = &'c Value>) -> Vec<Value> {
    let mut input = tempfile::NamedTempFile::new().unwrap();
    for case in cases {
        writeln!(input, "{case}").unwrap();
    }
    let program = peers::merge();
    let output = peers::run(Command::new(program).stdin(input.reopen().unwrap()));
    let lines = output.lines();
    lines
        .map(|line| serde_json::from_str(line).expect(line))
        .collect()
}
