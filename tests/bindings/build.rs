//! Three revisions, each requested in another way, two of them under two names; and a protocol
//! whose messages contain those of `nri`.

use std::env::var_os;
use std::path::PathBuf;

fn main() -> Result<(), nri_codegen::Error> {
    revisions()?;
    fleet()
}

fn revisions() -> Result<(), nri_codegen::Error> {
    nri_codegen::Builder::new()
        .version("0.9")?
        .version("containerd@2.2.1")?
        .version("v0.11")?
        .version("latest")?
        .derive("Mount", "PartialOrd")
        .generate()
}

fn fleet() -> Result<(), nri_codegen::Error> {
    let out = PathBuf::from(var_os("OUT_DIR").expect("cargo sets it"));
    nri_codegen::Builder::new()
        .proto("protos/fleet.proto")
        .include("../../protos/api/v0.12.4")
        .extern_path(".nri.pkg.api.v1alpha1", "::nri::api")
        // In a folder of its own: each builder removes the files of versions that it does not know.
        .out_dir(out.join("fleet"))
        .generate()
}
