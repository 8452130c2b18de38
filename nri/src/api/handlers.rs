// @generated from protos/api/v0.12.4/api.proto. Do not edit.

//! A handler trait for every RPC of the Plugin service.

use crate::adjust::{Adjustment, Changes, Updates, Verdict};
use crate::api::*;
use crate::{Context, Result};
/// Handler of Configure.
///
/// Since NRI v0.2.0.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not handle Configure",
    label = "there is no `impl Configure for {Self}`",
    note = "implement `Configure`, or take it out of `#[nri(handles(…))]`"
)]
pub trait Configure: Send + Sync + 'static {
    /// Handles one Configure. An error is told to the runtime, unless `on_error` says otherwise.
    fn configure(
        &self,
        cx: &Context,
        request: ConfigureRequest,
    ) -> impl Future<Output = Result<Option<EventMask>>> + Send;
}
/// Handler of Synchronize.
///
/// Since NRI v0.2.0.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not handle Synchronize",
    label = "there is no `impl Synchronize for {Self}`",
    note = "implement `Synchronize`, or take it out of `#[nri(handles(…))]`"
)]
pub trait Synchronize: Send + Sync + 'static {
    /// Handles one Synchronize. An error is told to the runtime, unless `on_error` says otherwise.
    fn synchronize(
        &self,
        cx: &Context,
        pods: Vec<PodSandbox>,
        containers: Vec<Container>,
    ) -> impl Future<Output = Result<Updates>> + Send;
}
/// Handler of Shutdown.
///
/// Since NRI v0.2.0.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not handle Shutdown",
    label = "there is no `impl Shutdown for {Self}`",
    note = "implement `Shutdown`, or take it out of `#[nri(handles(…))]`"
)]
pub trait Shutdown: Send + Sync + 'static {
    /// Handles one Shutdown. An error is told to the runtime, unless `on_error` says otherwise.
    fn shutdown(&self, cx: &Context) -> impl Future<Output = Result<()>> + Send;
}
/// Handler of RunPodSandbox.
///
/// Event `RUN_POD_SANDBOX`, since NRI v0.2.0. Runtimes before NRI v0.12.0 send it as StateChange, which comes here as well.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not handle RunPodSandbox",
    label = "there is no `impl RunPodSandbox for {Self}`",
    note = "implement `RunPodSandbox`, or take it out of `#[nri(handles(…))]`"
)]
pub trait RunPodSandbox: Send + Sync + 'static {
    /// Handles one RunPodSandbox. An error is told to the runtime, unless `on_error` says otherwise.
    fn run_pod_sandbox(
        &self,
        cx: &Context,
        pod: PodSandbox,
    ) -> impl Future<Output = Result<()>> + Send;
}
/// Handler of UpdatePodSandbox.
///
/// Event `UPDATE_POD_SANDBOX`, since NRI v0.9.1-0.20250219030224-e597e7849f24.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not handle UpdatePodSandbox",
    label = "there is no `impl UpdatePodSandbox for {Self}`",
    note = "implement `UpdatePodSandbox`, or take it out of `#[nri(handles(…))]`"
)]
pub trait UpdatePodSandbox: Send + Sync + 'static {
    /// Handles one UpdatePodSandbox. An error is told to the runtime, unless `on_error` says otherwise.
    fn update_pod_sandbox(
        &self,
        cx: &Context,
        pod: PodSandbox,
        overhead_linux_resources: LinuxResources,
        linux_resources: LinuxResources,
    ) -> impl Future<Output = Result<()>> + Send;
}
/// Handler of PostUpdatePodSandbox.
///
/// Event `POST_UPDATE_POD_SANDBOX`, since NRI v0.9.1-0.20250219030224-e597e7849f24. Runtimes before NRI v0.12.0 send it as StateChange, which comes here as well.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not handle PostUpdatePodSandbox",
    label = "there is no `impl PostUpdatePodSandbox for {Self}`",
    note = "implement `PostUpdatePodSandbox`, or take it out of `#[nri(handles(…))]`"
)]
pub trait PostUpdatePodSandbox: Send + Sync + 'static {
    /// Handles one PostUpdatePodSandbox. An error is told to the runtime, unless `on_error` says otherwise.
    fn post_update_pod_sandbox(
        &self,
        cx: &Context,
        pod: PodSandbox,
    ) -> impl Future<Output = Result<()>> + Send;
}
/// Handler of StopPodSandbox.
///
/// Event `STOP_POD_SANDBOX`, since NRI v0.2.0. Runtimes before NRI v0.12.0 send it as StateChange, which comes here as well.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not handle StopPodSandbox",
    label = "there is no `impl StopPodSandbox for {Self}`",
    note = "implement `StopPodSandbox`, or take it out of `#[nri(handles(…))]`"
)]
pub trait StopPodSandbox: Send + Sync + 'static {
    /// Handles one StopPodSandbox. An error is told to the runtime, unless `on_error` says otherwise.
    fn stop_pod_sandbox(
        &self,
        cx: &Context,
        pod: PodSandbox,
    ) -> impl Future<Output = Result<()>> + Send;
}
/// Handler of RemovePodSandbox.
///
/// Event `REMOVE_POD_SANDBOX`, since NRI v0.2.0. Runtimes before NRI v0.12.0 send it as StateChange, which comes here as well.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not handle RemovePodSandbox",
    label = "there is no `impl RemovePodSandbox for {Self}`",
    note = "implement `RemovePodSandbox`, or take it out of `#[nri(handles(…))]`"
)]
pub trait RemovePodSandbox: Send + Sync + 'static {
    /// Handles one RemovePodSandbox. An error is told to the runtime, unless `on_error` says otherwise.
    fn remove_pod_sandbox(
        &self,
        cx: &Context,
        pod: PodSandbox,
    ) -> impl Future<Output = Result<()>> + Send;
}
/// Handler of CreateContainer.
///
/// Event `CREATE_CONTAINER`, since NRI v0.2.0.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not handle CreateContainer",
    label = "there is no `impl CreateContainer for {Self}`",
    note = "implement `CreateContainer`, or take it out of `#[nri(handles(…))]`"
)]
pub trait CreateContainer: Send + Sync + 'static {
    /// Handles one CreateContainer. An error is told to the runtime, unless `on_error` says otherwise.
    fn create_container(
        &self,
        cx: &Context,
        pod: PodSandbox,
        container: Container,
    ) -> impl Future<Output = Result<Adjustment>> + Send;
}
/// Handler of PostCreateContainer.
///
/// Event `POST_CREATE_CONTAINER`, since NRI v0.2.0. Runtimes before NRI v0.12.0 send it as StateChange, which comes here as well.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not handle PostCreateContainer",
    label = "there is no `impl PostCreateContainer for {Self}`",
    note = "implement `PostCreateContainer`, or take it out of `#[nri(handles(…))]`"
)]
pub trait PostCreateContainer: Send + Sync + 'static {
    /// Handles one PostCreateContainer. An error is told to the runtime, unless `on_error` says otherwise.
    fn post_create_container(
        &self,
        cx: &Context,
        pod: PodSandbox,
        container: Container,
    ) -> impl Future<Output = Result<()>> + Send;
}
/// Handler of StartContainer.
///
/// Event `START_CONTAINER`, since NRI v0.2.0. Runtimes before NRI v0.12.0 send it as StateChange, which comes here as well.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not handle StartContainer",
    label = "there is no `impl StartContainer for {Self}`",
    note = "implement `StartContainer`, or take it out of `#[nri(handles(…))]`"
)]
pub trait StartContainer: Send + Sync + 'static {
    /// Handles one StartContainer. An error is told to the runtime, unless `on_error` says otherwise.
    fn start_container(
        &self,
        cx: &Context,
        pod: PodSandbox,
        container: Container,
    ) -> impl Future<Output = Result<()>> + Send;
}
/// Handler of PostStartContainer.
///
/// Event `POST_START_CONTAINER`, since NRI v0.2.0. Runtimes before NRI v0.12.0 send it as StateChange, which comes here as well.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not handle PostStartContainer",
    label = "there is no `impl PostStartContainer for {Self}`",
    note = "implement `PostStartContainer`, or take it out of `#[nri(handles(…))]`"
)]
pub trait PostStartContainer: Send + Sync + 'static {
    /// Handles one PostStartContainer. An error is told to the runtime, unless `on_error` says otherwise.
    fn post_start_container(
        &self,
        cx: &Context,
        pod: PodSandbox,
        container: Container,
    ) -> impl Future<Output = Result<()>> + Send;
}
/// Handler of UpdateContainer.
///
/// Event `UPDATE_CONTAINER`, since NRI v0.2.0.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not handle UpdateContainer",
    label = "there is no `impl UpdateContainer for {Self}`",
    note = "implement `UpdateContainer`, or take it out of `#[nri(handles(…))]`"
)]
pub trait UpdateContainer: Send + Sync + 'static {
    /// Handles one UpdateContainer. An error is told to the runtime, unless `on_error` says otherwise.
    fn update_container(
        &self,
        cx: &Context,
        pod: PodSandbox,
        container: Container,
        linux_resources: LinuxResources,
    ) -> impl Future<Output = Result<Changes>> + Send;
}
/// Handler of PostUpdateContainer.
///
/// Event `POST_UPDATE_CONTAINER`, since NRI v0.2.0. Runtimes before NRI v0.12.0 send it as StateChange, which comes here as well.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not handle PostUpdateContainer",
    label = "there is no `impl PostUpdateContainer for {Self}`",
    note = "implement `PostUpdateContainer`, or take it out of `#[nri(handles(…))]`"
)]
pub trait PostUpdateContainer: Send + Sync + 'static {
    /// Handles one PostUpdateContainer. An error is told to the runtime, unless `on_error` says otherwise.
    fn post_update_container(
        &self,
        cx: &Context,
        pod: PodSandbox,
        container: Container,
    ) -> impl Future<Output = Result<()>> + Send;
}
/// Handler of StopContainer.
///
/// Event `STOP_CONTAINER`, since NRI v0.2.0.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not handle StopContainer",
    label = "there is no `impl StopContainer for {Self}`",
    note = "implement `StopContainer`, or take it out of `#[nri(handles(…))]`"
)]
pub trait StopContainer: Send + Sync + 'static {
    /// Handles one StopContainer. An error is told to the runtime, unless `on_error` says otherwise.
    fn stop_container(
        &self,
        cx: &Context,
        pod: PodSandbox,
        container: Container,
    ) -> impl Future<Output = Result<Updates>> + Send;
}
/// Handler of RemoveContainer.
///
/// Event `REMOVE_CONTAINER`, since NRI v0.2.0. Runtimes before NRI v0.12.0 send it as StateChange, which comes here as well.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not handle RemoveContainer",
    label = "there is no `impl RemoveContainer for {Self}`",
    note = "implement `RemoveContainer`, or take it out of `#[nri(handles(…))]`"
)]
pub trait RemoveContainer: Send + Sync + 'static {
    /// Handles one RemoveContainer. An error is told to the runtime, unless `on_error` says otherwise.
    fn remove_container(
        &self,
        cx: &Context,
        pod: PodSandbox,
        container: Container,
    ) -> impl Future<Output = Result<()>> + Send;
}
/// Handler of StateChange.
///
/// Since NRI v0.2.0.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not handle StateChange",
    label = "there is no `impl StateChange for {Self}`",
    note = "implement `StateChange`, or take it out of `#[nri(handles(…))]`"
)]
pub trait StateChange: Send + Sync + 'static {
    /// Handles one StateChange. An error is told to the runtime, unless `on_error` says otherwise.
    fn state_change(
        &self,
        cx: &Context,
        event: Event,
        pod: PodSandbox,
        container: Option<Container>,
    ) -> impl Future<Output = Result<()>> + Send;
}
/// Handler of ValidateContainerAdjustment.
///
/// Event `VALIDATE_CONTAINER_ADJUSTMENT`, since NRI v0.10.0.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not handle ValidateContainerAdjustment",
    label = "there is no `impl ValidateContainerAdjustment for {Self}`",
    note = "implement `ValidateContainerAdjustment`, or take it out of `#[nri(handles(…))]`"
)]
pub trait ValidateContainerAdjustment: Send + Sync + 'static {
    /// Handles one ValidateContainerAdjustment. An error is told to the runtime, unless `on_error` says otherwise.
    fn validate_container_adjustment(
        &self,
        cx: &Context,
        request: ValidateContainerAdjustmentRequest,
    ) -> impl Future<Output = Result<Verdict>> + Send;
}
