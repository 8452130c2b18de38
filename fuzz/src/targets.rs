//! The table of fuzz targets.

use arbitrary::{Arbitrary, Unstructured};

use crate::compat::pieces::read as in_pieces;
use crate::compat::reading::read;
use crate::{compat, conformance, library};

/// A target.
pub(crate) struct Target {
    /// Its name, which is also the folder of its seeds.
    pub(crate) name: &'static str,
    /// The bytes of memory that it may take for each byte of an input.
    factor: usize,
    /// The kilobytes of memory that it may take for any input.
    base: usize,
    /// Runs it once on the bytes of the fuzzer.
    pub(crate) run: fn(&[u8]),
}

impl Target {
    /// Returns the bytes of memory that it may take for an input.
    pub(crate) fn most_memory(&self, input: usize) -> usize {
        (self.base << 10) + self.factor * input
    }
}

const fn target(name: &'static str, factor: usize, base: usize, run: fn(&[u8])) -> Target {
    Target { name, factor, base, run }
}

/// All targets. Aliases of a manifest may repeat much, those of archives read what was compressed,
/// those of plugins and of recordings hold connections, and modules have a memory of their own.
pub(crate) const TARGETS: &[Target] = &[
    target("nri-adaptation/adaptation", 400, 4096, library::adaptation::run),
    target("nri-adaptation/module", 400, 65536, library::module::run),
    target("nri-adaptation/oci", 400, 1024, library::oci::run),
    target("nri-adaptation/scenario", 400, 1024, |bytes| structured(bytes, library::scenario::run)),
    target("nri-compat/archive", 4000, 16384, compat::archive::run),
    target("nri-compat/bill", 100, 256, |bytes| read("bill-of-materials", bytes)),
    target("nri-compat/cargo_lock", 400, 256, |bytes| read("cargo-lock", bytes)),
    target("nri-compat/cluster", 400, 256, compat::cluster::run),
    target("nri-compat/declared", 400, 256, |bytes| read("cargo-toml", bytes)),
    target("nri-compat/descriptor_set", 1000, 1024, |bytes| {
        structured(bytes, compat::descriptor_set::run)
    }),
    target("nri-compat/go_binary", 400, 4096, |bytes| in_pieces("program", bytes)),
    target("nri-compat/go_mod", 400, 256, |bytes| read("go-mod", bytes)),
    target("nri-compat/go_package", 1000, 4096, compat::go_package::run),
    target("nri-compat/go_source", 400, 4096, |bytes| read("go-source", bytes)),
    target("nri-compat/go_vendor", 100, 256, |bytes| read("go-vendor", bytes)),
    target("nri-compat/log", 1000, 20480, |bytes| structured(bytes, compat::log::run)),
    target("nri-compat/log_time", 400, 256, |bytes| structured(bytes, compat::log_time::run)),
    target("nri-compat/manifest", 1000, 131_072, compat::manifest::run),
    target("nri-compat/merge", 1000, 4096, |bytes| structured(bytes, compat::merge::run)),
    target("nri-compat/one_shot", 400, 256, |bytes| read("one-shot-config", bytes)),
    target("nri-compat/policy", 1000, 1024, |bytes| structured(bytes, compat::policy::run)),
    target("nri-compat/policy_report", 400, 256, compat::policy_report::run),
    target("nri-compat/proto", 2000, 4096, |bytes| structured(bytes, compat::proto::run)),
    target("nri-compat/registry", 400, 1024, compat::registry::run),
    target("nri-compat/release_name", 400, 1024, |bytes| {
        structured(bytes, compat::release_name::run)
    }),
    target("nri-compat/runtime_config", 2000, 4096, |bytes| {
        structured(bytes, compat::runtime_config::run)
    }),
    target("nri-compat/rust_binary", 400, 4096, compat::rust_binary::run),
    target("nri-compat/spec", 400, 1024, |bytes| structured(bytes, compat::spec::run)),
    target("nri-compat/tables", 1000, 16384, |bytes| structured(bytes, compat::tables::run)),
    target("nri-compat/wasm", 400, 4096, |bytes| in_pieces("wasm", bytes)),
    target("nri-conformance/probe", 400, 8192, conformance::probe::run),
    target("nri-conformance/recording", 1000, 8192, conformance::recording::run),
    target("nri-conformance/transcript", 400, 1024, |bytes| {
        structured(bytes, conformance::transcript::run)
    }),
    target("nri/connection", 400, 1024, library::connection::run),
    target("nri/demux", 400, 1024, |bytes| structured(bytes, library::demux::run)),
    target("nri/message", 1500, 64, |bytes| structured(bytes, library::message::run)),
];

/// Runs a target that takes structured input. Bytes that are too short for it are no input.
fn structured<'b, T: Arbitrary<'b>>(bytes: &'b [u8], run: fn(T)) {
    if let Ok(input) = T::arbitrary_take_rest(Unstructured::new(bytes)) {
        run(input);
    }
}
