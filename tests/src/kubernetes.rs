//! A real Kubernetes: only etcd and the API server, or a whole cluster with a node on this machine.
//!
//! It is a single program, built in `peers/kubernetes`. Servers end when the test ends, for
//! whatever reason, because their standard input ends with it.

mod cluster;
mod control_plane;
mod image;
mod kubectl;
mod nri_compat;
pub mod objects;

pub use cluster::{CONTAINERD, Cluster, NODE};
pub use control_plane::{ControlPlane, User};
pub use image::Image;
pub use kubectl::Kubectl;
pub use nri_compat::NriCompat;
