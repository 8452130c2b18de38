// @generated from protos/api/v0.12.4/api.proto. Do not edit.

use crate::api::handlers::*;
use crate::api::*;
use crate::plugin::{Call, Deprecation, Row, Rpc, Subject, decode};
use crate::{Context, Result};
/// What is known of each RPC.
pub mod rpc {
    use super::*;
    /// Configure.
    pub static CONFIGURE: Rpc = Rpc {
        name: "Configure",
        event: None,
        event_name: None,
        since: "v0.2.0",
        event_since: None,
        change_fields: None,
        deprecated: None,
    };
    /// Synchronize.
    pub static SYNCHRONIZE: Rpc = Rpc {
        name: "Synchronize",
        event: None,
        event_name: None,
        since: "v0.2.0",
        event_since: None,
        change_fields: None,
        deprecated: None,
    };
    /// Shutdown.
    pub static SHUTDOWN: Rpc = Rpc {
        name: "Shutdown",
        event: None,
        event_name: None,
        since: "v0.2.0",
        event_since: None,
        change_fields: None,
        deprecated: None,
    };
    /// RunPodSandbox.
    pub static RUN_POD_SANDBOX: Rpc = Rpc {
        name: "RunPodSandbox",
        event: Some(Event::RunPodSandbox),
        event_name: Some("RUN_POD_SANDBOX"),
        since: "v0.12.0",
        event_since: Some("v0.2.0"),
        change_fields: Some(&[(1u32, 2u32)]),
        deprecated: None,
    };
    /// UpdatePodSandbox.
    pub static UPDATE_POD_SANDBOX: Rpc = Rpc {
        name: "UpdatePodSandbox",
        event: Some(Event::UpdatePodSandbox),
        event_name: Some("UPDATE_POD_SANDBOX"),
        since: "v0.9.1-0.20250219030224-e597e7849f24",
        event_since: Some("v0.9.1-0.20250219030224-e597e7849f24"),
        change_fields: None,
        deprecated: None,
    };
    /// PostUpdatePodSandbox.
    pub static POST_UPDATE_POD_SANDBOX: Rpc = Rpc {
        name: "PostUpdatePodSandbox",
        event: Some(Event::PostUpdatePodSandbox),
        event_name: Some("POST_UPDATE_POD_SANDBOX"),
        since: "v0.12.0",
        event_since: Some("v0.9.1-0.20250219030224-e597e7849f24"),
        change_fields: Some(&[(1u32, 2u32)]),
        deprecated: None,
    };
    /// StopPodSandbox.
    pub static STOP_POD_SANDBOX: Rpc = Rpc {
        name: "StopPodSandbox",
        event: Some(Event::StopPodSandbox),
        event_name: Some("STOP_POD_SANDBOX"),
        since: "v0.12.0",
        event_since: Some("v0.2.0"),
        change_fields: Some(&[(1u32, 2u32)]),
        deprecated: None,
    };
    /// RemovePodSandbox.
    pub static REMOVE_POD_SANDBOX: Rpc = Rpc {
        name: "RemovePodSandbox",
        event: Some(Event::RemovePodSandbox),
        event_name: Some("REMOVE_POD_SANDBOX"),
        since: "v0.12.0",
        event_since: Some("v0.2.0"),
        change_fields: Some(&[(1u32, 2u32)]),
        deprecated: None,
    };
    /// CreateContainer.
    pub static CREATE_CONTAINER: Rpc = Rpc {
        name: "CreateContainer",
        event: Some(Event::CreateContainer),
        event_name: Some("CREATE_CONTAINER"),
        since: "v0.2.0",
        event_since: Some("v0.2.0"),
        change_fields: None,
        deprecated: None,
    };
    /// PostCreateContainer.
    pub static POST_CREATE_CONTAINER: Rpc = Rpc {
        name: "PostCreateContainer",
        event: Some(Event::PostCreateContainer),
        event_name: Some("POST_CREATE_CONTAINER"),
        since: "v0.12.0",
        event_since: Some("v0.2.0"),
        change_fields: Some(&[(1u32, 2u32), (2u32, 3u32)]),
        deprecated: None,
    };
    /// StartContainer.
    pub static START_CONTAINER: Rpc = Rpc {
        name: "StartContainer",
        event: Some(Event::StartContainer),
        event_name: Some("START_CONTAINER"),
        since: "v0.12.0",
        event_since: Some("v0.2.0"),
        change_fields: Some(&[(1u32, 2u32), (2u32, 3u32)]),
        deprecated: None,
    };
    /// PostStartContainer.
    pub static POST_START_CONTAINER: Rpc = Rpc {
        name: "PostStartContainer",
        event: Some(Event::PostStartContainer),
        event_name: Some("POST_START_CONTAINER"),
        since: "v0.12.0",
        event_since: Some("v0.2.0"),
        change_fields: Some(&[(1u32, 2u32), (2u32, 3u32)]),
        deprecated: None,
    };
    /// UpdateContainer.
    pub static UPDATE_CONTAINER: Rpc = Rpc {
        name: "UpdateContainer",
        event: Some(Event::UpdateContainer),
        event_name: Some("UPDATE_CONTAINER"),
        since: "v0.2.0",
        event_since: Some("v0.2.0"),
        change_fields: None,
        deprecated: None,
    };
    /// PostUpdateContainer.
    pub static POST_UPDATE_CONTAINER: Rpc = Rpc {
        name: "PostUpdateContainer",
        event: Some(Event::PostUpdateContainer),
        event_name: Some("POST_UPDATE_CONTAINER"),
        since: "v0.12.0",
        event_since: Some("v0.2.0"),
        change_fields: Some(&[(1u32, 2u32), (2u32, 3u32)]),
        deprecated: None,
    };
    /// StopContainer.
    pub static STOP_CONTAINER: Rpc = Rpc {
        name: "StopContainer",
        event: Some(Event::StopContainer),
        event_name: Some("STOP_CONTAINER"),
        since: "v0.2.0",
        event_since: Some("v0.2.0"),
        change_fields: None,
        deprecated: None,
    };
    /// RemoveContainer.
    pub static REMOVE_CONTAINER: Rpc = Rpc {
        name: "RemoveContainer",
        event: Some(Event::RemoveContainer),
        event_name: Some("REMOVE_CONTAINER"),
        since: "v0.12.0",
        event_since: Some("v0.2.0"),
        change_fields: Some(&[(1u32, 2u32), (2u32, 3u32)]),
        deprecated: None,
    };
    /// StateChange.
    pub static STATE_CHANGE: Rpc = Rpc {
        name: "StateChange",
        event: None,
        event_name: None,
        since: "v0.2.0",
        event_since: None,
        change_fields: None,
        deprecated: Some(Deprecation {
            since: "v0.12.0",
            removal: "containerd 2.7",
            instead: &[
                "RunPodSandbox",
                "StopPodSandbox",
                "RemovePodSandbox",
                "PostUpdatePodSandbox",
                "PostCreateContainer",
                "StartContainer",
                "PostStartContainer",
                "PostUpdateContainer",
                "RemoveContainer",
            ],
        }),
    };
    /// ValidateContainerAdjustment.
    pub static VALIDATE_CONTAINER_ADJUSTMENT: Rpc = Rpc {
        name: "ValidateContainerAdjustment",
        event: Some(Event::ValidateContainerAdjustment),
        event_name: Some("VALIDATE_CONTAINER_ADJUSTMENT"),
        since: "v0.10.0",
        event_since: Some("v0.10.0"),
        change_fields: None,
        deprecated: None,
    };
}
/// All RPCs of the Plugin service, in the order of the proto.
pub(crate) static RPCS: &[&Rpc] = &[
    &rpc::CONFIGURE,
    &rpc::SYNCHRONIZE,
    &rpc::SHUTDOWN,
    &rpc::RUN_POD_SANDBOX,
    &rpc::UPDATE_POD_SANDBOX,
    &rpc::POST_UPDATE_POD_SANDBOX,
    &rpc::STOP_POD_SANDBOX,
    &rpc::REMOVE_POD_SANDBOX,
    &rpc::CREATE_CONTAINER,
    &rpc::POST_CREATE_CONTAINER,
    &rpc::START_CONTAINER,
    &rpc::POST_START_CONTAINER,
    &rpc::UPDATE_CONTAINER,
    &rpc::POST_UPDATE_CONTAINER,
    &rpc::STOP_CONTAINER,
    &rpc::REMOVE_CONTAINER,
    &rpc::STATE_CHANGE,
    &rpc::VALIDATE_CONTAINER_ADJUSTMENT,
];
/// The newest NRI release that this crate knows.
pub const PROTOCOL: &str = "v0.12.5";
/// The rows of types that say themselves what they handle.
pub mod rows {
    use super::*;
    /// Configure.
    pub const fn configure<T: Configure>() -> Row<T> {
        Row::handled(&rpc::CONFIGURE, super::configure::<T>)
    }
    /// Synchronize.
    pub const fn synchronize<T: Synchronize>() -> Row<T> {
        Row::handled(&rpc::SYNCHRONIZE, super::synchronize::<T>)
    }
    /// Shutdown.
    pub const fn shutdown<T: Shutdown>() -> Row<T> {
        Row::handled(&rpc::SHUTDOWN, super::shutdown::<T>)
    }
    /// RunPodSandbox.
    pub const fn run_pod_sandbox<T: RunPodSandbox>() -> Row<T> {
        Row::handled(&rpc::RUN_POD_SANDBOX, super::run_pod_sandbox::<T>)
    }
    /// UpdatePodSandbox.
    pub const fn update_pod_sandbox<T: UpdatePodSandbox>() -> Row<T> {
        Row::handled(&rpc::UPDATE_POD_SANDBOX, super::update_pod_sandbox::<T>)
    }
    /// PostUpdatePodSandbox.
    pub const fn post_update_pod_sandbox<T: PostUpdatePodSandbox>() -> Row<T> {
        Row::handled(&rpc::POST_UPDATE_POD_SANDBOX, super::post_update_pod_sandbox::<T>)
    }
    /// StopPodSandbox.
    pub const fn stop_pod_sandbox<T: StopPodSandbox>() -> Row<T> {
        Row::handled(&rpc::STOP_POD_SANDBOX, super::stop_pod_sandbox::<T>)
    }
    /// RemovePodSandbox.
    pub const fn remove_pod_sandbox<T: RemovePodSandbox>() -> Row<T> {
        Row::handled(&rpc::REMOVE_POD_SANDBOX, super::remove_pod_sandbox::<T>)
    }
    /// CreateContainer.
    pub const fn create_container<T: CreateContainer>() -> Row<T> {
        Row::handled(&rpc::CREATE_CONTAINER, super::create_container::<T>)
    }
    /// PostCreateContainer.
    pub const fn post_create_container<T: PostCreateContainer>() -> Row<T> {
        Row::handled(&rpc::POST_CREATE_CONTAINER, super::post_create_container::<T>)
    }
    /// StartContainer.
    pub const fn start_container<T: StartContainer>() -> Row<T> {
        Row::handled(&rpc::START_CONTAINER, super::start_container::<T>)
    }
    /// PostStartContainer.
    pub const fn post_start_container<T: PostStartContainer>() -> Row<T> {
        Row::handled(&rpc::POST_START_CONTAINER, super::post_start_container::<T>)
    }
    /// UpdateContainer.
    pub const fn update_container<T: UpdateContainer>() -> Row<T> {
        Row::handled(&rpc::UPDATE_CONTAINER, super::update_container::<T>)
    }
    /// PostUpdateContainer.
    pub const fn post_update_container<T: PostUpdateContainer>() -> Row<T> {
        Row::handled(&rpc::POST_UPDATE_CONTAINER, super::post_update_container::<T>)
    }
    /// StopContainer.
    pub const fn stop_container<T: StopContainer>() -> Row<T> {
        Row::handled(&rpc::STOP_CONTAINER, super::stop_container::<T>)
    }
    /// RemoveContainer.
    pub const fn remove_container<T: RemoveContainer>() -> Row<T> {
        Row::handled(&rpc::REMOVE_CONTAINER, super::remove_container::<T>)
    }
    /// StateChange.
    #[deprecated(
        since = "0.12.0",
        note = "StateChange is deprecated since NRI v0.12.0, its removal is planned for containerd 2.7; implement the handlers of the events that the plugin needs instead: RunPodSandbox, StopPodSandbox, RemovePodSandbox, PostUpdatePodSandbox, PostCreateContainer, StartContainer, PostStartContainer, PostUpdateContainer, RemoveContainer"
    )]
    pub const fn state_change<T: StateChange>() -> Row<T> {
        Row::handled(&rpc::STATE_CHANGE, super::state_change::<T>)
    }
    /// ValidateContainerAdjustment.
    pub const fn validate_container_adjustment<T: ValidateContainerAdjustment>() -> Row<
        T,
    > {
        Row::handled(
            &rpc::VALIDATE_CONTAINER_ADJUSTMENT,
            super::validate_container_adjustment::<T>,
        )
    }
}
/// The handlers of `T`: a constant for each RPC. One that `T` has a handler for stands here and hides the
/// constant of the same name in [`Unhandled`].
pub struct Handlers<T>(std::marker::PhantomData<T>);
/// What [`Handlers`] falls back to.
pub trait Unhandled<T: 'static> {
    /// Configure.
    const CONFIGURE: Row<T> = Row::unhandled(&rpc::CONFIGURE);
    /// Synchronize.
    const SYNCHRONIZE: Row<T> = Row::unhandled(&rpc::SYNCHRONIZE);
    /// Shutdown.
    const SHUTDOWN: Row<T> = Row::unhandled(&rpc::SHUTDOWN);
    /// RunPodSandbox.
    const RUN_POD_SANDBOX: Row<T> = Row::unhandled(&rpc::RUN_POD_SANDBOX);
    /// UpdatePodSandbox.
    const UPDATE_POD_SANDBOX: Row<T> = Row::unhandled(&rpc::UPDATE_POD_SANDBOX);
    /// PostUpdatePodSandbox.
    const POST_UPDATE_POD_SANDBOX: Row<T> = Row::unhandled(
        &rpc::POST_UPDATE_POD_SANDBOX,
    );
    /// StopPodSandbox.
    const STOP_POD_SANDBOX: Row<T> = Row::unhandled(&rpc::STOP_POD_SANDBOX);
    /// RemovePodSandbox.
    const REMOVE_POD_SANDBOX: Row<T> = Row::unhandled(&rpc::REMOVE_POD_SANDBOX);
    /// CreateContainer.
    const CREATE_CONTAINER: Row<T> = Row::unhandled(&rpc::CREATE_CONTAINER);
    /// PostCreateContainer.
    const POST_CREATE_CONTAINER: Row<T> = Row::unhandled(&rpc::POST_CREATE_CONTAINER);
    /// StartContainer.
    const START_CONTAINER: Row<T> = Row::unhandled(&rpc::START_CONTAINER);
    /// PostStartContainer.
    const POST_START_CONTAINER: Row<T> = Row::unhandled(&rpc::POST_START_CONTAINER);
    /// UpdateContainer.
    const UPDATE_CONTAINER: Row<T> = Row::unhandled(&rpc::UPDATE_CONTAINER);
    /// PostUpdateContainer.
    const POST_UPDATE_CONTAINER: Row<T> = Row::unhandled(&rpc::POST_UPDATE_CONTAINER);
    /// StopContainer.
    const STOP_CONTAINER: Row<T> = Row::unhandled(&rpc::STOP_CONTAINER);
    /// RemoveContainer.
    const REMOVE_CONTAINER: Row<T> = Row::unhandled(&rpc::REMOVE_CONTAINER);
    /// StateChange.
    const STATE_CHANGE: Row<T> = Row::unhandled(&rpc::STATE_CHANGE);
    /// ValidateContainerAdjustment.
    const VALIDATE_CONTAINER_ADJUSTMENT: Row<T> = Row::unhandled(
        &rpc::VALIDATE_CONTAINER_ADJUSTMENT,
    );
}
impl<T: 'static> Unhandled<T> for Handlers<T> {}
impl<T: Configure> Handlers<T> {
    /// Configure.
    pub const CONFIGURE: Row<T> = Row::handled(&rpc::CONFIGURE, configure::<T>);
}
impl<T: Synchronize> Handlers<T> {
    /// Synchronize.
    pub const SYNCHRONIZE: Row<T> = Row::handled(&rpc::SYNCHRONIZE, synchronize::<T>);
}
impl<T: Shutdown> Handlers<T> {
    /// Shutdown.
    pub const SHUTDOWN: Row<T> = Row::handled(&rpc::SHUTDOWN, shutdown::<T>);
}
impl<T: RunPodSandbox> Handlers<T> {
    /// RunPodSandbox.
    pub const RUN_POD_SANDBOX: Row<T> = Row::handled(
        &rpc::RUN_POD_SANDBOX,
        run_pod_sandbox::<T>,
    );
}
impl<T: UpdatePodSandbox> Handlers<T> {
    /// UpdatePodSandbox.
    pub const UPDATE_POD_SANDBOX: Row<T> = Row::handled(
        &rpc::UPDATE_POD_SANDBOX,
        update_pod_sandbox::<T>,
    );
}
impl<T: PostUpdatePodSandbox> Handlers<T> {
    /// PostUpdatePodSandbox.
    pub const POST_UPDATE_POD_SANDBOX: Row<T> = Row::handled(
        &rpc::POST_UPDATE_POD_SANDBOX,
        post_update_pod_sandbox::<T>,
    );
}
impl<T: StopPodSandbox> Handlers<T> {
    /// StopPodSandbox.
    pub const STOP_POD_SANDBOX: Row<T> = Row::handled(
        &rpc::STOP_POD_SANDBOX,
        stop_pod_sandbox::<T>,
    );
}
impl<T: RemovePodSandbox> Handlers<T> {
    /// RemovePodSandbox.
    pub const REMOVE_POD_SANDBOX: Row<T> = Row::handled(
        &rpc::REMOVE_POD_SANDBOX,
        remove_pod_sandbox::<T>,
    );
}
impl<T: CreateContainer> Handlers<T> {
    /// CreateContainer.
    pub const CREATE_CONTAINER: Row<T> = Row::handled(
        &rpc::CREATE_CONTAINER,
        create_container::<T>,
    );
}
impl<T: PostCreateContainer> Handlers<T> {
    /// PostCreateContainer.
    pub const POST_CREATE_CONTAINER: Row<T> = Row::handled(
        &rpc::POST_CREATE_CONTAINER,
        post_create_container::<T>,
    );
}
impl<T: StartContainer> Handlers<T> {
    /// StartContainer.
    pub const START_CONTAINER: Row<T> = Row::handled(
        &rpc::START_CONTAINER,
        start_container::<T>,
    );
}
impl<T: PostStartContainer> Handlers<T> {
    /// PostStartContainer.
    pub const POST_START_CONTAINER: Row<T> = Row::handled(
        &rpc::POST_START_CONTAINER,
        post_start_container::<T>,
    );
}
impl<T: UpdateContainer> Handlers<T> {
    /// UpdateContainer.
    pub const UPDATE_CONTAINER: Row<T> = Row::handled(
        &rpc::UPDATE_CONTAINER,
        update_container::<T>,
    );
}
impl<T: PostUpdateContainer> Handlers<T> {
    /// PostUpdateContainer.
    pub const POST_UPDATE_CONTAINER: Row<T> = Row::handled(
        &rpc::POST_UPDATE_CONTAINER,
        post_update_container::<T>,
    );
}
impl<T: StopContainer> Handlers<T> {
    /// StopContainer.
    pub const STOP_CONTAINER: Row<T> = Row::handled(
        &rpc::STOP_CONTAINER,
        stop_container::<T>,
    );
}
impl<T: RemoveContainer> Handlers<T> {
    /// RemoveContainer.
    pub const REMOVE_CONTAINER: Row<T> = Row::handled(
        &rpc::REMOVE_CONTAINER,
        remove_container::<T>,
    );
}
impl<T: StateChange> Handlers<T> {
    /// StateChange.
    #[deprecated(
        since = "0.12.0",
        note = "StateChange is deprecated since NRI v0.12.0, its removal is planned for containerd 2.7; implement the handlers of the events that the plugin needs instead: RunPodSandbox, StopPodSandbox, RemovePodSandbox, PostUpdatePodSandbox, PostCreateContainer, StartContainer, PostStartContainer, PostUpdateContainer, RemoveContainer"
    )]
    pub const STATE_CHANGE: Row<T> = Row::handled(&rpc::STATE_CHANGE, state_change::<T>);
}
impl<T: ValidateContainerAdjustment> Handlers<T> {
    /// ValidateContainerAdjustment.
    pub const VALIDATE_CONTAINER_ADJUSTMENT: Row<T> = Row::handled(
        &rpc::VALIDATE_CONTAINER_ADJUSTMENT,
        validate_container_adjustment::<T>,
    );
}
fn configure<'a, T: Configure>(
    plugin: &'a T,
    cx: &'a Context,
    payload: &[u8],
) -> Result<Call<'a>> {
    let request: ConfigureRequest = decode("Configure", payload)?;
    let subject = Subject::new(None, None);
    let handler = plugin.configure(cx, request);
    Ok(Call::new(subject, handler, ConfigureResponse::from))
}
fn synchronize<'a, T: Synchronize>(
    plugin: &'a T,
    cx: &'a Context,
    payload: &[u8],
) -> Result<Call<'a>> {
    let request: SynchronizeRequest = decode("Synchronize", payload)?;
    let subject = Subject::new(None, None);
    let handler = plugin.synchronize(cx, request.pods, request.containers);
    Ok(Call::new(subject, handler, SynchronizeResponse::from))
}
fn shutdown<'a, T: Shutdown>(
    plugin: &'a T,
    cx: &'a Context,
    payload: &[u8],
) -> Result<Call<'a>> {
    let _: Empty = decode("Shutdown", payload)?;
    let subject = Subject::new(None, None);
    let handler = plugin.shutdown(cx);
    Ok(Call::new(subject, handler, |()| Empty::default()))
}
fn run_pod_sandbox<'a, T: RunPodSandbox>(
    plugin: &'a T,
    cx: &'a Context,
    payload: &[u8],
) -> Result<Call<'a>> {
    let request: RunPodSandboxRequest = decode("RunPodSandbox", payload)?;
    let subject = Subject::new(request.pod.as_ref(), None);
    let handler = plugin.run_pod_sandbox(cx, request.pod.unwrap_or_default());
    Ok(Call::new(subject, handler, |()| RunPodSandboxResponse::default()))
}
fn update_pod_sandbox<'a, T: UpdatePodSandbox>(
    plugin: &'a T,
    cx: &'a Context,
    payload: &[u8],
) -> Result<Call<'a>> {
    let request: UpdatePodSandboxRequest = decode("UpdatePodSandbox", payload)?;
    let subject = Subject::new(request.pod.as_ref(), None);
    let handler = plugin
        .update_pod_sandbox(
            cx,
            request.pod.unwrap_or_default(),
            request.overhead_linux_resources.unwrap_or_default(),
            request.linux_resources.unwrap_or_default(),
        );
    Ok(Call::new(subject, handler, |()| UpdatePodSandboxResponse::default()))
}
fn post_update_pod_sandbox<'a, T: PostUpdatePodSandbox>(
    plugin: &'a T,
    cx: &'a Context,
    payload: &[u8],
) -> Result<Call<'a>> {
    let request: PostUpdatePodSandboxRequest = decode("PostUpdatePodSandbox", payload)?;
    let subject = Subject::new(request.pod.as_ref(), None);
    let handler = plugin.post_update_pod_sandbox(cx, request.pod.unwrap_or_default());
    Ok(Call::new(subject, handler, |()| PostUpdatePodSandboxResponse::default()))
}
fn stop_pod_sandbox<'a, T: StopPodSandbox>(
    plugin: &'a T,
    cx: &'a Context,
    payload: &[u8],
) -> Result<Call<'a>> {
    let request: StopPodSandboxRequest = decode("StopPodSandbox", payload)?;
    let subject = Subject::new(request.pod.as_ref(), None);
    let handler = plugin.stop_pod_sandbox(cx, request.pod.unwrap_or_default());
    Ok(Call::new(subject, handler, |()| StopPodSandboxResponse::default()))
}
fn remove_pod_sandbox<'a, T: RemovePodSandbox>(
    plugin: &'a T,
    cx: &'a Context,
    payload: &[u8],
) -> Result<Call<'a>> {
    let request: RemovePodSandboxRequest = decode("RemovePodSandbox", payload)?;
    let subject = Subject::new(request.pod.as_ref(), None);
    let handler = plugin.remove_pod_sandbox(cx, request.pod.unwrap_or_default());
    Ok(Call::new(subject, handler, |()| RemovePodSandboxResponse::default()))
}
fn create_container<'a, T: CreateContainer>(
    plugin: &'a T,
    cx: &'a Context,
    payload: &[u8],
) -> Result<Call<'a>> {
    let request: CreateContainerRequest = decode("CreateContainer", payload)?;
    let subject = Subject::new(request.pod.as_ref(), request.container.as_ref());
    let handler = plugin
        .create_container(
            cx,
            request.pod.unwrap_or_default(),
            request.container.unwrap_or_default(),
        );
    Ok(Call::new(subject, handler, CreateContainerResponse::from))
}
fn post_create_container<'a, T: PostCreateContainer>(
    plugin: &'a T,
    cx: &'a Context,
    payload: &[u8],
) -> Result<Call<'a>> {
    let request: PostCreateContainerRequest = decode("PostCreateContainer", payload)?;
    let subject = Subject::new(request.pod.as_ref(), request.container.as_ref());
    let handler = plugin
        .post_create_container(
            cx,
            request.pod.unwrap_or_default(),
            request.container.unwrap_or_default(),
        );
    Ok(Call::new(subject, handler, |()| PostCreateContainerResponse::default()))
}
fn start_container<'a, T: StartContainer>(
    plugin: &'a T,
    cx: &'a Context,
    payload: &[u8],
) -> Result<Call<'a>> {
    let request: StartContainerRequest = decode("StartContainer", payload)?;
    let subject = Subject::new(request.pod.as_ref(), request.container.as_ref());
    let handler = plugin
        .start_container(
            cx,
            request.pod.unwrap_or_default(),
            request.container.unwrap_or_default(),
        );
    Ok(Call::new(subject, handler, |()| StartContainerResponse::default()))
}
fn post_start_container<'a, T: PostStartContainer>(
    plugin: &'a T,
    cx: &'a Context,
    payload: &[u8],
) -> Result<Call<'a>> {
    let request: PostStartContainerRequest = decode("PostStartContainer", payload)?;
    let subject = Subject::new(request.pod.as_ref(), request.container.as_ref());
    let handler = plugin
        .post_start_container(
            cx,
            request.pod.unwrap_or_default(),
            request.container.unwrap_or_default(),
        );
    Ok(Call::new(subject, handler, |()| PostStartContainerResponse::default()))
}
fn update_container<'a, T: UpdateContainer>(
    plugin: &'a T,
    cx: &'a Context,
    payload: &[u8],
) -> Result<Call<'a>> {
    let request: UpdateContainerRequest = decode("UpdateContainer", payload)?;
    let subject = Subject::new(request.pod.as_ref(), request.container.as_ref());
    let handler = plugin
        .update_container(
            cx,
            request.pod.unwrap_or_default(),
            request.container.unwrap_or_default(),
            request.linux_resources.unwrap_or_default(),
        );
    Ok(Call::new(subject, handler, UpdateContainerResponse::from))
}
fn post_update_container<'a, T: PostUpdateContainer>(
    plugin: &'a T,
    cx: &'a Context,
    payload: &[u8],
) -> Result<Call<'a>> {
    let request: PostUpdateContainerRequest = decode("PostUpdateContainer", payload)?;
    let subject = Subject::new(request.pod.as_ref(), request.container.as_ref());
    let handler = plugin
        .post_update_container(
            cx,
            request.pod.unwrap_or_default(),
            request.container.unwrap_or_default(),
        );
    Ok(Call::new(subject, handler, |()| PostUpdateContainerResponse::default()))
}
fn stop_container<'a, T: StopContainer>(
    plugin: &'a T,
    cx: &'a Context,
    payload: &[u8],
) -> Result<Call<'a>> {
    let request: StopContainerRequest = decode("StopContainer", payload)?;
    let subject = Subject::new(request.pod.as_ref(), request.container.as_ref());
    let handler = plugin
        .stop_container(
            cx,
            request.pod.unwrap_or_default(),
            request.container.unwrap_or_default(),
        );
    Ok(Call::new(subject, handler, StopContainerResponse::from))
}
fn remove_container<'a, T: RemoveContainer>(
    plugin: &'a T,
    cx: &'a Context,
    payload: &[u8],
) -> Result<Call<'a>> {
    let request: RemoveContainerRequest = decode("RemoveContainer", payload)?;
    let subject = Subject::new(request.pod.as_ref(), request.container.as_ref());
    let handler = plugin
        .remove_container(
            cx,
            request.pod.unwrap_or_default(),
            request.container.unwrap_or_default(),
        );
    Ok(Call::new(subject, handler, |()| RemoveContainerResponse::default()))
}
fn state_change<'a, T: StateChange>(
    plugin: &'a T,
    cx: &'a Context,
    payload: &[u8],
) -> Result<Call<'a>> {
    let request: StateChangeEvent = decode("StateChange", payload)?;
    let subject = Subject::new(request.pod.as_ref(), request.container.as_ref());
    let handler = plugin
        .state_change(
            cx,
            Event::try_from(request.event).unwrap_or_default(),
            request.pod.unwrap_or_default(),
            request.container,
        );
    Ok(Call::new(subject, handler, |()| Empty::default()))
}
fn validate_container_adjustment<'a, T: ValidateContainerAdjustment>(
    plugin: &'a T,
    cx: &'a Context,
    payload: &[u8],
) -> Result<Call<'a>> {
    let request: ValidateContainerAdjustmentRequest = decode(
        "ValidateContainerAdjustment",
        payload,
    )?;
    let subject = Subject::new(request.pod.as_ref(), request.container.as_ref());
    let handler = plugin.validate_container_adjustment(cx, request);
    Ok(Call::new(subject, handler, ValidateContainerAdjustmentResponse::from))
}
