//! The result of a case, here and in the reference adaptation.

use std::io::Write as _;
use std::process::Command;

use nri::api::{
    Container, ContainerAdjustment, ContainerUpdate, CreateContainerRequest,
    CreateContainerResponse, LinuxResources, Mount, StopContainerResponse, UpdateContainerRequest,
    UpdateContainerResponse, ValidateContainerAdjustmentRequest,
};
use nri::codec::Message;
use nri_adaptation::merge::{CreateCollector, MergeError, UpdateCollector};
use nri_tests::{hex, peers};
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
    validated: ValidateContainerAdjustmentRequest,
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
        seen.push(SeenRequest::Container(Box::new(normal(collector.container().clone()))));
        if let Err(error) = collector.apply(&name(number), answer) {
            return failed(seen, &error);
        }
    }
    let validated = in_order(collector.validation());
    let created = collector.finish();
    let response = CreateContainerResponse {
        adjust: Some(created.adjust),
        update: created.updates,
        evict: Vec::new(),
    };
    Expected { error: String::new(), response: Some(ordered(response)), seen, validated }
}

pub(crate) fn updated(
    mut collector: UpdateCollector,
    answers: Vec<Vec<ContainerUpdate>>,
) -> Expected {
    let mut seen = Vec::new();
    for (number, answer) in answers.into_iter().enumerate() {
        let resources = collector.resources().cloned();
        seen.push(
            resources.map_or(SeenRequest::Nothing, |it| SeenRequest::Resources(Box::new(it))),
        );
        if let Err(error) = collector.apply(&name(number), answer, Vec::new()) {
            return failed(seen, &error);
        }
    }
    let response = CreateContainerResponse {
        adjust: None,
        update: collector.finish().into_answer(),
        evict: Vec::new(),
    };
    Expected {
        error: String::new(),
        response: Some(ordered(response)),
        seen,
        validated: ValidateContainerAdjustmentRequest::default(),
    }
}

pub(crate) fn failed(seen: Vec<SeenRequest>, error: &MergeError) -> Expected {
    Expected {
        error: conflict(&error.to_string()),
        response: None,
        seen,
        validated: ValidateContainerAdjustmentRequest::default(),
    }
}

/// Returns what must be the same in the words of both sides: the plugins, and the field.
///
/// Of several conflicting entries of a map the reference names any one, so the name of the entry is
/// cut there.
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
    assert!(some.contains(&conflicts), "{conflicts} of {} conflict", cases.len());
}

/// Returns another result of the reference for the same case if one is the expected one.
///
/// The reference goes through maps in random order, so that a conflict whose failure a plugin
/// ignores leaves claims on random entries.
pub(crate) fn another(case: &Case, theirs: Expected) -> Expected {
    let results = ask(std::iter::repeat_n(&case.input, 100));
    let mut others = results.iter().map(|result| expected(&case.input, result));
    others.find(|other| *other == case.expected).unwrap_or(theirs)
}

pub(crate) fn expected(input: &Value, result: &Value) -> Expected {
    let error = conflict(result["error"].as_str().unwrap());
    let bytes = |value: &Value| hex::decode(value.as_str().unwrap_or_default());
    let encoded = bytes(&result["response"]);
    let response = if input.get("stop").is_some() {
        let update = StopContainerResponse::decode(&*encoded).unwrap().update;
        CreateContainerResponse { update, ..CreateContainerResponse::default() }
    } else if input.get("update").is_some() {
        let update = UpdateContainerResponse::decode(&*encoded).unwrap().update;
        CreateContainerResponse { update, ..CreateContainerResponse::default() }
    } else {
        CreateContainerResponse::decode(&*encoded).unwrap()
    };
    let seen = result["seen"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|request| seen_by_plugin(input, &bytes(request)))
        .collect();
    let validated = bytes(&result["validated"]);
    let validated = ValidateContainerAdjustmentRequest::decode(&*validated).unwrap();
    Expected {
        response: error.is_empty().then(|| stripped(response)),
        error,
        seen,
        validated: in_order(validated),
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

/// Puts namespaces in order: the reference keeps them in a map. Parts that are there and empty
/// stay, because to a plugin they differ from absent ones.
pub(crate) fn normal(mut container: Container) -> Container {
    if let Some(linux) = &mut container.linux {
        linux.namespaces.sort_by(|one, other| one.r#type.cmp(&other.r#type));
    }
    container
}

/// Leaves out the empty parts that the reference adds to the answer for the runtime. Ours has none,
/// which is the only difference between the two; validators get the same ones on both sides.
fn stripped(response: CreateContainerResponse) -> CreateContainerResponse {
    let updates = response.update.into_iter();
    ordered(CreateContainerResponse {
        adjust: Some(response.adjust.unwrap_or_default().strip()),
        update: updates.map(ContainerUpdate::strip).collect(),
        evict: response.evict,
    })
}

fn ordered(mut response: CreateContainerResponse) -> CreateContainerResponse {
    removals_in_order(response.adjust.get_or_insert_default());
    response
}

fn in_order(mut request: ValidateContainerAdjustmentRequest) -> ValidateContainerAdjustmentRequest {
    if let Some(adjustment) = &mut request.adjust {
        removals_in_order(adjustment);
    }
    request
}

/// Puts removals of mounts in order: the reference keeps them in a map.
fn removals_in_order(adjustment: &mut ContainerAdjustment) {
    let mounts = std::mem::take(&mut adjustment.mounts);
    let (mut removed, added): (Vec<Mount>, Vec<Mount>) =
        mounts.into_iter().partition(|mount| mount.destination.starts_with('-'));
    removed.sort_by(|one, other| one.destination.cmp(&other.destination));
    adjustment.mounts = added.into_iter().chain(removed).collect();
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
    output.lines().map(|line| serde_json::from_str(line).expect(line)).collect()
}
