//! Updates that a plugin requests in its answers, on its own, and from tasks.

use super::*;

#[tokio::test]
async fn unsolicited_updates_reach_the_runtime() -> Result {
    let mut runtime = testing::Runtime::new().start(Subject::default()).await?;
    let created = runtime.create_in_pod(pod("web").container("app")).await?;
    let updater = runtime.updater().ok_or("no plugin")?;
    updater.update(Updates::new().update(ContainerUpdate::new(&*created.id))).await?;
    let requested = runtime.requested();
    assert_eq!(requested[0].origin, Origin::Unsolicited);
    assert_eq!(requested[0].updates[0].container_id, "web-pod-app");
    assert_eq!(runtime.status().map(|status| status.get()), Some(Status::Serving));
    Ok(())
}

/// Evicts every container after ten seconds, from a task of its own.
#[derive(NriPlugin)]
#[nri(name = "reaper", index = "20")]
struct Reaper;

impl PostCreateContainer for Reaper {
    async fn post_create_container(
        &self,
        cx: &EventContext,
        _: PodSandbox,
        container: Container,
    ) -> nri::Result<()> {
        let updater = cx.updater();
        tokio::spawn(async move {
            tokio::time::sleep(Duration::from_secs(10)).await;
            let _ = updater.evict(container.id, "too old").await;
        });
        Ok(())
    }
}

#[tokio::test(start_paused = true)]
async fn time_passes_for_tasks_of_the_plugin() -> Result {
    let mut runtime = testing::Runtime::new().start(Reaper).await?;
    runtime.create_in_pod(pod("web").container("app")).await?;
    runtime.advance(Duration::from_secs(9)).await;
    assert!(runtime.requested().is_empty());
    runtime.advance(Duration::from_secs(2)).await;
    assert_eq!(runtime.requested()[0].evictions[0].container_id, "web-pod-app");
    Ok(())
}

/// Halves the shares of a container whose name is `app`.
#[derive(NriPlugin)]
#[nri(name = "halving", index = "20")]
struct Halving;

impl UpdateContainer for Halving {
    async fn update_container(
        &self,
        _: &EventContext,
        _: PodSandbox,
        container: Container,
        _: LinuxResources,
    ) -> nri::Result<Updates> {
        Ok(if container.name == "app" {
            Updates::from(ContainerUpdate::new(container.id).cpu_shares(512))
        } else {
            Updates::new()
        })
    }
}

#[tokio::test]
async fn the_resources_of_an_update_are_those_of_the_request_with_the_changes() -> Result {
    let mut runtime = testing::Runtime::new().start(Halving).await?;
    let requested = LinuxResources::default().cpu_shares(1024).cpu_quota(7);
    for (name, shares) in [("app", 512), ("other", 1024)] {
        let created = runtime.create_in_pod(pod("web").container(name)).await?;
        let updated = runtime.update_container(&created, requested.clone()).await?;
        let expected = requested.clone().cpu_shares(shares);
        assert_eq!(updated.resources, expected, "{name}");
        assert!(updated.updates.is_empty(), "{name}");
    }
    Ok(())
}

/// Awaits an update within its handler.
#[derive(NriPlugin)]
#[nri(name = "waiting", index = "20", blocking(StartContainer))]
struct Waiting;

async fn update(cx: &EventContext) -> nri::Result<()> {
    let update = ContainerUpdate::new("other");
    Ok(cx.updater().update(Updates::from(update)).await?)
}

impl PostCreateContainer for Waiting {
    async fn post_create_container(
        &self,
        cx: &EventContext,
        _: PodSandbox,
        _: Container,
    ) -> nri::Result<()> {
        update(cx).await
    }
}

impl StartContainer for Waiting {
    async fn start_container(
        &self,
        cx: &EventContext,
        _: PodSandbox,
        _: Container,
    ) -> nri::Result<()> {
        update(cx).await
    }
}

#[tokio::test]
async fn an_update_that_is_awaited_within_a_handler_is_an_error_that_names_it() -> Result {
    let mut runtime = testing::Runtime::new().start(Waiting).await?;
    let app = pod("web").container("app");
    let created = runtime.create_in_pod(app).await.unwrap_err().to_string();
    assert!(created.contains("within the handler of PostCreateContainer"), "{created}");
    let container = runtime.containers().remove(0);
    let started = runtime.start_container(&container).await.unwrap_err().to_string();
    assert!(started.contains("within the handler of StartContainer"), "{started}");
    assert!(runtime.requested().is_empty());
    Ok(())
}

/// Waits within its handler for a task that awaits an update.
#[derive(NriPlugin)]
#[nri(name = "joining", index = "20")]
struct Joining;

impl PostCreateContainer for Joining {
    async fn post_create_container(
        &self,
        cx: &EventContext,
        _: PodSandbox,
        _: Container,
    ) -> nri::Result<()> {
        let cx = cx.clone();
        tokio::spawn(async move { update(&cx).await }).await?
    }
}

#[tokio::test(start_paused = true)]
async fn an_update_in_a_task_that_the_handler_waits_for_comes_after_the_event() -> Result {
    let mut runtime = testing::Runtime::new().start(Joining).await?;
    let app = pod("web").container("app");
    let error = runtime.create_in_pod(app).await.unwrap_err().to_string();
    assert!(
        error.contains("PostCreateContainer timed out")
            && error.contains("an update of containers was waiting"),
        "{error}"
    );
    runtime.advance(Duration::from_millis(1)).await;
    assert_eq!(runtime.requested().len(), 1, "after the event");
    Ok(())
}
