//! Probes plugins in this process.

use nri::api::{Container, PodSandbox};
use nri::prelude::*;
use nri_conformance::probe::{
    EventOutcome, NO_SUCH_RPC, Options, RpcAnswer, Target, Verdict, probe,
};
use nri_conformance::subject::Subject;

/// A plugin on the current protocol.
#[derive(NriPlugin)]
#[nri(name = "today", index = "10")]
struct Today;

impl RunPodSandbox for Today {
    async fn run_pod_sandbox(&self, _: &EventContext, _: PodSandbox) -> nri::Result<()> {
        Ok(())
    }
}

impl StopContainer for Today {
    async fn stop_container(
        &self,
        _: &EventContext,
        _: PodSandbox,
        _: Container,
    ) -> nri::Result<Updates> {
        Ok(Updates::default())
    }
}

impl PostUpdatePodSandbox for Today {
    async fn post_update_pod_sandbox(&self, _: &EventContext, _: PodSandbox) -> nri::Result<()> {
        Ok(())
    }
}

#[tokio::test]
async fn a_plugin_on_the_current_protocol_works_everywhere() {
    let probed = probe(&Subject::in_process(Today), &Options::default()).await.unwrap();
    assert_eq!((&*probed.subject.index, &*probed.subject.name), ("10", "today"));
    assert_eq!(probed.troubles, []);
    assert!(probed.registered_after.is_some());
    let subscription = probed.subscription.as_ref().unwrap();
    assert_eq!(subscription.events, ["RunPodSandbox", "StopContainer", "PostUpdatePodSandbox"]);
    for handled in ["Configure", "Synchronize", "RunPodSandbox", "StopContainer"] {
        let result = probed.rpc(handled).unwrap();
        assert_eq!(result.answer, RpcAnswer::Implemented, "{result:?}");
    }
    let absent = probed.rpc(NO_SUCH_RPC).unwrap();
    assert_eq!(absent.answer, RpcAnswer::Fallback, "{absent:?}");
    assert_eq!(probed.targets.len(), nri_protos::REVISIONS.len());
    let old = probed.target("nri@0.9.0").unwrap();
    assert_eq!(old.verdict, Verdict::Loses, "{old:?}");
    assert_eq!(old.events_that(EventOutcome::Lost), ["PostUpdatePodSandbox"]);
    let new = probed.target("nri@0.12.4").unwrap();
    assert_eq!((new.verdict, &*new.reason), (Verdict::Works, ""));
    assert_eq!(probed.latencies().len(), 3);
}

#[tokio::test]
async fn an_unknown_target_is_an_error() {
    let mut options = Options::default();
    options.targets = vec![Target::nri("v99.0.0")];
    let error = probe(&Subject::in_process(Today), &options).await.unwrap_err();
    assert!(error.to_string().contains("nri@99.0.0"), "{error}");
}
