//! Real Kubernetes.

mod api;
mod charts;
mod node;
