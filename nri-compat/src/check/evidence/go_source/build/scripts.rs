//! Settings of the Go toolchain in scripts that select other sources, and are not followed.

/// Returns the lines of a script that select another workspace or replace sources, each with the
/// reason why the result is unknown.
pub(super) fn doubts(text: &str) -> impl Iterator<Item = (usize, &'static str)> {
    text.lines().enumerate().filter_map(|(index, line)| {
        let why = if sets_workspace(line) {
            "sets GOWORK to a workspace that is not followed"
        } else if has_overlay(line) {
            "builds with -overlay, which replaces sources"
        } else {
            return None;
        };
        Some((index + 1, why))
    })
}

/// Returns true for `GOWORK=…`, as shells and make write it, unless it selects no workspace.
fn sets_workspace(line: &str) -> bool {
    let Some((_, after)) = line.split_once("GOWORK") else {
        return false;
    };
    // In a shell, nothing is between the name and the value; make allows spaces.
    let of_make = || after.trim_start().trim_start_matches([':', '?']);
    let Some(value) = after
        .strip_prefix('=')
        .or_else(|| Some(of_make().strip_prefix('=')?.trim_start()))
    else {
        return false;
    };
    let value = value.trim_start_matches(['"', '\'']);
    let value = value.split(|letter: char| !is_of_path(letter)).next();
    !matches!(value.unwrap_or_default(), "" | "off")
}

fn is_of_path(letter: char) -> bool {
    letter.is_alphanumeric() || "$(){}/._-".contains(letter)
}

/// Returns true for a build with `-overlay`, which other tools have for other purposes.
fn has_overlay(line: &str) -> bool {
    let is_build = [
        "go build",
        "go install",
        "go run",
        "GOFLAGS",
        "$(GO)",
        "${GO}",
    ]
    .iter()
    .any(|call| line.contains(call));
    let mut words = line.split([' ', '\t', '"', '\'', '=', ',']);
    is_build && words.any(|word| matches!(word, "-overlay" | "--overlay"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_workspaces_and_overlays_are_found() {
        for (line, found) in [
            ("GOWORK=$(CURDIR)/hack/old.work go build .", true),
            ("export GOWORK := old.work", true),
            ("ENV GOWORK=\"/src/go.work\"", true),
            ("GOWORK=off go build", false),
            ("export GOWORK ?= off", false),
            ("GOWORK= go build", false),
            ("unset GOWORK", false),
            ("go build -overlay=overlay.json .", true),
            ("GOFLAGS='-mod=mod --overlay=x.json'", true),
            ("kustomize build --overlay x", false),
        ] {
            assert_eq!(doubts(line).next().is_some(), found, "{line}");
        }
    }
}
