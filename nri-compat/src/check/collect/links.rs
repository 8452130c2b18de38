//! Files with several names: hard links, and symbolic links found in folders. Each file is read once, under a name
//! that does not depend on the order of the walk: its own before a symbolic link, then the first by path.

use super::parallel;
use super::scan::{Linked, Scan};

/// Reads the files that the walks put off.
pub(super) fn read(scan: &Scan<'_>) {
    let chosen = choose(scan.take_linked());
    parallel::each(scan.threads, &chosen, |linked| scan.chosen(linked));
}

fn choose(mut linked: Vec<Linked>) -> Vec<Linked> {
    linked.sort();
    linked.dedup_by_key(|linked| linked.id);
    linked
}
