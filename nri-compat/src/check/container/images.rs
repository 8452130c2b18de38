//! Images by reference, fetched from registries and checked like those in files: manifests first,
//! then each layer once, then the reports.
//!
//! With `--quick`, reading stops at the entry point of an image, but only if it is a plugin: a
//! script or another program proves nothing about the image.

mod remote;

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde_json::Value;

use super::archive::image::{self, Layers};
use super::archive::manifest::{Image, Platform, Store};
use super::archive::names;
use crate::check::observations::{Demand, FileOutcome, Observations};
use crate::check::request::{ImageOptions, ImageRequest, shown};
use crate::check::scan::Scan;
use crate::check::{bridged, parallel, unjudged};
use crate::place::Place;
use crate::registry::{Client, RegistryOptions};
use crate::sighting::{Evidence, Sighting};
use crate::skipped::{SkipKind, Unreadable};
use crate::unknown::UnknownFile;
use remote::Remote;

/// The requests for a reference, by the place that asks for it.
type RequestsByPlace<'r> = BTreeMap<&'r Place, &'r ImageRequest>;

/// An image of a reference, and the requests for the reference.
struct Fetched<'f> {
    reference: &'f str,
    requests: &'f RequestsByPlace<'f>,
    remote: &'f Remote<'f>,
    image: &'f Image,
    /// The platform, if the reference has several images.
    platform: Option<&'f Platform>,
}

/// Checks the images, each once, for all places that ask for it.
pub(in crate::check) fn read(scan: &Scan<'_>, requests: &[ImageRequest], options: &ImageOptions) {
    if requests.is_empty() {
        return;
    }
    let client = Client::new(RegistryOptions {
        insecure: options.insecure.clone(),
        ..RegistryOptions::default()
    });
    let platform = options.platform.as_deref().map(remote::parse_platform).transpose();
    let mut by_reference: BTreeMap<&str, RequestsByPlace<'_>> = BTreeMap::new();
    for request in requests {
        let by_place = by_reference.entry(&request.reference).or_default();
        by_place.insert(&request.place, request);
    }
    let asked: Vec<_> = by_reference.into_iter().collect();
    let answers = parallel::each(scan.threads, &asked, |(reference, _)| {
        let platform = platform.as_ref().map_err(Clone::clone)?;
        Remote::fetch(&client, reference, platform.as_ref()).map_err(|why| why.reason)
    });
    let mut images = Vec::new();
    for ((reference, by_place), answer) in asked.iter().zip(&answers) {
        match answer {
            Ok((remote, found)) => {
                for why in &found.problems {
                    by_place.values().for_each(|request| problem(scan, request, why));
                }
                images.extend(found.images.iter().map(|image| Fetched {
                    reference,
                    requests: by_place,
                    remote,
                    image,
                    platform: image.platform.as_ref().filter(|_| found.images.len() > 1),
                }));
            }
            Err(why) => {
                by_place.values().for_each(|request| unjudged::not_fetched(scan, request, why))
            }
        }
    }
    check(scan, &images, asked.len(), options.quick);
}

/// Reads the layers of images, which `references` references name, and reports their plugins. A
/// quick check only reads entry points that are plugins.
fn check(scan: &Scan<'_>, images: &[Fetched<'_>], references: usize, is_quick: bool) {
    let stored = images.iter().map(|one| (one.remote as &dyn Store, one.image));
    let layers = Layers::new(scan, references, stored);
    let entries = parallel::each(scan.threads, images, |one| {
        let find = || entry_point(one.remote, one.image, &layers);
        is_quick.then(find).flatten()
    });
    let with_entries: Vec<_> = images.iter().zip(&entries).collect();
    let whole = with_entries.iter().filter(|(_, entry)| entry.is_none());
    layers.read(whole.map(|(one, _)| one.image));
    for of_reference in with_entries.chunk_by(|(a, _), (b, _)| a.reference == b.reference) {
        let requests = of_reference.first().map(|(one, _)| one.requests);
        for request in requests.into_iter().flat_map(BTreeMap::values) {
            let sightings = of_reference.iter().flat_map(|(one, entry)| {
                let place = one.place_within(&request.place);
                scan.count(FileOutcome::Archive);
                match entry {
                    Some(entry) => at_entry_point(scan, entry, &place),
                    None => in_image(scan, one.image, &layers, &place),
                }
            });
            store(scan, sightings.collect(), request);
        }
    }
}

/// Stores the findings in the images of a request, with what the request knows about them.
fn store(scan: &Scan<'_>, mut sightings: Vec<Sighting>, request: &ImageRequest) {
    if let Some(relayed) = &request.relayed {
        bridged::container(&mut sightings, &request.place, relayed);
    }
    for seen in sightings {
        scan.store_sighting(request.explained(seen));
    }
}

/// Reports a part of an image that is unknown.
fn problem(scan: &Scan<'_>, request: &ImageRequest, why: &Unreadable) {
    let why = UnknownFile::Unread(why.reason.clone());
    let seen = unjudged::sighting(&request.place, Demand::Named, why);
    scan.store_sighting(request.explained(seen));
}

impl Fetched<'_> {
    /// Returns the place of the image within a place that asks for it: the platform if there are
    /// several, after the reference unless the place is the reference.
    fn place_within(&self, place: &Place) -> Place {
        let reference = shown(self.reference);
        let is_named = place.file == reference;
        let platform = self.platform.map(Platform::to_string);
        match platform.filter(|platform| !platform.is_empty()) {
            Some(platform) if is_named => place.in_image(&platform),
            Some(platform) => place.in_image(&format!("{reference} ({platform})")),
            None if is_named => place.clone(),
            None => place.in_image(&reference),
        }
    }
}

/// Returns the findings in an image whose layers were read, also if it has no trace of NRI and no
/// part that could not be read.
fn in_image(scan: &Scan<'_>, image: &Image, layers: &Layers<'_>, place: &Place) -> Vec<Sighting> {
    let mut sightings = match image::report(image, layers, place) {
        Ok(findings) if findings.is_empty() && scan.skipped_within(place).1 == 0 => {
            vec![unjudged::no_plugin(place)]
        }
        Ok(findings) => findings.into_iter().flat_map(|one| scan.store_skipped(one)).collect(),
        Err(why) => {
            scan.skip(place.clone(), why);
            Vec::new()
        }
    };
    sightings.extend(unjudged::incomplete(scan, place, Demand::Named));
    sightings
}

/// Returns the findings in the entry point of an image whose other files were not read.
fn at_entry_point(scan: &Scan<'_>, entry: &Observations, place: &Place) -> Vec<Sighting> {
    let reason = "only the entry point was read, as --quick demands";
    scan.skip(place.clone(), Unreadable::new(SkipKind::Limit, reason));
    let Some(seen) = entry.sightings.first() else {
        return Vec::new();
    };
    scan.store_skipped(entry.clone().moved(place, &seen.place.file))
}

/// Returns the findings in the entry point of an image, if it is a plugin.
fn entry_point(remote: &Remote<'_>, image: &Image, layers: &Layers<'_>) -> Option<Observations> {
    let config: Value = remote.config(image)?;
    let mut observed = layers.file_at(image, &path(&config["config"])?)?;
    let detail =
        "the entry point of the image; --quick stopped there, so its other files were not read";
    for seen in &mut observed.sightings {
        seen.evidence.push(Evidence::new(unjudged::READER, detail));
    }
    (!observed.sightings.is_empty()).then_some(observed)
}

/// Returns the path of the program that a container of the image starts; `None` if it depends on
/// other files, such as the folders in `PATH`.
fn path(process: &Value) -> Option<PathBuf> {
    let words = ["Entrypoint", "Cmd"].map(|key| process[key].as_array());
    let program = words.into_iter().flatten().flatten().next()?.as_str()?;
    let folder = PathBuf::from(process["WorkingDir"].as_str().unwrap_or_default());
    let is_path = program.contains('/');
    is_path.then(|| names::clean(folder.join(program)))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_entry_point_is_a_path() {
        for (config, expected) in [
            (json!({"Entrypoint": ["/usr/bin/10-a", "-x"], "Cmd": ["/b"]}), Some("usr/bin/10-a")),
            (json!({"Entrypoint": null, "Cmd": ["/b/../c"]}), Some("c")),
            (json!({"Entrypoint": ["./a"], "WorkingDir": "/opt"}), Some("opt/a")),
            (json!({"Entrypoint": ["a"]}), None),
        ] {
            let found = path(&config);
            assert_eq!(found, expected.map(PathBuf::from), "{config}");
        }
    }
}
