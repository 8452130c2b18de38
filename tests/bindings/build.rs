//! Three revisions, each requested in another way, two of them under two names.

fn main() -> Result<(), nri_codegen::Error> {
    nri_codegen::Builder::new()
        .version("0.9")?
        .version("containerd@2.2.1")?
        .version("v0.11")?
        .version("latest")?
        .derive("Mount", "PartialOrd")
        .generate()
}
