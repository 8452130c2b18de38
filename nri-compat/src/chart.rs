//! Helm charts: which files belong to one, and whether they have to do with NRI.
//!
//! A chart is not rendered here. It may install a plugin if one of its files names a path of NRI or
//! a published plugin.

use memchr::memmem;

/// The file that makes a folder a chart.
pub(crate) const CHART: &str = "Chart.yaml";

/// The folder of a chart with its templates, within a path.
const TEMPLATES: &str = "/templates/";

/// The ends of the names of templates, helpers included.
const TEMPLATE_ENDS: [&str; 4] = [".yaml", ".yml", ".tpl", ".json"];

/// The name of the folder of NRI's socket, plugins and configuration.
const FOLDER: &[u8] = b"/nri";

/// The name of the socket.
const SOCKET: &[u8] = b"nri.sock";

/// Returns the folder of the chart that a file with this path belongs to, if its path is that of a
/// part of a chart: `Chart.yaml`, its values, or a template.
pub(crate) fn folder_of(path: &str) -> Option<&str> {
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
    let is_values =
        name.starts_with("values") && (name.ends_with(".yaml") || name.ends_with(".yml"));
    if name == CHART || is_values {
        return Some(folder);
    }
    if !TEMPLATE_ENDS.iter().any(|end| name.ends_with(end)) {
        return None;
    }
    let at = format!("/{folder}/").find(TEMPLATES)?;
    folder.get(..at.saturating_sub(1))
}

/// Returns true if a text names a path that belongs to NRI: a folder `nri`, or its socket.
pub(crate) fn mentions_nri(text: &[u8]) -> bool {
    let is_end = |at: usize| {
        let next = text.get(at);
        next.is_none_or(|byte| !byte.is_ascii_alphanumeric() && !b"-_.".contains(byte))
    };
    memmem::find(text, SOCKET).is_some()
        || memmem::find_iter(text, FOLDER).any(|at| is_end(at + FOLDER.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_charts_are_known_by_their_paths() {
        for (path, folder) in [
            ("a/chart/Chart.yaml", Some("a/chart")),
            ("Chart.yaml", Some("")),
            ("chart/values.yaml", Some("chart")),
            ("chart/values-prod.yml", Some("chart")),
            ("chart/templates/a/ds.yaml", Some("chart")),
            ("chart/templates/_helpers.tpl", Some("chart")),
            (
                "/x/chart/charts/sub/templates/ds.yaml",
                Some("/x/chart/charts/sub"),
            ),
            ("templates/ds.yaml", Some("")),
            ("chart/mytemplates/ds.yaml", None),
            ("chart/templates/NOTES.md", None),
            ("chart/ds.yaml", None),
        ] {
            assert_eq!(folder_of(path), folder, "{path}");
        }
    }

    #[test]
    fn only_the_folder_of_nri_is_a_path_of_it() {
        for text in [
            "path: /run/nri",
            "dir: {{ .Values.run }}/nri\n",
            "/opt/nri/plugins",
            "a: nri.sock",
        ] {
            assert!(mentions_nri(text.as_bytes()), "{text}");
        }
        for text in [
            "newrelic/nri-kubernetes",
            "/nri_x",
            "/nris",
            "nri",
            "/run/nri.d",
        ] {
            assert!(!mentions_nri(text.as_bytes()), "{text}");
        }
    }
}
