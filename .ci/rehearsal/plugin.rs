//! A plugin of the release to come: it handles the new event, and reads the new field of an older
//! request.

use nri::api::UpdateContainerRequest;
use nri::codec::Message;
use nri::prelude::*;
use nri::store::{PodStore, SightingKind};

#[derive(Default, NriPlugin)]
#[nri(name = "quiescer", index = "10")]
struct Quiescer(PodStore);

impl QuiesceContainer for Quiescer {
    async fn quiesce_container(
        &self,
        _cx: &EventContext,
        pod: PodSandbox,
        container: Container,
    ) -> nri::Result<Updates> {
        let sighting = self.0.observe(Event::QuiesceContainer, &pod, Some(&container));
        assert_eq!(sighting.container, Some(SightingKind::First));
        Ok(Updates::new().update(ContainerUpdate::new(container.id).ignore_failure()))
    }
}

impl UpdateContainer for Quiescer {
    async fn update_container(
        &self,
        cx: &EventContext,
        _pod: PodSandbox,
        container: Container,
        _linux_resources: LinuxResources,
    ) -> nri::Result<Updates> {
        let request = cx.later_fields::<UpdateContainerRequest>();
        let by = request.map(|request| request.quiesced_by.as_str()).unwrap_or_default();
        assert_eq!((container.id.as_str(), by), ("c1", "an operator"));
        Ok(Updates::new())
    }
}

#[tokio::test]
async fn a_plugin_handles_the_new_event() {
    let mut runtime = nri_testing::Runtime::new().start(Quiescer::default()).await.unwrap();
    let pod = runtime.run_pod(nri_testing::pod("web")).await.unwrap();
    let app = nri_testing::container("app");
    let app = runtime.create_container(&pod, app).await.unwrap().container;
    let updated = runtime.send(Event::QuiesceContainer, &pod, Some(&app)).await.unwrap();
    assert_eq!(updated.updates[0].container_id, app.id);
}

#[tokio::test]
async fn a_plugin_reads_the_new_field_of_an_older_request() {
    let request = UpdateContainerRequest {
        container: Some(Container { id: "c1".to_owned(), ..Default::default() }),
        quiesced_by: "an operator".to_owned(),
        ..UpdateContainerRequest::default()
    };
    let (plugin, cx) = (Quiescer::default(), EventContext::default());
    let request = request.encode_to_vec().into();
    nri::plugin::dispatch(&plugin, &cx, "UpdateContainer", request).await.unwrap();
}
