//! The static programs.

use std::path::PathBuf;

use super::{PROCESSORS, Processor, Programs, ReleaseBuild};
use crate::error::TaskError;
use crate::metadata::{BRIDGE, COMMAND};
use crate::tool::Tool;

/// The profile in `Cargo.toml`.
const PROFILE: &str = "dist";

/// The linker script without tables for unwinding, from the root of the workspace.
const LINKER_SCRIPT: &str = "xtask/src/release/without-unwinding.ld";

/// The way to install the tools.
const HELP: &str = "`source .ci/setup.sh; install_release` installs the tools of a release";

impl ReleaseBuild<'_> {
    /// Builds the programs for all processors, or for one.
    pub(super) fn build(&self, only: Option<&str>) -> Result<Vec<Programs>, TaskError> {
        let wanted = |processor: &&Processor| only.is_none_or(|name| processor.name == name);
        let built = PROCESSORS
            .iter()
            .filter(wanted)
            .map(|&processor| self.programs(processor))
            .collect::<Result<Vec<_>, _>>()?;
        match only {
            Some(name) if built.is_empty() => Err(TaskError::Processor(name.to_owned())),
            Some(_) | None => Ok(built),
        }
    }

    /// Builds one program after the other: together, each would get the features of the other's
    /// dependencies.
    fn programs(&self, processor: Processor) -> Result<Programs, TaskError> {
        let command = self.binary(processor, COMMAND)?;
        let bridge = self.binary(processor, BRIDGE)?;
        Ok(Programs { processor, command, bridge })
    }

    /// Builds the program of a crate with the list of its crates in it, which `cargo audit bin`
    /// reads, and returns its path.
    fn binary(&self, processor: Processor, package: &str) -> Result<PathBuf, TaskError> {
        let target = processor.target();
        let folder = self.target_folder();
        let arguments = [
            "auditable",
            "zigbuild",
            "--locked",
            "--profile",
            PROFILE,
            "--package",
            package,
            "--all-features",
            "--target",
            &target,
        ];
        Tool::new("cargo", HELP)
            .with(|cargo| {
                cargo
                    .args(arguments)
                    .current_dir(self.root)
                    .env("CARGO_TARGET_DIR", &folder)
                    .env("CARGO_ENCODED_RUSTFLAGS", self.rust_flags().join("\u{1f}"))
                    .env("CFLAGS", self.c_flags())
                    .env("RUSTUP_TOOLCHAIN", &self.metadata.toolchain)
                    .env("SOURCE_DATE_EPOCH", self.metadata.time.to_string());
            })
            .run()?;
        Ok(folder.join(target).join(PROFILE).join(package))
    }

    /// Returns the folder of builds. It is not the one of other builds, whose compiler options
    /// differ.
    fn target_folder(&self) -> PathBuf {
        match std::env::var_os("CARGO_TARGET_DIR") {
            Some(folder) => PathBuf::from(folder).join("release-build"),
            None => self.root.join("target/release-build"),
        }
    }

    /// Returns options that remove the paths of this machine from what rustc writes, and the tables
    /// for unwinding, which a program that aborts does not need. The path of the linker script is
    /// relative: cargo names crates by their options.
    fn rust_flags(&self) -> Vec<String> {
        let prefixes = self.prefixes();
        let remapped = prefixes.map(|(from, to)| format!("--remap-path-prefix={from}={to}"));
        let without_tables =
            ["-Cforce-unwind-tables=no".to_owned(), format!("-Clink-arg=-Wl,-T,{LINKER_SCRIPT}")];
        remapped.chain(without_tables).collect()
    }

    /// Returns options that do the same for C compilers.
    fn c_flags(&self) -> String {
        let prefixes = self.prefixes();
        let options = prefixes.map(|(from, to)| format!("-ffile-prefix-map={from}={to}"));
        options.collect::<Vec<_>>().join(" ")
    }

    fn prefixes(&self) -> impl Iterator<Item = (String, &'static str)> {
        let home = std::env::var_os("HOME").map_or_else(PathBuf::new, PathBuf::from);
        let cargo =
            std::env::var_os("CARGO_HOME").map_or_else(|| home.join(".cargo"), PathBuf::from);
        let folders =
            [(cargo, "/cargo"), (self.target_folder(), "/target"), (self.root.to_owned(), "/src")];
        folders.into_iter().map(|(folder, name)| (folder.display().to_string(), name))
    }
}
