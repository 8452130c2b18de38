//! Adds releases to `runtimes.toml` or `distributions.toml` as text, to keep comments and layout.

use semver::Version;

use super::{Added, Carried};
use nri_schema::{ErrorKind, Problem, version};

/// Returns the table with a line for each release, ordered by version within its runtime.
///
/// # Errors
///
/// Returns an error if the releases of a runtime are not laid out with one release per line.
pub(super) fn all(table: &str, added: &[Added]) -> Result<String, Problem> {
    let mut lines: Vec<String> = table.lines().map(str::to_owned).collect();
    for release in added {
        insert(&mut lines, release).ok_or_else(|| no_place(release))?;
    }
    Ok(lines.join("\n") + "\n")
}

/// Inserts the line of a release; `None` if its position is not found.
fn insert(lines: &mut Vec<String>, added: &Added) -> Option<()> {
    let version = version::parse(&added.release)?;
    let id = format!("id = \"{}\"", added.id);
    let block = position(lines, 0, |line| line == id)?;
    let start = position(lines, block, |line| line == "releases = [")?;
    let end = position(lines, start, |line| line == "]")?;
    let older = (start + 1..end).rev().find_map(|at| {
        let known = version_in(lines.get(at)?)?;
        (known < version).then_some((at, known))
    });
    let (at, starts_group) = match older {
        Some((at, known)) => (at + 1, (known.major, known.minor) != (version.major, version.minor)),
        None => (start + 1, false),
    };
    lines.insert(at, line(added));
    if starts_group {
        lines.insert(at, String::new());
    }
    Some(())
}

fn position(lines: &[String], from: usize, is: impl Fn(&str) -> bool) -> Option<usize> {
    let mut rest = lines.iter().enumerate().skip(from);
    rest.find(|(_, line)| is(line.trim())).map(|(at, _)| at)
}

fn line(added: &Added) -> String {
    let Added { release, carried, date, .. } = added;
    let (key, name) = match carried {
        Carried::Nri(name) => ("nri", name),
        Carried::Runtime(_, name) => ("runtime", name),
    };
    format!("  {{ release = \"{release}\", {key} = \"{name}\", date = {date} }},")
}

/// Returns the version in `{ release = "v2.4.2", …`.
fn version_in(line: &str) -> Option<Version> {
    let (_, rest) = line.split_once("release = \"")?;
    version::parse(rest.split_once('"')?.0)
}

fn no_place(added: &Added) -> Problem {
    let message = format!("the table has no place for {} {}", added.id, added.release);
    Problem::new(ErrorKind::Table, message)
        .with_help("lay it out as before: `releases = [`, then one release per line")
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLE: &str = "\
# a comment
[[runtime]]
id = \"a\"
releases = [
  { release = \"v1.9.0\", nri = \"v0.9.0\", date = 2025-01-01 },
  { release = \"v1.9.2\", nri = \"v0.9.0\", date = 2025-01-01 },

  { release = \"v1.11.0\", nri = \"v0.9.0\", date = 2025-01-01 },
]

[[runtime]]
id = \"b\"
releases = [
]
";

    fn added(runtime: &str, release: &str) -> Added {
        Added {
            id: runtime.to_owned(),
            release: release.to_owned(),
            carried: Carried::Nri("v0.9.0".to_owned()),
            date: "2026-11-03".to_owned(),
        }
    }

    #[test]
    fn releases_are_added_in_order_and_by_minor() {
        let mut new: Vec<Added> = ["v1.9.1", "v1.9.10", "v1.10.0", "v1.10.1", "v1.11.1", "v2.0.0"]
            .iter()
            .map(|release| added("a", release))
            .collect();
        new.push(added("b", "v3.0.0"));
        let text = all(TABLE, &new).expect("each has its place");
        let releases: Vec<&str> = text
            .lines()
            .filter(|line| line.is_empty() || line.contains("release = "))
            .map(|line| line.split('"').nth(1).unwrap_or_default())
            .collect();
        assert_eq!(
            releases,
            [
                "v1.9.0", "v1.9.1", "v1.9.2", "v1.9.10", "", "v1.10.0", "v1.10.1", "", "v1.11.0",
                "v1.11.1", "", "v2.0.0", "", "v3.0.0"
            ]
        );
        assert!(text.starts_with("# a comment\n"));
        assert!(
            text.contains("  { release = \"v1.9.10\", nri = \"v0.9.0\", date = 2026-11-03 },\n")
        );
    }

    #[test]
    fn another_layout_is_an_error() {
        assert!(all("[[runtime]]\nid = \"a\"\nreleases = []\n", &[added("a", "v1.0.0")]).is_err());
        assert!(all(TABLE, &[added("c", "v1.0.0")]).is_err());
    }
}
