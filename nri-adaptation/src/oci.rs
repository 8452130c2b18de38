//! Applies adjustments to OCI runtime specs, as a runtime does before it creates the container, and
//! reads pods and containers from specs.
//!
//! [`apply`] is sufficient if the adjustment has nothing that only the runtime can resolve. A
//! [`Generator`] takes the runtime's callbacks: for CDI devices, block I/O classes, RDT classes,
//! filters and checks. The spec is the type of the [`oci-spec`](https://docs.rs/oci-spec) crate,
//! which is re-exported as [`runtime`].
//!
//! ```
//! use nri::adjust::Adjustment;
//! use nri::api::{LinuxDevice, Mount};
//!
//! let mut spec = nri_adaptation::oci::from_value(serde_json::json!({
//!     "ociVersion": "1.3.0",
//!     "process": {"user": {"uid": 0, "gid": 0}, "cwd": "/", "env": ["PATH=/bin", "DEBUG=1"]},
//!     "mounts": [{"destination": "/srv/models", "type": "tmpfs"}],
//! }))?;
//! let adjustment = Adjustment::new()
//!     .env("LEVEL", "info")
//!     .remove_env("DEBUG")
//!     .mount(Mount::bind("/models", "/srv"))
//!     .device(LinuxDevice::char("/dev/fuse", 10, 229));
//! nri_adaptation::oci::apply(&mut spec, adjustment.container())?;
//!
//! let spec = nri_adaptation::oci::to_value(&spec)?;
//! assert_eq!(spec["process"]["env"], serde_json::json!(["PATH=/bin", "LEVEL=info"]));
//! assert_eq!(spec["mounts"][0]["destination"], "/srv", "before the mounts below it");
//! assert_eq!(spec["linux"]["devices"][0]["path"], "/dev/fuse");
//! assert_eq!(spec["linux"]["resources"]["devices"][0]["access"], "rw");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! [`container`] and [`pod_sandbox`] go in the other direction: they return what plugins are told
//! about a spec.
//!
//! An adjustment is applied completely or not at all, and no field is skipped silently: a field
//! that cannot be applied results in an [`Error`] that names it. [`Generator::apply_update`]
//! applies the resources of an update in the same way.
//!
//! # Read and write specs with this module
//!
//! Version 0.10 of the `oci-spec` crate has every field of runtime specification 1.3 that an
//! adjustment can change, but it reads and writes some of them incorrectly. [`from_value`] and
//! [`to_value`] correct this. Use them instead of `Spec::load` and `Spec::save`: otherwise the
//! low-level runtime does not understand the scheduler flags `SCHED_FLAG_RESET_ON_FORK` and
//! `SCHED_FLAG_DL_OVERRUN`.
//!
//! # Differences from the reference
//!
//! The reference is `pkg/runtime-tools/generate` of `github.com/containerd/nri` v0.12.5. A test
//! applies thousands of random adjustments to random specs with both implementations. The resulting
//! specs are the same, apart from empty objects and lists, except for these differences:
//!
#![doc = include_str!("oci/differences.md")]

mod callbacks;
mod devices;
mod error;
mod generator;
mod json;
mod linux;
mod mounts;
mod parts;
mod process;
mod read;
mod resources;
mod seccomp;
#[cfg(test)]
mod tests;

pub use error::{Error, ErrorKind, Propagation};
pub use generator::Generator;
pub use json::{from_value, to_value};
pub use mounts::mount_propagation;
pub use oci_spec::runtime;
pub use read::{container, pod_sandbox};

use nri::api::ContainerAdjustment;

/// Applies an adjustment to a spec, without callbacks: `Generator::new(spec).apply(adjustment)`.
///
/// # Errors
///
/// The errors of [`Generator::apply`]. CDI devices, block I/O classes and RDT classes need a
/// [`Generator`] with callbacks.
pub fn apply(spec: &mut runtime::Spec, adjustment: &ContainerAdjustment) -> Result<(), Error> {
    Generator::new(spec).apply(adjustment)
}
