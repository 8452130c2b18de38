//! Merging and ownership against the reference adaptation, on random answers of several plugins.
//!
//! `NRI_MERGE_CASES` and `NRI_MERGE_SEED` choose how many cases of each kind run, and which.

use std::io::Write as _;
use std::process::Command;

use nri::adaptation::merge::{CreateCollector, MergeError, UpdateCollector};
use nri::adaptation::validate::DefaultValidator;
use nri::api::{
    Container, ContainerUpdate, CreateContainerRequest, CreateContainerResponse, Hooks,
    LinuxContainer, LinuxRdt, LinuxResources, Mount, OwningPlugins, PluginInstance, PodSandbox,
    SecurityProfile, StopContainerRequest, StopContainerResponse, UpdateContainerRequest,
    UpdateContainerResponse, ValidateContainerAdjustmentRequest,
};
use nri_tests::adjustments::{Adjustments, Density};
use nri_tests::{hex, peers};
use prost::Message;
use serde_json::{Value, json};

const OTHERS: [&str; 3] = ["other-0", "other-1", "new"];

/// A case: what the peer gets, and what comes of it here.
struct Case {
    input: Value,
    expected: Expected,
}

/// The result of a case.
#[derive(Debug, PartialEq)]
struct Expected {
    error: String,
    response: Option<CreateContainerResponse>,
    seen: Vec<Seen>,
    owners: OwningPlugins,
}

/// The request as a plugin saw it.
#[derive(Debug, PartialEq)]
enum Seen {
    Container(Box<Container>),
    Resources(Box<LinuxResources>),
    Nothing,
}

#[test]
fn create_container() {
    compare(cases(|seed| {
        let mut random = Adjustments::new(seed, density(seed));
        let request = CreateContainerRequest {
            container: Some(random.container("new")),
            ..CreateContainerRequest::default()
        };
        let answers: Vec<_> = (0..plugins(seed))
            .map(|_| random.created(&OTHERS[..2 + usize::from(seed % 16 == 0)]))
            .collect();
        let input = json!({
            "create": encode(&request),
            "answers": answers.iter().map(encode).collect::<Vec<_>>(),
        });
        let expected = created(request.container.unwrap_or_default(), answers);
        Case { input, expected }
    }));
}

#[test]
fn update_container() {
    compare(cases(|seed| {
        let mut random = Adjustments::new(seed, update_density(seed));
        let container = Container {
            id: OTHERS[0].to_owned(),
            ..Container::default()
        };
        let resources = (seed % 3 != 0).then(|| random.resources());
        let request = UpdateContainerRequest {
            container: Some(container),
            linux_resources: resources.clone(),
            ..UpdateContainerRequest::default()
        };
        let answers = updates(&mut random, seed);
        let encoded = answers.iter().map(|update| {
            encode(&UpdateContainerResponse {
                update: update.clone(),
                evict: Vec::new(),
            })
        });
        let input = json!({
            "update": encode(&request),
            "answers": encoded.collect::<Vec<_>>(),
        });
        let collector = UpdateCollector::for_update(OTHERS[0], resources);
        let expected = updated(collector, answers);
        Case { input, expected }
    }));
}

#[test]
fn stop_container() {
    compare(cases(|seed| {
        let mut random = Adjustments::new(seed, update_density(seed));
        let answers = updates(&mut random, seed);
        let encoded = answers.iter().map(|update| {
            encode(&StopContainerResponse {
                update: update.clone(),
            })
        });
        let input = json!({
            "stop": encode(&StopContainerRequest::default()),
            "answers": encoded.collect::<Vec<_>>(),
        });
        let expected = updated(UpdateCollector::for_stop(), answers);
        Case { input, expected }
    }));
}

#[test]
fn default_validator() {
    let cases = cases(|seed| {
        let (validator, request) = validation(seed);
        let input = json!({
            "validate": encode(&request),
            "config": {
                "Enable": true,
                "RejectOCIHookAdjustment": validator.reject_oci_hooks,
                "RejectRuntimeDefaultSeccompAdjustment": validator.reject_runtime_default_seccomp,
                "RejectUnconfinedSeccompAdjustment": validator.reject_unconfined_seccomp,
                "RejectCustomSeccompAdjustment": validator.reject_custom_seccomp,
                "RejectNamespaceAdjustment": validator.reject_namespaces,
                "RejectSysctlAdjustment": validator.reject_sysctls,
                "RequiredPlugins": validator.required_plugins,
                "TolerateMissingAnnotation": validator.tolerate_missing_annotation,
            },
        });
        (
            input,
            validator
                .validate(&request)
                .map_err(|error| error.to_string()),
        )
    });
    let results = ask(cases.iter().map(|(input, _)| input));
    let mut rejected = 0;
    for ((input, ours), theirs) in cases.iter().zip(&results) {
        let error = theirs["error"].as_str().unwrap();
        assert_eq!(
            ours.is_err(),
            !error.is_empty(),
            "{input}\n{ours:?}\n{error}"
        );
        if let Err(ours) = ours {
            assert_eq!(topic(ours), topic(error), "{input}\n{ours}\n{error}");
            rejected += 1;
        }
    }
    assert!(
        (cases.len() / 10..cases.len()).contains(&rejected),
        "{rejected}"
    );
}

/// Returns which check a rejection is about, whoever words it.
fn topic(error: &str) -> &'static str {
    let topics = [
        "OCI hook",
        "unconfined seccomp",
        "runtime default seccomp",
        "custom seccomp",
        "namespace",
        "sysctl",
        "not present",
        "annotation",
    ];
    topics
        .into_iter()
        .find(|topic| error.contains(topic))
        .expect(error)
}

fn validation(seed: u64) -> (DefaultValidator, ValidateContainerAdjustmentRequest) {
    let mut random = Adjustments::new(seed, density(seed));
    let container = random.container("new");
    let mut collector = CreateCollector::new(container.clone());
    let answers = (0..plugins(seed)).map(|_| random.created(&OTHERS[..2]));
    for (number, answer) in answers.enumerate() {
        let mut tried = collector.clone();
        if tried.apply(&name(number), answer).is_ok() {
            collector = tried;
        }
    }
    let mut flag = || random.below(3) == 0;
    let mut validator = DefaultValidator {
        reject_oci_hooks: flag(),
        reject_runtime_default_seccomp: flag(),
        reject_unconfined_seccomp: flag(),
        reject_custom_seccomp: flag(),
        reject_namespaces: flag(),
        reject_sysctls: flag(),
        ..DefaultValidator::default()
    };
    let required = ["p0", "01-p1", "02-p1", "absent"];
    let count = random.below(required.len());
    validator.required_plugins = required[..count].iter().map(ToString::to_string).collect();
    let mut container = container;
    let kind = random.below(4);
    if kind < 3 {
        let linux = container.linux.get_or_insert_default();
        linux.seccomp_profile = Some(SecurityProfile {
            profile_type: kind as i32,
            ..SecurityProfile::default()
        });
    }
    let mut pod = PodSandbox::default();
    if random.below(2) == 0 {
        validator.tolerate_missing_annotation = "tolerate".to_owned();
        let values = ["true", "0", "yes", "T"];
        let value = values[random.below(values.len())];
        let keys = ["tolerate", "tolerate/pod", "tolerate/container.web"];
        pod.annotations
            .insert(keys[random.below(keys.len())].to_owned(), value.to_owned());
    }
    let lists = ["[p0]", "- absent\n- p1", "[", "p0", "", "[1, true]"];
    if let Some(list) = lists.get(random.below(lists.len() * 2)) {
        let key = nri::adaptation::validate::REQUIRED_PLUGINS_ANNOTATION;
        pod.annotations.insert(key.to_owned(), (*list).to_owned());
    }
    let created = collector.finish();
    let plugins = (0..3).map(|number| PluginInstance {
        name: format!("p{number}"),
        index: format!("{number:02}"),
    });
    let request = ValidateContainerAdjustmentRequest {
        pod: Some(pod),
        container: Some(container),
        adjust: Some(created.adjust),
        update: created.updates,
        owners: Some((&created.owners).into()),
        plugins: plugins.collect(),
    };
    (validator, request)
}

/// Returns the cases of all seeds.
fn cases<T>(case: impl Fn(u64) -> T) -> Vec<T> {
    let number = |name: &str, default| {
        let value = std::env::var(name).ok();
        value.map_or(default, |value| value.parse().expect(name))
    };
    let first = number("NRI_MERGE_SEED", 1);
    let count = number("NRI_MERGE_CASES", 4_000);
    (first..first + count).map(case).collect()
}

/// Returns how rich the messages of a seed are: from nearly empty ones, which rarely conflict, to full ones.
fn density(seed: u64) -> Density {
    Density {
        field: [0.15, 0.3, 0.45, 0.6][(seed % 4) as usize],
        names: [4, 12, 60][(seed % 3) as usize],
    }
}

/// Returns the same for updates, which have fewer fields that could conflict.
fn update_density(seed: u64) -> Density {
    let density = density(seed);
    Density {
        field: density.field + 0.15,
        ..density
    }
}

/// Returns the number of plugins that answer in the case of a seed.
fn plugins(seed: u64) -> usize {
    1 + (seed as usize / 4) % 5
}

fn name(number: usize) -> String {
    format!("{number:02}-p{number}")
}

fn updates(random: &mut Adjustments, seed: u64) -> Vec<Vec<ContainerUpdate>> {
    (0..plugins(seed))
        .map(|_| random.updates(&OTHERS))
        .collect()
}

fn created(container: Container, answers: Vec<CreateContainerResponse>) -> Expected {
    let mut collector = CreateCollector::new(container);
    let mut seen = Vec::new();
    for (number, answer) in answers.into_iter().enumerate() {
        seen.push(Seen::Container(Box::new(normal(
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

fn updated(mut collector: UpdateCollector, answers: Vec<Vec<ContainerUpdate>>) -> Expected {
    let mut seen = Vec::new();
    for (number, answer) in answers.into_iter().enumerate() {
        let resources = collector.resources().cloned().map(LinuxResources::strip);
        seen.push(resources.map_or(Seen::Nothing, |it| Seen::Resources(Box::new(it))));
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

fn failed(seen: Vec<Seen>, error: &MergeError) -> Expected {
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
fn conflict(error: &str) -> String {
    let maps = ["Annotations", "Sysctl", "LinuxNetDevices", "CgroupsUnified"];
    if error.contains("during creation") || error.contains("being created") {
        return "update during creation".to_owned();
    }
    let map = maps.iter().find_map(|map| Some((error.find(map)?, map)));
    let end = map.map_or(error.len(), |(start, map)| start + map.len());
    error[..end].trim().to_owned()
}

fn compare(cases: Vec<Case>) {
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
fn another(case: &Case, theirs: Expected) -> Expected {
    let results = ask(std::iter::repeat_n(&case.input, 100));
    let mut results = results.iter().map(|result| expected(&case.input, result));
    results
        .find(|theirs| *theirs == case.expected)
        .unwrap_or(theirs)
}

fn expected(input: &Value, result: &Value) -> Expected {
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

fn seen_by_plugin(input: &Value, request: &[u8]) -> Seen {
    if input.get("create").is_some() {
        let request = CreateContainerRequest::decode(request).unwrap();
        Seen::Container(Box::new(normal(request.container.unwrap_or_default())))
    } else if input.get("update").is_some() {
        let request = UpdateContainerRequest::decode(request).unwrap();
        Seen::Resources(Box::new(
            request.linux_resources.unwrap_or_default().strip(),
        ))
    } else {
        Seen::Nothing
    }
}

/// Leaves out parts that are there and empty, and puts namespaces in order: the reference keeps them in a map.
fn normal(mut container: Container) -> Container {
    container.hooks = container.hooks.filter(|hooks| *hooks != Hooks::default());
    container.linux = container.linux.map(|mut linux| {
        let resources = linux.resources.map(LinuxResources::strip);
        linux.resources = resources.filter(|resources| *resources != LinuxResources::default());
        linux.rdt = linux.rdt.filter(|rdt| *rdt != LinuxRdt::default());
        linux
            .namespaces
            .sort_by(|one, other| one.r#type.cmp(&other.r#type));
        linux
    });
    container.linux = container
        .linux
        .filter(|linux| *linux != LinuxContainer::default());
    container
}

/// Leaves out parts that are there and empty, and puts removals of mounts in order: the reference keeps them in a map.
fn sorted(mut response: CreateContainerResponse) -> CreateContainerResponse {
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

fn encode(message: &impl Message) -> Value {
    hex::encode(&message.encode_to_vec()).into()
}

/// Has the peer merge all cases.
fn ask<'c>(cases: impl Iterator<Item = &'c Value>) -> Vec<Value> {
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
