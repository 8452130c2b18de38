//! Merging and ownership against the reference adaptation, on random answers of several plugins.
//!
//! `NRI_MERGE_CASES` and `NRI_MERGE_SEED` choose how many cases of each kind run, and which.

mod cases;
mod compare;

pub(crate) use cases::number;
use cases::{OTHERS, cases, density, plugins, update_density, updates, validation};
use compare::{Case, ask, compare, created, encode, updated};
use nri::api::{
    Container, CreateContainerRequest, StopContainerRequest, StopContainerResponse,
    UpdateContainerRequest, UpdateContainerResponse,
};
use nri_adaptation::merge::UpdateCollector;
use nri_tests::adjustments::Adjustments;
use serde_json::json;

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
        let container = Container { id: OTHERS[0].to_owned(), ..Container::default() };
        let resources = (seed % 3 != 0).then(|| random.resources());
        let request = UpdateContainerRequest {
            container: Some(container),
            linux_resources: resources.clone(),
            ..UpdateContainerRequest::default()
        };
        let answers = updates(&mut random, seed);
        let encoded = answers.iter().map(|update| {
            encode(&UpdateContainerResponse { update: update.clone(), evict: Vec::new() })
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
        let encoded =
            answers.iter().map(|update| encode(&StopContainerResponse { update: update.clone() }));
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
        (input, validator.validate(&request).map_err(|error| error.to_string()))
    });
    let results = ask(cases.iter().map(|(input, _)| input));
    let mut rejected = 0;
    for ((input, ours), theirs) in cases.iter().zip(&results) {
        let error = theirs["error"].as_str().unwrap();
        assert_eq!(ours.is_err(), !error.is_empty(), "{input}\n{ours:?}\n{error}");
        if let Err(ours) = ours {
            assert_eq!(topic(ours), topic(error), "{input}\n{ours}\n{error}");
            rejected += 1;
        }
    }
    assert!((cases.len() / 10..cases.len()).contains(&rejected), "{rejected}");
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
    topics.into_iter().find(|topic| error.contains(topic)).expect(error)
}
