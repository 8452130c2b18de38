//! Tests of plugins: acts as the runtime, under every revision of the protocol, and determines
//! which statements a plugin keeps or breaks.
//!
//! Each test starts a new instance of the plugin. A test that the plugin blocks by breaking another
//! statement is skipped, and the statement that it broke fails: if no test of its own saw it, with
//! what the blocked test saw. So one defect is one failure, and no crash, late answer or error goes
//! unseen.

mod bench;
mod checks;
mod live;
mod run;
mod verdict;

pub use bench::Options;
#[doc(hidden)]
pub use checks::{Test, all_tests};
pub use run::Run;

use crate::subject::Subject;

/// Tests a plugin in this process. All tests share the value.
///
/// ```
/// use nri::prelude::*;
///
/// #[derive(Default, NriPlugin)]
/// #[nri(name = "counter", index = "10")]
/// struct Counter;
///
/// impl RunPodSandbox for Counter {
///     async fn run_pod_sandbox(&self, _cx: &EventContext, _pod: PodSandbox) -> nri::Result<()> {
///         Ok(())
///     }
/// }
///
/// # fn main() {
/// // In a `#[test]` or a `#[tokio::test]`:
/// nri_conformance::plugin(Counter).only(["P7", "P8", "P9"]).assert();
/// # }
/// ```
pub fn plugin<P: nri::plugin::Plugin>(plugin: P) -> Run {
    Run::new(Subject::in_process(plugin))
}

/// Tests a plugin in this process. `make` creates each instance that a test starts.
pub fn plugin_with<P: nri::plugin::Plugin>(make: impl Fn() -> P + Send + Sync + 'static) -> Run {
    Run::new(Subject::in_process_with(make))
}
