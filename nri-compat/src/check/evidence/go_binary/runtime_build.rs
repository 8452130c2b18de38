//! The release of a runtime, from the build information of its program.

use super::build_info::{self, BuildInfo, Module};
use crate::check::content::File;
use crate::check::evidence::binary::Image;
use crate::check::evidence::nri_module;

/// The variable that the makefile of containerd sets to its release.
const RELEASE_VARIABLE: &str = "/version.Version=";

/// The releases in the program of a runtime.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::check) struct RuntimeBuild {
    /// The release of the runtime: `v2.2.1`.
    pub(in crate::check) release: Option<String>,
    /// The release of NRI that it links: `v0.11.0`.
    pub(in crate::check) nri: Option<String>,
}

impl RuntimeBuild {
    /// Reads a program that was built from one of these modules; `None` for any other.
    pub(in crate::check) fn read(file: &File<'_>, modules: &[String]) -> Option<Self> {
        if !file.head.starts_with(crate::magic::ELF) {
            return None;
        }
        let info = build_info::read(&Image::read(file)).ok()??;
        Self::of(&info, modules)
    }

    fn of(info: &BuildInfo, modules: &[String]) -> Option<Self> {
        let module = modules.iter().find_map(|path| info.module(path))?;
        let release = named(linked(&module)).or_else(|| set_by_linker(&info.modules));
        let nri = info.module(nri_module::MODULE).and_then(|nri| named(linked(&nri)));
        Some(Self { release, nri })
    }
}

/// Returns the version of a module that is in the program: that of its replacement, if it has one.
fn linked<'m>(module: &Module<'m>) -> &'m str {
    module.replaced.map_or(module.version, |(_, version)| version)
}

/// Returns a version if it names a release or a commit after one.
fn named(version: &str) -> Option<String> {
    nri_module::parse(version).map(|_| version.to_owned())
}

/// Returns the release that the linker was told to set.
fn set_by_linker(settings: &str) -> Option<String> {
    let mut lines = settings.lines().filter(|line| line.starts_with("build\t-ldflags="));
    let (_, after) = lines.find_map(|line| line.split_once(RELEASE_VARIABLE))?;
    let is_end = |c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '\\');
    let version = after.split(is_end).next()?;
    let tagged = if version.starts_with('v') { version.to_owned() } else { format!("v{version}") };
    named(&tagged)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn build(modules: &str) -> Option<(Option<String>, Option<String>)> {
        let info = BuildInfo { go: "go1.26".to_owned(), modules: modules.to_owned() };
        let known = ["example.org/containerd", "example.org/containerd/v2"].map(str::to_owned);
        RuntimeBuild::of(&info, &known).map(|build| (build.release, build.nri))
    }

    #[test]
    fn releases_are_those_of_modules_or_set_by_the_linker() {
        let some = |text: &str| Some(text.to_owned());
        let nri = "dep\tgithub.com/containerd/nri\tv0.11.0\th1:=\n";
        for (main, expected) in [
            ("mod\texample.org/containerd/v2\tv2.2.9\th1:=\n", (some("v2.2.9"), some("v0.11.0"))),
            ("mod\texample.org/containerd\t(devel)\t\n", (None, some("v0.11.0"))),
            (
                "mod\texample.org/k3s\tv1.34.5\t\ndep\texample.org/containerd/v2\tv2.1.5\n=>\texample.org/fork\tv2.1.5-k3s1\th1:=\n",
                (some("v2.1.5-k3s1"), some("v0.11.0")),
            ),
            (
                "mod\texample.org/containerd\t(devel)\t\nbuild\t-ldflags=\"-X example.org/containerd/version.Version=v1.7.27 -X a.b=c\"\n",
                (some("v1.7.27"), some("v0.11.0")),
            ),
            (
                "mod\texample.org/containerd\t(devel)\t\nbuild\t-ldflags=\"-X example.org/containerd/version.Version=1.7.24~ds1\"\n",
                (None, some("v0.11.0")),
            ),
        ] {
            assert_eq!(build(&format!("{main}{nri}")), Some(expected), "{main}");
        }
        assert_eq!(build("mod\texample.org/other\tv1.0.0\n"), None);
    }
}
