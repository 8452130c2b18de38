//! Every option once: a fork that shares a status, messages with serde, and every revision.

use std::path::PathBuf;

use nri_codegen::{Builder, Error};

fn main() -> Result<(), Error> {
    let out = PathBuf::from(std::env::var_os("OUT_DIR").expect("cargo sets it"));
    Builder::new()
        .version("latest")?
        .proto("protos/fork.proto")
        .prost_path("::prost")
        .extern_status("crate::status")
        .type_attribute(".nri.pkg.api.v1alpha1.Mount", "#[non_exhaustive]")
        .field_attribute("Mount.destination", "#[doc(alias = \"target\")]")
        .generate()?;
    Builder::new()
        .version("0.11")?
        .messages_only()
        .derive_serde(true)
        .out_dir(out.join("serde"))
        .generate()?;
    Builder::new().version("0.12.0")?.server(false).out_dir(out.join("client")).generate()?;
    every(Builder::new())?.out_dir(out.join("every")).generate()
}

fn every(mut builder: Builder) -> Result<Builder, Error> {
    for release in nri_schema::History::embedded()?.releases() {
        builder = builder.version(&release.name)?;
    }
    Ok(builder)
}
