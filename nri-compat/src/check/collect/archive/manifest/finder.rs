//! Follows indexes to manifests, within limits because they may be circular.

use std::collections::BTreeSet;

use super::{Images, Store, small};
use crate::check::collect::archive::document::{
    Descriptor, Document, Image, Manifest, Platform, broken, parse, path_of, short,
};
use crate::escape;
use crate::skipped::{SkipKind, Unreadable};

/// The maximum size of all manifests of one archive in bytes.
const MAX_MANIFESTS: usize = 16 << 20;

/// The size in bytes that the smallest manifest counts, because even that has a cost.
const SMALLEST_MANIFEST: usize = 1 << 10;

/// The annotations with the name of an image.
const NAMES: [&str; 2] = [
    "io.containerd.image.name",
    "org.opencontainers.image.ref.name",
];

struct Finder<'s> {
    store: &'s dyn Store,
    /// Returns true for the platforms that are followed.
    wants: &'s dyn Fn(&Platform) -> bool,
    found: Images,
    /// The images whose manifests are still to be read, with their digests, the next one last.
    pending: Vec<(Image, String)>,
}

/// Returns the images of a manifest or index with these platforms, each once.
pub(in crate::check::collect) fn images_of(
    store: &dyn Store,
    top: Manifest,
    wants: &dyn Fn(&Platform) -> bool,
) -> Images {
    let mut finder = Finder {
        store,
        wants,
        found: Images::default(),
        pending: Vec::new(),
    };
    finder.add(Image::default(), top.document());
    let mut known = BTreeSet::new();
    let mut left = MAX_MANIFESTS;
    while let Some((image, digest)) = finder.pending.pop() {
        if !known.insert((image.name.clone(), digest.clone())) {
            continue;
        }
        if left == 0 {
            let reason = format!("more than {} MiB of manifests", MAX_MANIFESTS >> 20);
            let why = Unreadable::new(SkipKind::Limit, reason);
            finder.found.problems.push(why);
            break;
        }
        let document = finder.read(&digest, &mut left);
        finder.add(image, document);
    }
    finder.found
}

impl Finder<'_> {
    /// Adds an image with the layers of its manifest, or the images of an index.
    fn add(&mut self, mut image: Image, document: Result<Document, Unreadable>) {
        match document {
            Ok(Document::Image(layers, config)) => {
                image.config = config;
                image.add(layers);
            }
            Ok(Document::Index(manifests)) => {
                let wanted = manifests
                    .into_iter()
                    .rev()
                    .filter(|one| self.is_wanted(one));
                let pending: Vec<_> = wanted.map(|one| named(one, &image.name)).collect();
                return self.pending.extend(pending);
            }
            Err(why) => image.problems.push(why),
        }
        self.found.images.push(image);
    }

    fn is_wanted(&mut self, descriptor: &Descriptor) -> bool {
        if descriptor.is_attestation() {
            return false;
        }
        let stated = descriptor.platform.as_ref();
        let unwanted = stated.filter(|stated| !(self.wants)(stated));
        let shown = unwanted.map(Platform::to_string);
        let is_wanted = shown.is_none();
        self.found.passed_over.extend(shown);
        is_wanted
    }

    /// Reads a manifest. `left` is the number of bytes that may be read.
    fn read(&self, digest: &str, left: &mut usize) -> Result<Document, Unreadable> {
        let path = path_of(digest).ok_or_else(|| broken("its digest is malformed"))?;
        let missing = || Unreadable::new(SkipKind::NotFound, "its manifest is not there");
        let bytes = small(self.store, &path)?.ok_or_else(missing)?;
        *left = left.saturating_sub(bytes.len().max(SMALLEST_MANIFEST));
        parse::<Manifest>(&path, &bytes)?.document()
    }
}

/// Returns the image of a descriptor, and its digest. The name is its own, else that of the enclosing index,
/// with the platform if it is stated.
fn named(descriptor: Descriptor, around: &str) -> (Image, String) {
    let own = NAMES.iter().find_map(|key| descriptor.annotation(key));
    let base = match own {
        Some(own) => own.to_owned(),
        None if around.is_empty() => short(&descriptor.digest),
        None => around.to_owned(),
    };
    let name = match &descriptor.platform {
        Some(platform) if !around.is_empty() => format!("{base} ({platform})"),
        Some(_) | None => base,
    };
    let image = Image {
        name: escape::short(&name),
        platform: descriptor.platform,
        ..Image::default()
    };
    (image, descriptor.digest)
}
