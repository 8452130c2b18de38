//! Helm charts in folders and archives. They are not rendered: one that names a path of NRI, or a
//! published plugin, is unknown.

use std::sync::LazyLock;

use regex::Regex;

use super::manifests;
use crate::check::content::File;
use crate::check::observations::{Demand, FileOutcome};
use crate::check::scan::Scan;
use crate::pattern::regex;
use crate::place::Place;
use crate::sighting::Sighting;
use crate::unknown::{UnknownChart, UnknownManifest};
use crate::workloads::{images_in, mentions_nri, published_chart};

/// The file that makes a folder a chart.
const CHART: &str = "Chart.yaml";

/// The path of a part of a chart after its folder: `Chart.yaml`, its values, or a template.
static PART: LazyLock<Regex> = LazyLock::new(|| {
    regex(r"^(?:(.*?)/)?(?:Chart\.yaml|values[^/]*\.ya?ml|templates/.*\.(?:ya?ml|tpl|json))$")
});

/// The maximum number of bytes that are read of one file of a chart.
const MAX_FILE: u64 = 1 << 20;

/// Returns the folder of the chart that a file with this path belongs to, if it is part of a chart.
fn folder_of(path: &str) -> Option<&str> {
    let folder = PART.captures(path)?.get(1);
    Some(folder.map_or("", |folder| folder.as_str()))
}

/// Returns true if the file on disk is part of a chart.
pub(in crate::check) fn recognises(file: &File<'_>) -> bool {
    let is_on_disk = file.place.entry.is_none() && file.place.image.is_none();
    let path = file.disk.as_ref().filter(|_| is_on_disk);
    let folder = path.and_then(|path| folder_of(path.to_str()?));
    folder.is_some_and(|folder| std::path::Path::new(folder).join(CHART).is_file())
}

/// Reads a part of a chart on disk, and reports the chart once if it has to do with NRI.
pub(in crate::check) fn read(scan: &Scan<'_>, file: &File<'_>, demand: Demand) -> FileOutcome {
    let folder = folder_of(&file.place.file).unwrap_or_default();
    let place = Place::from(if folder.is_empty() { "." } else { folder }.to_owned());
    let why = reason(file);
    let is_new = || scan.gathered().charts.insert(place.clone());
    if let Some(why) = why
        && is_new()
    {
        scan.store_sighting(unknown(place, why));
        return FileOutcome::Evidence;
    }
    if demand == Demand::Named {
        scan.store_sighting(unknown(file.place.clone(), UnknownChart::Part));
        return FileOutcome::Evidence;
    }
    FileOutcome::OtherFile
}

/// Returns the folder of the chart that an entry of an archive belongs to, if the entry has to do
/// with NRI, and the sighting of the chart.
pub(in crate::check) fn in_archive(file: &File<'_>) -> Option<(String, Sighting)> {
    let folder = folder_of(&file.place.file)?;
    let why = reason(file)?;
    let sighting = unknown(Place::from(folder.to_owned()), why);
    Some((folder.trim_start_matches('/').to_owned(), sighting))
}

/// Returns true if an entry of an archive may be part of a chart.
pub(in crate::check) fn is_part(path: &str, size: u64) -> bool {
    size <= MAX_FILE && folder_of(path).is_some()
}

/// Returns why a part of a chart has to do with NRI; `None` if it has not.
fn reason(file: &File<'_>) -> Option<UnknownChart> {
    let mut bytes = vec![0; usize::try_from(file.content.len().min(MAX_FILE)).unwrap_or(0)];
    let read = file.content.read_at(0, &mut bytes).ok()?;
    bytes.truncate(read);
    let text = String::from_utf8_lossy(&bytes);
    if mentions_nri(&bytes) {
        return Some(UnknownChart::NamesPath(file.name.clone()));
    }
    if let Some(image) = images_in(&text) {
        return Some(UnknownChart::NamesPlugin(file.name.clone(), image));
    }
    let names = text.lines().filter_map(|line| {
        let line = line.trim_start_matches([' ', '-']);
        Some(line.strip_prefix("name:")?.trim().trim_matches(['"', '\'']))
    });
    let mut charts = names.filter_map(published_chart);
    let chart = charts.next().filter(|_| file.name == CHART)?;
    Some(UnknownChart::Published(chart))
}

fn unknown(place: Place, why: UnknownChart) -> Sighting {
    manifests::unknown(place, UnknownManifest::Chart(why))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_charts_are_known_by_their_paths() {
        let of_chart =
            "Chart.yaml values.yaml values-prod.yml templates/a/ds.yaml templates/_helpers.tpl";
        for folder in ["a/chart", "/x/chart/charts/sub"] {
            for part in of_chart.split(' ') {
                assert_eq!(folder_of(&format!("{folder}/{part}")), Some(folder), "{part}");
                assert_eq!(folder_of(part), Some(""), "{part}");
            }
        }
        for path in ["chart/mytemplates/ds.yaml", "chart/templates/NOTES.md", "chart/ds.yaml"] {
            assert_eq!(folder_of(path), None, "{path}");
        }
    }
}
