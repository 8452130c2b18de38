//! A release that no module proxy has: what it carries is in a file of its sources.

use std::fs;
use std::path::Path;

use nri_codegen::write;
use nri_schema::history::{Distribution, History, Tables};
use nri_schema::version::without_v;
use semver::Version;

use super::{Added, Carried, NRI, RefreshError, Refreshed, go, insert};
use crate::generate;

/// The maximum size of such a file in bytes.
const MAX_FILE: u64 = 4 << 20;

/// The characters between the words before a release and its number.
const BETWEEN: [char; 6] = [' ', '\t', '=', ':', '?', '"'];

/// Adds a release, `cri-o@v1.37.1` or `k0s@v1.36.4+k0s.0`, of a day, to the tables of the
/// repository at `root`: `file` is its `go.mod`, or the file that `distributions.toml` names for
/// the distribution. Uses no network.
///
/// # Errors
///
/// Returns an error if the release or the file is not usable, or the tables cannot be written.
pub fn add(root: &Path, release: &str, date: &str, file: &Path) -> Result<Refreshed, RefreshError> {
    let protos = root.join("protos");
    let mut tables = Tables::read(&protos)?;
    let earlier = History::from_tables(tables.clone())?;
    let added = [read(&earlier, release, date, file).map_err(RefreshError::File)?];
    match &added[0].carried {
        Carried::Nri(_) => tables.runtimes = insert::all(&tables.runtimes, &added)?.into(),
        Carried::Runtime(..) => {
            tables.distributions = insert::all(&tables.distributions, &added)?.into();
        }
    }
    let history = History::from_tables(tables.clone())?;
    history.check()?;
    write::all(&tables.files(&protos))?;
    let written = generate::run(root, &history)?;
    Ok(Refreshed { added: added.into(), left_out: Vec::new(), written })
}

/// Reads what a release carries, and checks that the tables know that but not the release.
fn read(history: &History, release: &str, date: &str, file: &Path) -> Result<Added, String> {
    let (id, number) = named(release)?;
    if !is_new(history, id, number) {
        return Err(format!("the tables have {release}"));
    }
    let carried = match history.distribution(id) {
        Some(distribution) => shipped(history, distribution, file)?,
        None if history.runtime(id).is_ok() => linked(history, file)?,
        None => return Err(format!("no table has a runtime or distribution `{id}`")),
    };
    Ok(Added { id: id.to_owned(), release: number.to_owned(), carried, date: date.to_owned() })
}

/// Splits a release, which must be named by its tag.
fn named(release: &str) -> Result<(&str, &str), String> {
    let parts = release.split_once('@').filter(|(_, number)| {
        number.strip_prefix('v').is_some_and(|number| Version::parse(number).is_ok())
    });
    parts.ok_or_else(|| format!("`{release}` is not a release such as cri-o@v1.37.1"))
}

/// Returns true if no table has a release with exactly this tag.
fn is_new(history: &History, id: &str, tag: &str) -> bool {
    let runtimes = history.runtimes().iter().filter(|runtime| runtime.id == id);
    let of_runtimes = runtimes.flat_map(|runtime| &runtime.releases).map(|release| &release.name);
    let of_distributions = history
        .distribution(id)
        .into_iter()
        .flat_map(|one| &one.releases)
        .map(|release| &release.name);
    !of_runtimes.chain(of_distributions).any(|name| name == tag)
}

/// Returns the NRI that a `go.mod` requires.
fn linked(history: &History, go_mod: &Path) -> Result<Carried, String> {
    // The `go` command runs in another folder.
    let go_mod = go_mod.canonicalize().map_err(|error| format!("{}: {error}", go_mod.display()))?;
    let nri = go::required(&go_mod, NRI)?;
    if history.knows(&nri) {
        Ok(Carried::Nri(nri))
    } else {
        Err(format!("links NRI {nri}, which is not in versions.toml"))
    }
}

/// Returns the runtime that the file of a distribution names.
fn shipped(history: &History, distribution: &Distribution, file: &Path) -> Result<Carried, String> {
    let unreadable = |error| format!("{}: {error}", file.display());
    if fs::metadata(file).map_err(unreadable)?.len() > MAX_FILE {
        return Err(format!("{} is larger than 4 MiB", file.display()));
    }
    let text = fs::read_to_string(file).map_err(unreadable)?;
    let number = number_after(&text, &distribution.before).ok_or_else(|| {
        let (before, usual) = (&distribution.before, &distribution.file);
        format!("{} has no number after `{before}`; it is usually in {usual}", file.display())
    })?;
    let spec = format!("{}@{number}", distribution.runtime);
    let at = history
        .runtime(&spec)
        .map_err(|_| format!("ships {spec}, which is not in runtimes.toml"))?;
    Ok(Carried::Runtime(distribution.runtime.clone(), at.release.name.clone()))
}

/// Returns the version after the first of these words that a version follows.
fn number_after<'t>(text: &'t str, words: &str) -> Option<&'t str> {
    text.match_indices(words).find_map(|(at, _)| {
        let after = text.get(at + words.len()..)?;
        let rest = without_v(after.trim_start_matches(BETWEEN));
        let end = rest.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(rest.len());
        let number = rest.get(..end)?;
        Version::parse(number).is_ok().then_some(number)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_number_is_found_in_the_file_of_each_distribution() {
        for (text, words) in [
            (
                "FROM rancher/hardened-containerd:v2.1.5-k3s1-build20251106 AS containerd",
                "hardened-containerd:",
            ),
            ("containerd_build = x\ncontainerd_version = 2.1.5\n", "containerd_version"),
            (
                "\t// DefaultContainerdVersion is it.\n\tDefaultContainerdVersion = \"2.1.5\"\n",
                "DefaultContainerdVersion",
            ),
        ] {
            assert_eq!(number_after(text, words), Some("2.1.5"), "{text}");
        }
        assert_eq!(number_after("containerd_version = latest", "containerd_version"), None);
    }
}
