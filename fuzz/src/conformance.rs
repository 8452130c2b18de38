//! Targets of `nri-conformance`.

pub(crate) mod probe;
pub(crate) mod recording;
pub(crate) mod transcript;
