//! Plugins built as WebAssembly modules.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::peers::{GoBuild, folder, modfile, run};

const TARGET: &str = "wasm32-unknown-unknown";

/// Returns the module of the binary or library `file` of a package, built unless it is up to date.
///
/// # Panics
///
/// Panics if there is no toolchain for WebAssembly, or the build fails.
#[must_use]
pub fn module(package: &str, file: &str) -> PathBuf {
    let target = folder("wasm");
    let mut cargo = if has_target() { Command::new(env!("CARGO")) } else { debian_cargo() };
    cargo
        .args(["build", "--quiet", "--locked", "--release", "-p", package])
        .args(["--target", TARGET])
        .args(if has_target() { &[][..] } else { BUILD_STD })
        .env("CARGO_TARGET_DIR", &target)
        .current_dir(env!("CARGO_MANIFEST_DIR"));
    run(&mut cargo);
    let module = target.join(TARGET).join(format!("release/{file}.wasm"));
    module.canonicalize().expect("cargo made it")
}

/// Also builds the standard library, because Debian has no WebAssembly build of it for plain
/// modules.
const BUILD_STD: &[&str] = &["-Zbuild-std=std,panic_abort", "-Zbuild-std-features="];

/// Returns true if `rustup target add wasm32-unknown-unknown` was run.
fn has_target() -> bool {
    let mut rustc = Command::new("rustc");
    rustc.args(["--print", "target-libdir", "--target", TARGET]);
    Path::new(run(&mut rustc).trim()).is_dir()
}

/// Returns the cargo of Debian's packages `rustc-web`, `cargo-web`, `rust-web-src` and `lld`.
fn debian_cargo() -> Command {
    let mut cargo = Command::new("/usr/bin/cargo");
    cargo
        .env("RUSTC", "/usr/bin/rustc")
        .env("RUSTC_BOOTSTRAP", "1")
        .env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER", "wasm-ld")
        .env_remove("RUSTUP_TOOLCHAIN");
    cargo
}

/// Returns the module of a plugin that logs every event, on the Go API of an NRI release.
///
/// # Panics
///
/// Panics like [`GoBuild::build`].
#[must_use]
pub fn go_module(nri: &str) -> PathBuf {
    let tags = match nri {
        "v0.11.0" => "nri_before_v0_12",
        _ => "",
    };
    let variables = [("GOOS", "wasip1"), ("GOARCH", "wasm")];
    let options = ["-buildmode=c-shared", "-ldflags=-s -w", "-tags", tags];
    let build = GoBuild {
        name: format!("wasm-{nri}"),
        module: "wasm/go".into(),
        modfile: modfile("wasm/go", "github.com/containerd/nri", nri),
        options: options.map(Into::into).into(),
        environment: variables.map(|(name, value)| (name.into(), value.into())).into(),
        packages: vec![".".into()],
    };
    build.build().join("wasm")
}
