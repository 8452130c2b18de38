//! Looks up releases by name; an unknown name lists similar ones.

use semver::Version;

use super::{
    Distribution, DistributionRelease, History, Release, Revision, Runtime, RuntimeAt,
    RuntimeRelease,
};
use crate::error::{Error, ErrorKind, Problem};
use crate::near;
use crate::schema::names;
use crate::version::without_v;

/// Distributions that are not in the tables.
const REPORTING: [&str; 1] = ["k3s"];

/// Every node reports its runtime, whatever the distribution.
const REPORTING_HELP: &str = "`kubectl get nodes -o wide` shows the runtime of each node, such as \
    containerd://2.1.5-k3s1, which is a name for a target";

impl History {
    /// Returns the NRI release named by `spec`: as in [`History::release`], or a runtime that links
    /// it, such as `containerd@2.2.1`.
    ///
    /// # Errors
    ///
    /// Returns an error if `spec` is unknown, or names a release without a protocol.
    pub fn version(&self, spec: &str) -> Result<&Release, Error> {
        if !spec.contains('@') {
            return self.release(spec);
        }
        let linked = self.runtime(spec)?;
        self.linked(linked)
    }

    /// Returns the NRI release that a runtime links.
    ///
    /// # Errors
    ///
    /// Returns an error if it links a release before the protocol.
    pub fn linked(&self, at: RuntimeAt<'_>) -> Result<&Release, Error> {
        let nri = &at.release.nri;
        if let Some(release) = self.releases().iter().find(|release| release.name == *nri) {
            return Ok(release);
        }
        let who = format!("{} {}", at.runtime.id, at.release.name);
        Err(no_protocol(&format!("{who} links NRI {nri}, which has no protocol"), self).into())
    }

    /// Returns the release `0.12.5` or `v0.12.5`, the newest patch of `0.12`, or `latest`. An
    /// untagged release needs its full name.
    ///
    /// # Errors
    ///
    /// Returns an error if there is no such release; it lists similar ones. Also returns an error
    /// if it is from before the protocol.
    pub fn release(&self, spec: &str) -> Result<&Release, Error> {
        if self.one_shot().iter().any(|old| without_v(&old.name) == without_v(spec)) {
            let fact = format!("NRI v{} has no protocol", without_v(spec));
            return Err(no_protocol(&fact, self).into());
        }
        let mut tagged = self.releases().iter().filter(|release| !release.untagged);
        let found = if spec == "latest" {
            tagged.next_back()
        } else if let Some((major, minor)) = minor(spec) {
            tagged.rfind(|r| (r.version.major, r.version.minor) == (major, minor))
        } else {
            self.releases().iter().find(|release| without_v(&release.name) == without_v(spec))
        };
        found.ok_or_else(|| self.unknown_release(spec).into())
    }

    /// Returns the release of a runtime: `containerd@2.2.1`, the newest patch of `cri-o@1.33`, or
    /// `containerd@latest`; or the one that a distribution ships: `rke2@v1.34.5+rke2r1`,
    /// `k0s@1.36`.
    ///
    /// # Errors
    ///
    /// Returns an error if the runtime or release is unknown; it lists similar ones.
    pub fn runtime(&self, spec: &str) -> Result<RuntimeAt<'_>, Error> {
        let (id, version) = spec.split_once('@').unwrap_or((spec, "latest"));
        if let Some(distribution) = self.distribution(id) {
            return self.shipped(distribution, version);
        }
        let runtime = self
            .runtimes()
            .iter()
            .find(|runtime| runtime.id == id)
            .ok_or_else(|| self.unknown_runtime(id))?;
        let release = runtime_release(runtime, version)
            .ok_or_else(|| unknown_runtime_release(runtime, version))?;
        Ok(RuntimeAt { runtime, release })
    }

    /// Returns the distribution with this id.
    pub fn distribution(&self, id: &str) -> Option<&Distribution> {
        self.distributions().iter().find(|distribution| distribution.id == id)
    }

    /// Returns the runtime that a release of a distribution ships.
    fn shipped(&self, distribution: &Distribution, version: &str) -> Result<RuntimeAt<'_>, Error> {
        let release = distribution_release(distribution, version)
            .ok_or_else(|| unknown_distribution_release(distribution, version))?;
        self.runtime(&format!("{}@{}", distribution.runtime, release.runtime))
    }

    /// Returns the revisions that declare the element of this full name, oldest first.
    ///
    /// # Errors
    ///
    /// Returns an error if a proto does not compile.
    pub fn declaring(&self, full_name: &str) -> Result<Vec<&Revision>, Error> {
        let mut found = Vec::new();
        for revision in self.revisions() {
            if names::declares(&revision.descriptors()?, full_name) {
                found.push(revision);
            }
        }
        Ok(found)
    }

    /// Returns the first revision with the event of this RPC, such as `RunPodSandbox`; `None` if no
    /// revision has it. One whose proto does not compile has none.
    pub fn first_with_event(&self, rpc_name: &str) -> Option<&Revision> {
        self.revisions().iter().find(|revision| {
            let nri = revision.protocol().ok().and_then(|protocol| protocol.nri.as_ref());
            nri.is_some_and(|nri| nri.events.iter().any(|event| event.rpc_name == rpc_name))
        })
    }

    fn unknown_runtime(&self, id: &str) -> Problem {
        let distributions = self.distributions().iter().map(|one| one.id.as_str());
        let runtimes = self.runtimes().iter().map(|runtime| runtime.id.as_str());
        let ids: Vec<&str> = runtimes.chain(distributions).collect();
        if REPORTING.contains(&id) {
            return Problem::new(ErrorKind::Version, format!("the tables do not have {id}"))
                .with_help(REPORTING_HELP);
        }
        let all = format!("known runtimes: {}; {REPORTING_HELP}", ids.join(", "));
        Problem::new(ErrorKind::Version, format!("unknown runtime `{id}`"))
            .with_help(near::help(&near::names(id, ids), &all))
    }

    fn unknown_release(&self, spec: &str) -> Problem {
        let mut releases = self.releases().iter();
        let names_several = releases.any(|r| r.version.major.to_string() == without_v(spec));
        let fact = if names_several {
            format!("`{spec}` does not name a single NRI release")
        } else {
            format!("unknown NRI release `{spec}`")
        };
        let names = self.releases().iter().map(|release| release.name.as_str());
        let mut near = near::names(spec, ["latest"]);
        near.extend(near::versions(spec, names));
        Problem::new(ErrorKind::Version, fact).with_help(near::help(
            &near,
            "name a release (v0.12.5), a minor for its newest patch (0.12), `latest`, or a runtime (containerd@2.2.1)",
        ))
    }
}

fn runtime_release<'r>(runtime: &'r Runtime, version: &str) -> Option<&'r RuntimeRelease> {
    let mut releases = runtime.releases.iter();
    if version == "latest" {
        return releases.next_back();
    }
    match minor(version) {
        Some(minor) => releases.rfind(|r| (r.version.major, r.version.minor) == minor),
        None => releases.find(|release| without_v(&release.name) == without_v(version)),
    }
}

/// Returns the release with this tag, the newest build of `1.34.5`, or the newest patch of `1.34`.
fn distribution_release<'d>(
    distribution: &'d Distribution,
    version: &str,
) -> Option<&'d DistributionRelease> {
    let mut releases = distribution.releases.iter();
    if version == "latest" {
        return releases.next_back();
    }
    if let Some(minor) = minor(version) {
        return releases.rfind(|r| (r.version.major, r.version.minor) == minor);
    }
    let without_build =
        |name: &str| name.split_once('+').map(|(numbers, _)| without_v(numbers).to_owned());
    releases.rfind(|release| {
        let number = without_build(&release.name);
        without_v(&release.name) == without_v(version)
            || number.as_deref() == Some(without_v(version))
    })
}

fn unknown_distribution_release(distribution: &Distribution, version: &str) -> Problem {
    let names = distribution.releases.iter().map(|release| release.name.as_str());
    unknown_release_of(&distribution.id, version, names)
}

fn unknown_runtime_release(runtime: &Runtime, version: &str) -> Problem {
    let names = runtime.releases.iter().map(|release| release.name.as_str());
    unknown_release_of(&runtime.id, version, names)
}

fn unknown_release_of<'n>(
    id: &str,
    version: &str,
    names: impl Iterator<Item = &'n str>,
) -> Problem {
    let specs: Vec<String> = near::versions(version, names)
        .iter()
        .map(|name| format!("{id}@{}", without_v(name)))
        .collect();
    let near: Vec<&str> = specs.iter().map(String::as_str).collect();
    let fact = format!("unknown release `{version}` of {id}");
    let otherwise = format!("name one as {id}@1.2.3, or {id}@1.2 for the newest patch");
    Problem::new(ErrorKind::Version, fact).with_help(near::help(&near, &otherwise))
}

fn no_protocol(fact: &str, history: &History) -> Problem {
    let oldest = history.releases().first().map_or("v0.2.0", |release| release.name.as_str());
    Problem::new(ErrorKind::Version, fact).with_help(format!(
        "its plugins are executables that read and write JSON once; the first NRI release with a protocol is {oldest}"
    ))
}

/// Parses major and minor of `0.11`; `None` if there are more or fewer parts.
fn minor(spec: &str) -> Option<(u64, u64)> {
    // Semver has no partial versions, but its rules for numbers (no leading zeros, no signs) apply.
    let version = Version::parse(&format!("{}.0", without_v(spec))).ok()?;
    let plain = version.pre.is_empty() && version.build.is_empty();
    plain.then_some((version.major, version.minor))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shipped(spec: &str) -> String {
        let history = History::embedded().expect("the tables fit together");
        match history.runtime(spec) {
            Ok(at) => format!("{} {}", at.runtime.id, at.release.name),
            Err(error) => format!("{error}: {}", error.help().expect("a remedy")),
        }
    }

    #[test]
    fn a_release_of_a_distribution_is_the_runtime_that_it_ships() {
        for (spec, runtime) in [
            ("rke2@v1.34.5+rke2r1", "containerd v2.1.5"),
            ("rke2@v1.34.5", "containerd v2.1.5"),
            ("rke2@1.25.15", "containerd v1.7.7"),
            ("k0s@1.36", "containerd v2.3.3"),
            ("k0s@v1.36.3+k0s.1", "containerd v2.3.3"),
            ("talos@1.13", "containerd v2.2.7"),
            ("talos@v1.13.4", "containerd v2.2.4"),
        ] {
            assert_eq!(shipped(spec), runtime, "{spec}");
        }
    }

    #[test]
    fn what_distributions_do_not_have_lists_what_is_near() {
        let unknown = shipped("k0s@1.63");
        assert!(unknown.starts_with("unknown release `1.63` of k0s: "), "{unknown}");
        assert!(shipped("rke2@v1.34.5+rke2r9").contains("rke2@1.34.5+rke2r1"));
        assert!(shipped("tallos@1.13").contains("talos"));
        assert!(shipped("k3s@v1.34.5+k3s1").contains("kubectl get nodes -o wide"));
    }

    #[cfg(feature = "tables")]
    #[test]
    fn older_folders_of_tables_have_no_distributions() {
        let mut tables = crate::history::Tables::embedded();
        tables.distributions = "".into();
        let history = History::from_tables(tables).expect("the others fit together");
        history.check().expect("nothing is missing");
        assert!(history.runtime("k0s@1.36").is_err());
    }
}
