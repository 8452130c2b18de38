//! Files with several names: hard links, and symbolic links in folders. Each file is read once,
//! under the most suitable name regardless of the order of the walk, and under every name that a
//! runtime starts or the user named.

use super::file_outcome::FileOutcome;
use super::parallel;
use super::scan::{Linked, NameRank, Scan};
use super::visit;

/// Reads the files that the walks deferred.
pub(super) fn read(scan: &Scan<'_>) {
    let mut linked = std::mem::take(&mut scan.gathered().linked);
    linked.sort();
    linked.dedup_by(|again, first| {
        if again.place == first.place {
            first.demand = first.demand.max(again.demand);
        }
        again.place == first.place
    });
    let chosen: Vec<&Linked> = linked
        .chunk_by(|a, b| a.id == b.id)
        .flat_map(|names| choose(scan, names))
        .collect();
    parallel::each(scan.threads, &chosen, |linked| visit::chosen(scan, linked));
}

/// Returns the names of one file to report, and counts the others.
fn choose<'l>(scan: &Scan<'_>, names: &'l [Linked]) -> &'l [Linked] {
    let wanted = names
        .iter()
        .take_while(|name| name.rank == NameRank::Wanted);
    let mut chosen = wanted.count().max(1).min(names.len());
    if let Some(best) = names.first()
        && let Some(before) = scan.read_before(best.id, &best.place)
    {
        if best.rank == NameRank::Wanted {
            scan.forget(&before);
        } else {
            chosen = 0;
        }
    }
    let (chosen, others) = names.split_at(chosen);
    others
        .iter()
        .for_each(|_| scan.count(FileOutcome::OtherName));
    chosen
}
