//! Generated messages that contain those of `nri`, with its feature `prost`.

use nri::api::security_profile::ProfileType;
use nri::api::{Container, ContainerState, CreateContainerRequest};
use nri::api::{LinuxMemory, LinuxResources, PodSandbox};
use nri_tests_bindings::fleet::{Report, Settings, report};
use nri_tests_bindings::latest;
use prost::Message;

fn sample() -> Report {
    let container = Container { id: "c1".to_owned(), pid: 7, ..Container::default() };
    let request = CreateContainerRequest {
        container: Some(container.clone()),
        ..CreateContainerRequest::default()
    };
    Report {
        node: "n1".to_owned(),
        pods: vec![PodSandbox { id: "p1".to_owned(), ..PodSandbox::default() }],
        containers: [("c1".to_owned(), container)].into(),
        state: ContainerState::ContainerRunning.into(),
        profile: ProfileType::Unconfined.into(),
        last: Some(report::Last::Create(request)),
    }
}

#[test]
fn they_are_encoded_and_decoded() {
    let decoded = Report::decode(sample().encode_to_vec().as_slice()).unwrap();
    assert_eq!(decoded, sample());
    assert_eq!(decoded.state(), ContainerState::ContainerRunning);
    assert_eq!(decoded.profile(), ProfileType::Unconfined);
}

#[test]
fn a_value_of_a_later_release_is_kept() {
    let report = Report { state: 77, ..Report::default() };
    let decoded = Report::decode(report.encode_to_vec().as_slice()).unwrap();
    assert_eq!((decoded.state, decoded.state()), (77, ContainerState::default()));
}

#[test]
fn the_bytes_are_those_of_generated_messages() {
    let memory = LinuxMemory { limit: Some(0), ..LinuxMemory::default() };
    let free = LinuxResources { memory: Some(memory), ..LinuxResources::default() };
    let settings = Settings { free: Some(free.clone()) };
    let generated = latest::LinuxResources::decode(free.encode_to_vec().as_slice()).unwrap();
    assert_eq!(generated.memory.as_ref().unwrap().limit.unwrap().value, 0);
    // Field 1, with its length.
    let inner = generated.encode_to_vec();
    let expected = [&[0x0a, inner.len() as u8], inner.as_slice()].concat();
    assert_eq!(settings.encode_to_vec(), expected);
}
