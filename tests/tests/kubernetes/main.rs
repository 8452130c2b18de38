//! Real Kubernetes.

mod api;
mod charts;
mod image;
mod node;
mod policy_reports;
