//! The images of an archive, and the layers of each.
//!
//! [Image layout](https://github.com/opencontainers/image-spec/blob/main/image-layout.md);
//! `manifest.json` is [docker's](https://docs.docker.com/reference/cli/docker/image/save/).
//!
//! A broken document does not hide the others.

mod finder;

use std::collections::BTreeSet;

use serde::de::DeserializeOwned;

use super::document::{Image, Saved, broken, parse};
use super::store::{Store, small};
pub(in crate::check::collect) use finder::images_of;

use crate::skipped::Unreadable;

/// The images of an archive.
#[derive(Debug, Default)]
pub(in crate::check::collect) struct Images {
    pub(in crate::check::collect) images: Vec<Image>,
    /// Parts that cannot be read.
    pub(in crate::check::collect) problems: Vec<Unreadable>,
    /// The platforms that were not wanted.
    pub(in crate::check::collect) passed_over: BTreeSet<String>,
}

/// Returns true if this is an image, perhaps a broken one.
pub(super) fn is_image(store: &dyn Store) -> bool {
    let is_layout = !matches!(store.open("oci-layout"), Ok(None));
    let saved: Result<Option<Vec<Saved>>, _> = document(store, "manifest.json");
    is_layout || saved.is_ok_and(|saved| saved.is_some_and(|saved| !saved.is_empty()))
}

/// Returns all images: those of the OCI index, and those that only docker's list names, because
/// programs read the one or the other.
pub(super) fn images(store: &dyn Store) -> Result<Images, Unreadable> {
    let mut found = Images::default();
    match document(store, "index.json") {
        Ok(Some(index)) => found = images_of(store, index, &|_| true),
        Ok(None) => {}
        Err(why) => found.problems.push(why),
    }
    match document(store, "manifest.json") {
        Ok(saved) => found.add_saved(saved.unwrap_or_default()),
        Err(why) => found.problems.push(why),
    }
    if found.images.is_empty() && found.problems.is_empty() {
        let reason = "neither its index.json nor its manifest.json names an image";
        return Err(broken(reason));
    }
    Ok(found)
}

impl Images {
    /// Adds the images of docker's list whose layers are not those of an image that is known.
    fn add_saved(&mut self, saved: Vec<Saved>) {
        let whole = self.images.iter().filter(|image| image.problems.is_empty());
        let known: BTreeSet<Vec<String>> = whole.map(Image::paths).collect();
        let all = saved.into_iter().map(Saved::into_image);
        let new = all.filter(|image| !known.contains(&image.paths()));
        self.images.extend(new);
    }
}

/// Reads a document; `None` if it does not exist.
fn document<T: DeserializeOwned>(store: &dyn Store, path: &str) -> Result<Option<T>, Unreadable> {
    let bytes = small(store, path)?;
    bytes.map(|bytes| parse(path, &bytes)).transpose()
}
