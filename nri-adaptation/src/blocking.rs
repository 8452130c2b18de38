//! An adaptation for runtimes that are not asynchronous.

use std::fmt;
use std::ops::Deref;

use tokio::runtime::{Builder as Threads, Runtime};

use nri::Result;

use super::Adaptation;
use super::builder::Builder;

/// An [`Adaptation`] with its own thread, for a runtime that is not asynchronous.
///
/// The thread serves the connections, so that plugins can connect and request updates at any time.
/// [`wait`](Self::wait) blocks until a method of the adaptation is done:
///
/// ```
/// use nri::api::PodSandbox;
/// use nri_adaptation::Adaptation;
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let plugins = Adaptation::builder("my-runtime", "1.0").start_blocking()?;
/// let relayed = plugins.wait(plugins.run_pod_sandbox(&PodSandbox::default()))?;
/// assert!(relayed.outcomes.is_empty());
/// plugins.stop();
/// # Ok(())
/// # }
/// ```
///
/// The [callbacks](super::RuntimeCallbacks) run on that thread. One that blocks delays the answers
/// of all plugins.
pub struct BlockingAdaptation {
    adaptation: Adaptation,
    thread: Runtime,
}

impl Builder {
    /// Does the same as [`start`](Self::start), for a runtime that is not asynchronous.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`start`](Self::start), and an error if the thread cannot be started.
    ///
    /// # Panics
    ///
    /// Panics within an asynchronous task.
    pub fn start_blocking(self) -> Result<BlockingAdaptation> {
        let mut threads = Threads::new_multi_thread();
        let thread = threads.worker_threads(1).thread_name("nri").enable_all().build()?;
        let adaptation = thread.block_on(self.start())?;
        Ok(BlockingAdaptation { adaptation, thread })
    }
}

impl BlockingAdaptation {
    /// Blocks until a method of the adaptation is done, and returns its output.
    ///
    /// # Panics
    ///
    /// Panics within an asynchronous task.
    pub fn wait<T>(&self, method: impl Future<Output = T>) -> T {
        self.thread.block_on(method)
    }

    /// Does the same as [`Adaptation::stop`].
    ///
    /// # Panics
    ///
    /// Panics within an asynchronous task.
    pub fn stop(self) {
        self.wait(self.adaptation.stop());
    }
}

impl Deref for BlockingAdaptation {
    type Target = Adaptation;

    fn deref(&self) -> &Adaptation {
        &self.adaptation
    }
}

impl fmt::Debug for BlockingAdaptation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.adaptation.fmt(f)
    }
}
