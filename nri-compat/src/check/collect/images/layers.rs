//! The layers of all images of a run: each is fetched and read once, when it is first needed.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use super::forward::Forward;
use super::remote::{digest_of, unreadable};
use crate::check::collect::archive::{self, Image, Layer, LayerBlob, Limits, Reading};
use crate::check::collect::disk::Disk;
use crate::check::collect::scan::Scan;
use crate::check::collect::{parallel, spool};
use crate::check::content::{Content, Stream};
use crate::registry::{Client, Reference};
use crate::skipped::{SkipKind, Unreadable};

/// The maximum size of a layer that is copied to a temporary file, in bytes.
const MAX_SPOOLED: u64 = 4 << 30;

/// The layers by their path.
pub(super) struct Layers<'i> {
    scan: &'i Scan<'i>,
    client: &'i Client,
    slots: BTreeMap<&'i str, Slot<'i>>,
}

/// A layer, and the first image that has it.
struct Slot<'i> {
    blob: &'i LayerBlob,
    reference: &'i Reference,
    read: OnceLock<Layer>,
}

impl<'i> Layers<'i> {
    /// Lists the layers of these images, each once.
    pub(super) fn of(
        scan: &'i Scan<'i>,
        client: &'i Client,
        images: impl Iterator<Item = (&'i Reference, &'i Image)>,
    ) -> Self {
        let mut slots = BTreeMap::new();
        for (reference, image) in images {
            for blob in &image.layers {
                let slot = || Slot {
                    blob,
                    reference,
                    read: OnceLock::new(),
                };
                slots.entry(blob.path.as_str()).or_insert_with(slot);
            }
        }
        Self {
            scan,
            client,
            slots,
        }
    }

    /// Reads the layers of these images that were not read yet.
    pub(super) fn read<'r>(&self, images: impl Iterator<Item = &'r Image>) {
        let mut blobs: Vec<&LayerBlob> = images.flat_map(|image| &image.layers).collect();
        // The largest first, so that no thread is left with it at the end.
        blobs.sort_by_key(|blob| (std::cmp::Reverse(blob.size), blob.path.as_str()));
        blobs.dedup_by_key(|blob| blob.path.as_str());
        parallel::each(self.scan.threads, &blobs, |blob| {
            self.get(blob);
        });
    }

    /// Returns a layer, which is fetched if it was not yet; `None` if no image has it.
    pub(super) fn get(&self, blob: &LayerBlob) -> Option<&Layer> {
        let slot = self.slots.get(blob.path.as_str())?;
        let fetch = || fetch(self.scan, self.client, slot).unwrap_or_else(Layer::failed);
        Some(slot.read.get_or_init(fetch))
    }
}

/// Fetches a layer while it is read. Its findings count only if its digest is right.
fn fetch(scan: &Scan<'_>, client: &Client, slot: &Slot<'_>) -> Result<Layer, Unreadable> {
    let digest = digest_of(&slot.blob.path)?;
    let size = slot
        .blob
        .size
        .ok_or_else(|| Unreadable::new(SkipKind::Broken, "its manifest does not state its size"))?;
    let failed = |error| unreadable(&error);
    let blob = client.blob(slot.reference, &digest, size);
    let forward = Forward::new(blob.map_err(failed)?);
    scan.count_bytes(size);
    if archive::is_streamable(&forward, slot.blob) {
        let layer = layer(scan, &forward, slot);
        forward.finish().map_err(failed)?;
        return Ok(layer);
    }
    let copied = copy(&forward, size);
    forward.finish().map_err(failed)?;
    Ok(layer(scan, &copied?, slot))
}

fn copy(forward: &Forward<'_>, size: u64) -> Result<Disk, Unreadable> {
    if size > MAX_SPOOLED {
        let reason = format!("larger than {} GiB", MAX_SPOOLED >> 30);
        return Err(Unreadable::new(SkipKind::TooLarge, reason));
    }
    spool::to_disk(&mut Stream::new(forward))
}

fn layer(scan: &Scan<'_>, content: &dyn Content, slot: &Slot<'_>) -> Layer {
    let limits = Limits::of(content.len());
    let reading = Reading {
        scan,
        content,
        limits: &limits,
        is_layer: true,
    };
    archive::read_blob(reading, slot.blob.is_labelled_tar, &slot.blob.name)
}
