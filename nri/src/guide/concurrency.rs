//! Concurrency and cancellation: which handlers may overlap, in which order events arrive, what a
//! deadline leaves behind, and how to do long work.
//!
//! # Which handlers may overlap
//!
//! Every handler takes `&self`, so a plugin keeps its state behind a lock or in an atomic. The
//! protocol allows a runtime to send a request while another is in progress. The stub then starts
//! the second handler while the first one waits:
//!
//! | Who calls | Overlap |
//! | --- | --- |
//! | containerd and CRI-O | NRI's Go library sends one request at a time to each plugin, and handles one event at a time for all pods of the node |
//! | a runtime with `nri-adaptation` | the adaptation sends one request at a time to each plugin, although events of different pods are in progress at the same time |
//! | a runtime whose client gives up, such as the kubelet | the runtime may send the next request while the handler of the abandoned one still runs, until its deadline |
//! | another runtime, or a test of conformance | may send up to 64 requests at once, the limit of [`Limits::requests`] |
//!
//! [`Limits::requests`]: crate::wire::Limits::requests
//!
//! So two handlers rarely overlap, and a plugin must still be correct if they do. Code without an
//! `.await` is never interrupted by another handler, because one task polls all handlers that are
//! not [blocking](crate::stub#blocking-handlers). Between two awaits the state may change.
//!
//! These may overlap with any handler:
//!
//! - a handler of `#[nri(blocking(EVENT))]`, and the work passed to
//!   [`nri::blocking`](crate::blocking), each on its own thread;
//! - the hooks `on_connect` and `on_reconnect` of [`Connection`](crate::plugin::Connection), which
//!   start when Synchronize has been answered;
//! - tasks that the plugin spawns.
//!
//! Configure and Synchronize come before all events of a connection.
//! [`Synchronize`](crate::plugin::handlers::Synchronize) comes again after each reconnect.
//!
//! # The order of events
//!
//! Plugins get an event in the order of their indexes, each after the one before it has answered.
//! Only ValidateContainerAdjustment goes to all plugins at the same time. The events of one pod and
//! of one container arrive in this order:
//!
//! | | Order |
//! | --- | --- |
//! | pod | RunPodSandbox, any number of UpdatePodSandbox and PostUpdatePodSandbox, StopPodSandbox, RemovePodSandbox |
//! | container | CreateContainer, ValidateContainerAdjustment, PostCreateContainer, StartContainer, PostStartContainer, any number of UpdateContainer and PostUpdateContainer, StopContainer, RemoveContainer |
//!
//! No container of a pod starts before all plugins have answered RunPodSandbox. At StopPodSandbox,
//! the containers are stopped or are stopping, and at RemovePodSandbox they are removed. There is
//! no order between different pods, nor between different containers of one pod. A plugin should
//! expect these exceptions:
//!
//! - A container or pod is known only from Synchronize, or not at all, because it was created while
//!   the plugin connected. A [`PodStore`](crate::store::PodStore) detects that.
//! - StopPodSandbox comes more than once for a pod. Treat it as idempotent.
//! - RemovePodSandbox comes without StopPodSandbox, after the creation of a pod has failed.
//! - A container whose process ends at once: containerd reports exits on their own, so
//!   StopContainer can come before PostStartContainer.
//! - StopContainer and RemoveContainer come after the pod is gone: containerd then sends a pod that
//!   has only its ID.
//! - A pod whose RunPodSandbox has failed is created again with a new ID.
//!
//! # What a deadline leaves behind
//!
//! A runtime waits two seconds by default, and
//! [`EventContext::time_left`](crate::EventContext::time_left) returns the rest of that time.
//! Shortly before the end, the stub drops the handler and answers with an error, or with success if
//! `#[nri(on_timeout(EVENT = "ok"))]` is set. Dropping a handler means:
//!
//! - It ends at the `.await` that it waits at. No code after that runs, neither `?` nor an error
//!   branch.
//! - Its local variables are dropped: locks are released, files are closed, and guards run.
//! - What it has already changed stays changed, in the plugin's state and on the node.
//! - Tasks that it has spawned continue. A thread of `#[nri(blocking(EVENT))]` or
//!   [`nri::blocking`](crate::blocking) continues to its end, and only its result is dropped.
//!
//! Handlers in progress are also dropped when the connection breaks, and two seconds after SIGTERM
//! or after the runtime has closed the connection.
//!
//! Therefore change state after the last `.await`, or undo the change in a guard that is disarmed
//! at the end:
//!
//! ```
//! use std::sync::atomic::{AtomicUsize, Ordering};
//! use std::sync::Arc;
//!
//! use nri::prelude::*;
//! use nri_testing as testing;
//!
//! #[derive(NriPlugin)]
//! #[nri(name = "licenses", index = "10")]
//! struct Licenses {
//!     free: AtomicUsize,
//! }
//!
//! /// A license that is free again unless it is kept.
//! struct Reserved<'a>(&'a AtomicUsize);
//!
//! impl<'a> Reserved<'a> {
//!     fn take(free: &'a AtomicUsize) -> nri::Result<Self> {
//!         free.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |free| free.checked_sub(1))
//!             .map(|_| Reserved(free))
//!             .map_err(|_| nri::Error::new("no license is free"))
//!     }
//!
//!     fn keep(self) {
//!         std::mem::forget(self);
//!     }
//! }
//!
//! impl Drop for Reserved<'_> {
//!     fn drop(&mut self) {
//!         self.0.fetch_add(1, Ordering::Relaxed);
//!     }
//! }
//!
//! impl CreateContainer for Licenses {
//!     async fn create_container(
//!         &self,
//!         _cx: &EventContext,
//!         _pod: PodSandbox,
//!         container: Container,
//!     ) -> nri::Result<Adjustment> {
//!         let reserved = Reserved::take(&self.free)?;
//!         let key = ask_server(&container.name).await?;
//!         reserved.keep();
//!         Ok(Adjustment::new().env("LICENSE", key))
//!     }
//! }
//!
//! async fn ask_server(container: &str) -> nri::Result<String> {
//!     if container == "unlucky" {
//!         std::future::pending::<()>().await; // The server does not answer.
//!     }
//!     Ok(format!("key-of-{container}"))
//! }
//!
//! # #[tokio::main(flavor = "current_thread", start_paused = true)]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let plugin = Arc::new(Licenses { free: AtomicUsize::new(1) });
//! let mut runtime = testing::Runtime::new().start(Arc::clone(&plugin)).await?;
//! let pod = runtime.run_pod(testing::pod("web")).await?;
//!
//! let late = runtime.create_container(&pod, testing::container("unlucky")).await;
//! assert!(late.unwrap_err().to_string().contains("timed out"));
//! assert_eq!(plugin.free.load(Ordering::Relaxed), 1);
//!
//! runtime.create_container(&pod, testing::container("app")).await?;
//! assert_eq!(plugin.free.load(Ordering::Relaxed), 0);
//! # Ok(())
//! # }
//! ```
//!
//! A plugin that answers late for a dependency should give that dependency less time than the
//! runtime gives the plugin: `tokio::time::timeout` around the call lets the handler choose its own
//! answer.
//!
//! # Long work
//!
//! Work that may take longer than the deadline does not belong in a handler. Answer first, do the
//! work in a task, and send the result as an unsolicited update with
//! [`EventContext::updater`](crate::EventContext::updater), or with
//! [`EventContext::update_later`](crate::EventContext::update_later) if there is nothing to wait
//! for. The request must not be awaited within a handler: containerd takes updates only after the
//! event, so it fails with [`WithinHandler`](crate::stub::UpdateError::WithinHandler). A handler
//! that waits for such a task times out, and its error says that an update was waiting.
//!
//! ```
//! use std::time::Duration;
//!
//! use nri::prelude::*;
//! use nri::stub::Updater;
//! use nri_testing as testing;
//!
//! #[derive(NriPlugin)]
//! #[nri(name = "measure", index = "10")]
//! struct Measure;
//!
//! impl PostStartContainer for Measure {
//!     async fn post_start_container(
//!         &self,
//!         cx: &EventContext,
//!         _pod: PodSandbox,
//!         container: Container,
//!     ) -> nri::Result<()> {
//!         tokio::spawn(measure(cx.updater(), container.id));
//!         Ok(())
//!     }
//! }
//!
//! async fn measure(updater: Updater, container: String) {
//!     tokio::time::sleep(Duration::from_secs(30)).await; // Longer than any deadline.
//!     let update = ContainerUpdate::new(container).memory_limit(64 << 20);
//!     // The container may be gone by now, so a failure is no reason to stop.
//!     if let Err(error) = updater.update(Updates::new().update(update)).await {
//!         eprintln!("not updated: {error}");
//!     }
//! }
//!
//! # #[tokio::main(flavor = "current_thread", start_paused = true)]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let mut runtime = testing::Runtime::new().start(Measure).await?;
//! let created = runtime.create_in_pod(testing::pod("web").container("app")).await?;
//! runtime.start_container(&created).await?;
//! assert!(runtime.requested().is_empty());
//!
//! runtime.advance(Duration::from_secs(31)).await;
//! assert_eq!(runtime.requested()[0].updates[0].container_id, created.id);
//! # Ok(())
//! # }
//! ```
//!
//! - A spawned task outlives its event and its connection. An [`Updater`](crate::stub::Updater)
//!   works after a reconnect and fails with
//!   [`NotConnected`](crate::stub::UpdateError::NotConnected) in between.
//! - A container can stop while the task runs. Check a [`PodStore`](crate::store::PodStore), or
//!   abort the task in the handlers of StopContainer and RemoveContainer.
//! - Tasks that are still running when [`Stub::run`](crate::stub::Stub::run) returns end with the
//!   tokio runtime.
//! - Bound the number of tasks, for example with a `tokio::sync::Semaphore`, because a node may
//!   start many containers at once.
//! - A WebAssembly module has neither tasks nor updates outside of an event, see
//!   [`wasm`](crate::wasm).
