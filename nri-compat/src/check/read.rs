//! Reads a recognised file that is not a container of others: with the readers of evidence, and
//! with an answer for a file that needs one.

use super::content::disk::Disk;
use super::content::{File, Head, compressed};
use super::evidence::defect::guarded;
use super::evidence::{Reader, is_known_plugin, packed};
use super::observations::{Demand, Observations};
use super::recognise::{SingleFile, known_to};
use super::unjudged;
use crate::skipped::{Skipped, Unreadable};
use crate::unpack::Packing;

/// Returns the findings in a file, with a substitute if there are none and the demand requires a
/// result; `None` if nothing is known about such files. `readers` are those for the program in a
/// compressed file.
pub(super) fn file(
    readers: &[&dyn Reader],
    file: &File<'_>,
    kind: &SingleFile<'_>,
    demand: Demand,
) -> Option<Observations> {
    match kind {
        SingleFile::Evidence(known) => {
            Some(unjudged::with_answer(evidence(known, file), file, demand))
        }
        SingleFile::PackedProgram => Some(packed_program(readers, file, demand)),
        SingleFile::NotRead(why) => Some(unjudged::unread(file, demand, why.clone())),
        SingleFile::Other => unjudged::unrecognised(file, demand),
    }
}

/// Returns the findings of the readers that know a file.
pub(super) fn evidence(readers: &[&dyn Reader], file: &File<'_>) -> Observations {
    let mut observed = Observations::default();
    for reader in readers {
        match guarded(*reader, file) {
            Ok(sightings) => observed.sightings.extend(sightings),
            Err(why) => observed.skipped.push(Skipped::unreadable(file.place.clone(), why)),
        }
    }
    // Only what may be `ok` otherwise: a search of every program would take long.
    if observed.sightings.iter().any(is_known_plugin) {
        observed.skipped.extend(packed::skipped(file));
    }
    observed
}

/// Returns the findings in the program in a compressed file, as in folders of releases: `agent.gz`,
/// `agent_linux_amd64.zst`.
fn packed_program(readers: &[&dyn Reader], file: &File<'_>, demand: Demand) -> Observations {
    let (disk, head) = match unpacked(file) {
        Ok(program) => program,
        Err(why) => return unjudged::unread(file, demand, why),
    };
    let file = File {
        disk: None,
        place: file.place.clone(),
        name: name_inside(&file.name),
        head,
        content: &disk,
    };
    let observed = evidence(&known_to(readers, &file), &file);
    unjudged::with_answer(observed, &file, demand)
}

fn unpacked(file: &File<'_>) -> Result<(Disk, Head), Unreadable> {
    let disk = compressed::to_disk(file.content, file.head.packing())?;
    let head = Head::read(&disk)?;
    Ok((disk, head))
}

/// Returns the name of a file without the extension of a compression.
fn name_inside(name: &str) -> String {
    let (inner, extension) = name.rsplit_once('.').unwrap_or((name, ""));
    let is_known = Packing::extensions().any(|known| known == extension);
    if is_known { inner } else { name }.to_owned()
}
