//! Go programs of every kind that `check` has to distinguish, built in different ways, with the
//! expectations for each: the table `specimens.toml`, their sources `peers/specimens`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use serde::Deserialize;

use crate::peers::{GoBuild, modfile, nri_build, run, target_folder};

const NRI: &str = "github.com/containerd/nri";

/// The table.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Table {
    /// The builds by name.
    pub build: BTreeMap<String, Build>,
    /// The expectations of each program.
    pub specimen: Vec<Specimen>,
}

/// A way to build a program.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Build {
    /// The NRI release that is linked.
    pub nri: String,
    /// The release that `go.mod` requires instead, and replaces with `nri` or its folder.
    pub required: Option<String>,
    /// True if the replacement is a folder.
    #[serde(default)]
    pub folder: bool,
    /// The Go release of the module, if it is an older one; the environment names its toolchain.
    pub go: Option<String>,
    /// Options of `go build`, or of `go test -c`.
    #[serde(default)]
    pub options: Vec<String>,
    /// Variables of the environment, such as `GOARCH`.
    #[serde(default)]
    pub environment: BTreeMap<String, String>,
}

/// The expectations of a program.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Specimen {
    /// Names of the builds.
    pub builds: Vec<String>,
    /// The name of the program, with the suffix `.test` for its test binary.
    pub program: String,
    /// Its role.
    pub role: String,
    /// The way in which it receives events.
    pub interface: String,
    /// The events, by RPC name.
    #[serde(default)]
    pub events: Vec<String>,
    /// The source from which the events are known.
    #[serde(default)]
    pub certainty: String,
    /// The version that the report shows.
    pub version: Option<String>,
    /// The range that follows from its code.
    pub at_least: Option<String>,
    /// The end of the range.
    pub below: Option<String>,
    /// A text that some evidence must contain.
    #[serde(default)]
    pub says: Vec<String>,
}

/// Reads the table.
///
/// # Panics
///
/// Panics if it does not have the form of [`Table`].
#[must_use]
pub fn table() -> Table {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("specimens.toml");
    let text = fs::read_to_string(path).expect("the table is readable");
    toml::from_str(&text).unwrap_or_else(|e| panic!("specimens.toml: {e}"))
}

impl Table {
    /// Builds the expected programs of a build, and returns their folder.
    ///
    /// # Panics
    ///
    /// Panics if Go is missing or the build fails.
    #[must_use]
    pub fn build(&self, name: &str) -> PathBuf {
        let build =
            self.build.get(name).unwrap_or_else(|| panic!("specimens.toml has no build {name}"));
        let wanted = self.specimen.iter().filter(|s| s.builds.iter().any(|b| b == name));
        let programs: Vec<&str> = wanted.map(|specimen| specimen.program.as_str()).collect();
        build.programs(name, &programs)
    }
}

impl Build {
    fn programs(&self, name: &str, programs: &[&str]) -> PathBuf {
        let environment = self.environment.iter().map(|(k, v)| (k.clone(), v.clone()));
        let go = GoBuild {
            name: format!("specimens-{name}"),
            module: "peers".into(),
            modfile: self.modfile(),
            options: self.options.clone(),
            environment: environment.collect(),
            packages: programs.iter().map(|program| format!("./specimens/{program}")).collect(),
        };
        match programs {
            [test] if test.ends_with(".test") => go.test(),
            _ => go.build(),
        }
    }

    /// Returns the module file: that of the release, or one derived from it.
    fn modfile(&self) -> String {
        if self.required.is_none() && self.go.is_none() {
            return nri_build(&self.nri).modfile;
        }
        let peers = Path::new(env!("CARGO_MANIFEST_DIR")).join("peers");
        let original = peers.join(modfile("peers", NRI, &self.nri));
        let made = self.made_file();
        fs::create_dir_all(made.parent().expect("it has a folder"))
            .expect("target folder is writable");
        fs::write(&made, self.changed(&peers, &original)).expect("target folder is writable");
        fs::copy(original.with_extension("sum"), made.with_extension("sum"))
            .expect("sums are readable");
        made.to_str().expect("the target folder's path is text").to_owned()
    }

    fn made_file(&self) -> PathBuf {
        let go = self.go.as_deref().unwrap_or("go");
        target_folder().join("peers/modules").join(format!("{}-{}-{go}.mod", self.nri, self.folder))
    }

    /// Returns the text of a module file that requires another release and replaces it, or is for
    /// an older Go.
    fn changed(&self, peers: &Path, original: &Path) -> String {
        let mut text = fs::read_to_string(original).expect("module file is readable");
        if let Some(go) = &self.go {
            let lines = text.lines().map(|line| {
                if line.starts_with("go ") { format!("go {go}\n") } else { format!("{line}\n") }
            });
            text = lines.collect();
        }
        let Some(required) = &self.required else {
            return text;
        };
        let by = if self.folder {
            module_folder(peers, original)
        } else {
            format!("{NRI} {}", self.nri)
        };
        let changed = text.replace(&format!("{NRI} {}", self.nri), &format!("{NRI} {required}"));
        format!("{changed}\nreplace {NRI} => {by}\n")
    }
}

/// Returns the folder in which Go stores the sources of NRI.
fn module_folder(peers: &Path, modfile: &Path) -> String {
    let mut go = Command::new("go");
    go.current_dir(peers).arg("list").arg("-modfile").arg(modfile);
    run(go.args(["-m", "-f", "{{.Dir}}", NRI])).trim().to_owned()
}
