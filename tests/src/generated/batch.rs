//! Bindings of many protos as the modules of one crate, which cargo checks at once.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use nri_codegen::{Builder, Error};

/// The files of a proto by name. Bindings are generated for the first.
pub type Files = [(String, String)];

/// The generated source of a proto.
pub type Bindings = Result<String, Error>;

/// Generates bindings for `files` like a build script; `options` sets its options.
pub fn bindings(files: &Files, options: impl FnOnce(Builder) -> Builder) -> Bindings {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (protos, out) = (folder.path().join("protos"), folder.path().join("out"));
    for (name, text) in files {
        let path = protos.join(name);
        let parent = path.parent().expect("it is in a folder");
        fs::create_dir_all(parent).expect("the folder can be made");
        fs::write(path, text).expect("the proto can be written");
    }
    let first = &files.first().expect("there is a file").0;
    let builder = Builder::new().proto(protos.join(first)).out_dir(&out);
    options(builder).generate()?;
    let stem = Path::new(first).file_stem().expect("it has a name");
    let file = out.join(format!("nri_{}.rs", stem.to_string_lossy()));
    Ok(fs::read_to_string(file).expect("it was generated"))
}

/// The attribute of a crate that uses prost without its feature `std`.
pub const NO_STD: &str = "#![no_std]";

/// A crate whose modules are bindings.
#[derive(Default)]
pub struct Batch {
    modules: Vec<(String, String)>,
}

impl Batch {
    /// Adds a module. `about` is shown if it does not compile.
    pub fn add(&mut self, about: impl Into<String>, source: String) {
        self.modules.push((about.into(), source));
    }

    /// Checks all modules in one crate of this edition; `crate_attributes` are put at its top.
    ///
    /// # Panics
    ///
    /// Panics if a module does not compile or has a warning, with rustc's first errors and their
    /// protos.
    pub fn check(&self, edition: &str, crate_attributes: &str) {
        let features = match crate_attributes {
            NO_STD => "\"derive\"",
            _ => "\"derive\", \"std\"",
        };
        let folder = tempfile::tempdir().expect("a temporary folder");
        self.write(folder.path(), edition, features, crate_attributes);
        let output = Command::new(env!("CARGO"))
            .args(["check", "--quiet", "--offline", "--color=never"])
            .current_dir(folder.path())
            .env("CARGO_TARGET_DIR", target())
            .env("RUSTFLAGS", "-D warnings")
            .output()
            .expect("cargo runs");
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{}", self.explained(&errors));
    }

    fn write(&self, folder: &Path, edition: &str, features: &str, crate_attributes: &str) {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        fs::create_dir(folder.join("src")).expect("the folder can be made");
        fs::copy(root.join("Cargo.lock"), folder.join("Cargo.lock")).expect("the lock file");
        let manifest = format!(
            "[package]\nname = \"generated\"\nversion = \"0.0.0\"\nedition = \"{edition}\"\n\
             [dependencies]\nprost = {{ version = \"0.14\", default-features = false, features = [{features}] }}\n\
             serde = {{ version = \"1\", features = [\"derive\"] }}\n[workspace]\n"
        );
        fs::write(folder.join("Cargo.toml"), manifest).expect("the manifest");
        let mut lib = format!("{crate_attributes}\n");
        for (index, (_, source)) in self.modules.iter().enumerate() {
            lib += &format!("pub mod m{index};\n");
            let path = folder.join(format!("src/m{index}.rs"));
            fs::write(path, source).expect("the module");
        }
        fs::write(folder.join("src/lib.rs"), lib).expect("the crate");
    }

    fn explained(&self, errors: &str) -> String {
        let mut text = String::new();
        for (index, (about, _)) in self.modules.iter().enumerate() {
            let file = format!("src/m{index}.rs");
            if errors.contains(&format!("{file}:")) {
                text += &format!("{file} is\n{about}\n");
            }
        }
        let shown: Vec<&str> = errors.lines().take(150).collect();
        format!("{text}\n{}", shown.join("\n"))
    }
}

/// Returns the folder in which prost is built once for all batches.
fn target() -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let target = std::env::var_os("CARGO_TARGET_DIR").map(PathBuf::from);
    target.unwrap_or(root.join("target")).join("generated")
}
