//! `nri-compat check --cluster`, against servers on loopback.
#![cfg(feature = "cluster")]

#[allow(dead_code)]
mod api_server;
mod command;
mod credentials;
mod failures;
mod kubeconfig;
mod lists;
mod objects;
mod proxies;
mod published;
mod report;
mod tls;
mod workloads;
