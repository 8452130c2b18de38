//! The table of fuzz targets.

use arbitrary::{Arbitrary, Unstructured};

use crate::{compat, conformance, library};

/// Runs a target once on the bytes of the fuzzer.
pub(crate) type Run = fn(&[u8]);

/// The name of each target, which is also the folder of its seeds, and its function.
pub(crate) const TARGETS: &[(&str, Run)] = &[
    ("nri-adaptation/adaptation", library::adaptation::run),
    ("nri/connection", library::connection::run),
    ("nri/demux", |bytes| structured(bytes, library::demux::run)),
    ("nri-adaptation/module", library::module::run),
    ("nri-adaptation/oci", library::oci::run),
    ("nri-adaptation/scenario", |bytes| structured(bytes, library::scenario::run)),
    ("nri-compat/archive", compat::archive::run),
    ("nri-compat/cargo_lock", |bytes| compat::reading::read("cargo-lock", bytes)),
    ("nri-compat/cluster", compat::cluster::run),
    ("nri-compat/declared", |bytes| compat::reading::read("cargo-toml", bytes)),
    ("nri-compat/descriptor_set", |bytes| structured(bytes, compat::descriptor_set::run)),
    ("nri-compat/go_binary", |bytes| compat::pieces::read("program", bytes)),
    ("nri-compat/go_mod", |bytes| compat::reading::read("go-mod", bytes)),
    ("nri-compat/go_package", compat::go_package::run),
    ("nri-compat/go_source", |bytes| compat::reading::read("go-source", bytes)),
    ("nri-compat/go_vendor", |bytes| compat::reading::read("go-vendor", bytes)),
    ("nri-compat/log", |bytes| structured(bytes, compat::log::run)),
    ("nri-compat/log_time", |bytes| structured(bytes, compat::log_time::run)),
    ("nri-compat/manifest", compat::manifest::run),
    ("nri-compat/merge", |bytes| structured(bytes, compat::merge::run)),
    ("nri-compat/one_shot", |bytes| compat::reading::read("one-shot-config", bytes)),
    ("nri-compat/policy", |bytes| structured(bytes, compat::policy::run)),
    ("nri-compat/proto", |bytes| structured(bytes, compat::proto::run)),
    ("nri-compat/registry", compat::registry::run),
    ("nri-compat/release_name", |bytes| structured(bytes, compat::release_name::run)),
    ("nri-compat/runtime_config", |bytes| structured(bytes, compat::runtime_config::run)),
    ("nri-compat/rust_binary", compat::rust_binary::run),
    ("nri-compat/spec", |bytes| structured(bytes, compat::spec::run)),
    ("nri-compat/tables", |bytes| structured(bytes, compat::tables::run)),
    ("nri-compat/wasm", |bytes| compat::pieces::read("wasm", bytes)),
    ("nri-conformance/probe", conformance::probe::run),
    ("nri-conformance/recording", conformance::recording::run),
    ("nri-conformance/transcript", |bytes| structured(bytes, conformance::transcript::run)),
];

/// Runs a target that takes structured input. Bytes that are too short for it are no input.
fn structured<'b, T: Arbitrary<'b>>(bytes: &'b [u8], run: fn(T)) {
    if let Ok(input) = T::arbitrary_take_rest(Unstructured::new(bytes)) {
        run(input);
    }
}
