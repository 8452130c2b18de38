//! Answers of handlers, and the attributes about them, as the stub gets them.

use crate::common::answer;
use nri::api::{
    Container, CreateContainerResponse, Event, PodSandbox, StopContainerResponse,
    ValidateContainerAdjustmentResponse,
};
use nri::codec::Message;
use nri::plugin::Plugin;
use nri::prelude::*;

#[derive(NriPlugin)]
#[nri(
    required(CreateContainer),
    blocking(CreateContainer, StopContainer),
    on_error(StopContainer = "ignore", CreateContainer = "fail"),
    on_timeout(CreateContainer = "ok"),
    failure_policy(keep_connected)
)]
struct Answers;

impl CreateContainer for Answers {
    async fn create_container(
        &self,
        _: &EventContext,
        _: PodSandbox,
        _: Container,
    ) -> nri::Result<Adjustment> {
        Ok(nri::api::ContainerAdjustment { args: vec!["sh".to_owned()], ..Default::default() }
            .into())
    }
}

impl StopContainer for Answers {
    async fn stop_container(
        &self,
        _: &EventContext,
        _: PodSandbox,
        container: Container,
    ) -> nri::Result<Updates> {
        Ok(vec![nri::api::ContainerUpdate { container_id: container.id, ..Default::default() }]
            .into())
    }
}

impl ValidateContainerAdjustment for Answers {
    async fn validate_container_adjustment(
        &self,
        _: &EventContext,
        request: nri::api::ValidateContainerAdjustmentRequest,
    ) -> nri::Result<Verdict> {
        Ok(if request.plugins.is_empty() { Verdict::reject("no plugin") } else { Verdict::Accept })
    }
}

#[test]
fn what_handlers_answer_becomes_the_response() {
    let created = answer(&Answers, "CreateContainer", &[]).expect("handled");
    let created = CreateContainerResponse::decode(&*created).expect("a response");
    assert_eq!(created.adjust.expect("always set").args, ["sh"]);
    let container = Container { id: "c1".to_owned(), ..Container::default() };
    let request =
        nri::api::StopContainerRequest { pod: None, container: Some(container) }.encode_to_vec();
    let stopped = answer(&Answers, "StopContainer", &request).expect("handled");
    let stopped = StopContainerResponse::decode(&*stopped).expect("a response");
    assert_eq!(stopped.update[0].container_id, "c1");
    let verdict = answer(&Answers, "ValidateContainerAdjustment", &[]).expect("handled");
    let verdict = ValidateContainerAdjustmentResponse::decode(&*verdict).expect("a response");
    assert!(verdict.reject && verdict.reason == "no plugin");
}

#[test]
fn attributes_become_policies() {
    let create = EventMask::EMPTY.with(Event::CreateContainer);
    let stop = EventMask::EMPTY.with(Event::StopContainer);
    let policies = Answers::POLICIES;
    assert_eq!(
        (policies.required, policies.ok_on_timeout, policies.ignore_errors),
        (create, create, stop)
    );
    assert_eq!(policies.blocking, create.with(Event::StopContainer));
    let policy = policies.failure_policy.expect("given");
    assert!(policy.keep_connected && !policy.fail_request);
    assert_eq!((Answers::NAME, Answers::INDEX, Answers::PROTOCOL), (None, None, None));
}
