//! Tests of plugins, without a container runtime.
//!
//! A plugin has it for its tests only:
//!
//! ```toml
//! [dev-dependencies]
//! nri-testing = "0.1"
//! tokio = { version = "1", features = ["macros", "rt", "time"] }
//! ```
//!
//! A [`Runtime`] starts the plugin on its real stub, connected through memory, and sends it the
//! same requests as a runtime: registration, Configure, Synchronize, and the events of the pods and
//! containers that the test creates.
//!
//! ```
//! use nri::api::LinuxDevice;
//! use nri::prelude::*;
//! use nri_testing as testing;
//!
//! #[derive(Default, NriPlugin)]
//! #[nri(name = "fuse", index = "10")]
//! struct Fuse;
//!
//! impl CreateContainer for Fuse {
//!     async fn create_container(
//!         &self,
//!         _cx: &EventContext,
//!         _pod: PodSandbox,
//!         container: Container,
//!     ) -> nri::Result<Adjustment> {
//!         Ok(match container.annotation("example.org/fuse") {
//!             Some("yes") => Adjustment::new().device(LinuxDevice::char("/dev/fuse", 10, 229)),
//!             _ => Adjustment::new(),
//!         })
//!     }
//! }
//!
//! # // As in a test: #[tokio::test]
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let mut runtime = testing::Runtime::new().speaking("v0.11.0").start(Fuse).await?;
//! let pod = runtime.run_pod(testing::pod("web")).await?;
//! let app = testing::container("app").annotation("example.org/fuse", "yes");
//! let created = runtime.create_container(&pod, app).await?;
//! assert_eq!(created.adjustment.linux.unwrap_or_default().devices[0].path, "/dev/fuse");
//! # Ok(())
//! # }
//! ```
//!
//! With the feature `oci`, `Created::spec` is the OCI spec that the low-level runtime would get.
//!
//! # What fails a test
//!
//! Every handler that returns an error, panics or misses its deadline is an [`EventError`], also
//! where a runtime would only log it, as it does for events that report what has happened already.
//! [`EventError::fails_request`] tells the two apart.
//!
//! # Time
//!
//! With `#[tokio::test(start_paused = true)]` and tokio's feature `test-util`, time stands still
//! while any task can run, and jumps to the next timer when none can: a handler that sleeps for
//! three seconds misses its deadline of two seconds at once. [`RunningRuntime::advance`] lets time
//! pass for tasks of the plugin.

mod answers;
mod error;
mod events;
mod fixture;
mod logs;
mod running;
mod settings;
#[cfg(feature = "oci")]
mod spec;
mod world;

pub use answers::{Created, Updated};
pub use error::EventError;
pub use fixture::{ContainerFixture, PodFixture, container, pod};
pub use logs::Logs;
/// The OCI specs of containers.
#[cfg(feature = "oci")]
pub use nri_adaptation::oci;
pub use running::RunningRuntime;
pub use settings::Runtime;
