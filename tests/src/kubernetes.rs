//! A real Kubernetes: etcd and the API server by themselves, or a whole cluster with a node on this machine.
//!
//! All of it is one program, which `peers/kubernetes` builds. Servers end when the test does, however it ends, because
//! their standard input ends with it.

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
