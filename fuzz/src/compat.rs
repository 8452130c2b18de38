//! Targets of `nri-compat`.

pub(crate) mod archive;
pub(crate) mod cluster;
pub(crate) mod descriptor_set;
pub(crate) mod go_package;
pub(crate) mod log;
pub(crate) mod log_time;
pub(crate) mod manifest;
pub(crate) mod merge;
pub(crate) mod pieces;
pub(crate) mod policy;
pub(crate) mod policy_report;
pub(crate) mod proto;
pub(crate) mod reading;
pub(crate) mod registry;
pub(crate) mod release_name;
pub(crate) mod runtime_config;
pub(crate) mod rust_binary;
pub(crate) mod spec;
pub(crate) mod tables;
