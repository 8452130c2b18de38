//! The runtime adaptation and OCI specs, compared with the Go implementations.

#[cfg(feature = "go")]
mod adaptation_go;
#[cfg(feature = "go")]
mod bridge;
#[cfg(feature = "containerd")]
mod bundle;
#[cfg(any(feature = "slow-tests", feature = "containerd"))]
mod example_runtime;
#[cfg(feature = "go")]
mod go_adjust;
#[cfg(feature = "go")]
mod go_merge;
#[cfg(feature = "go")]
mod matrix;
mod oci_fields;
#[cfg(feature = "go")]
mod oci_go;
#[cfg(feature = "go")]
mod requests_go;
