//! Generated bindings in a crate of edition 2021 that denies every warning.
#![deny(warnings, missing_docs, clippy::all)]
#![forbid(unsafe_code)]

/// Status and codes that two generated modules share; they come from a third one.
pub mod status {
    pub use crate::every::v0_12_4::{Code, Status};
}

/// The newest revision, with attributes and a shared status.
pub mod latest {
    nri_codegen::include_bindings!("latest");
}

/// A fork.
pub mod fork {
    nri_codegen::include_bindings!("fork");
}

/// Messages that serde knows.
pub mod serde {
    include!(concat!(env!("OUT_DIR"), "/serde/nri_v0_11_0.rs"));
}

/// Clients without servers.
pub mod client {
    include!(concat!(env!("OUT_DIR"), "/client/nri_v0_12_0.rs"));
}

/// All revisions as modules that coexist.
pub mod every {
    include!(concat!(env!("OUT_DIR"), "/every/nri-bindings/mod.rs"));
}

/// Nothing uses this one, and there is no warning.
mod private {
    include!(concat!(env!("OUT_DIR"), "/every/nri_v0_2_0.rs"));
}
