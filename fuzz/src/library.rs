//! Targets of `nri`.

pub(crate) mod adaptation;
pub(crate) mod connection;
pub(crate) mod demux;
pub(crate) mod message;
pub(crate) mod module;
pub(crate) mod oci;
pub(crate) mod scenario;
