//! Bindings of three revisions of the NRI protocol as modules that coexist.
#![deny(warnings, missing_docs, clippy::all)]
#![forbid(unsafe_code)]

/// As of NRI v0.9.0: eleven events, most of them by `StateChange`.
pub mod v0_9 {
    nri_codegen::include_bindings!("0.9");
}

/// As containerd 2.2.1 links it.
pub mod containerd_2_2 {
    nri_codegen::include_bindings!("containerd@2.2.1");
}

/// The newest.
pub mod latest {
    nri_codegen::include_bindings!("latest");
}

/// All of them again, by their revisions.
pub mod every {
    nri_codegen::include_bindings!();
}

/// A protocol with messages of `nri`.
pub mod fleet {
    include!(concat!(env!("OUT_DIR"), "/fleet/nri_fleet.rs"));
}

/// The plain way, without the macro.
pub mod plain {
    include!(concat!(env!("OUT_DIR"), "/nri_v0_11_0.rs"));
}
