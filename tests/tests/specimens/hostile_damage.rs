//! Damage to programs that Go has linked: neither a cut nor a changed byte of a header turns a
//! plugin that is deprecated into one that is `ok`, or into silence.
//!
//! A run damages a sample of each build of `specimens.toml`, always the same one, and every byte of
//! the ELF headers of one build. With `NRI_DAMAGE=all` it takes all places and more changes of
//! each, which needs a release build.

use std::ops::Range;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use nri_compat::report::check::Outcome;
use nri_tests::hostile::judged;
use nri_tests::specimens::{Table, table};
use object::{BinaryFormat, Object, ObjectSection};

/// Places per build in a sample.
const SAMPLE: usize = 24;
/// Bytes at the start of each section that count as a header: those of Go's tables are shorter.
const SECTION_START: u64 = 128;

/// A kind of damage.
#[derive(Clone, Copy, Debug)]
enum Damage {
    /// The byte at this place is combined with a mask by exclusive or.
    Changed(usize, u8),
    /// The file ends here.
    Cut(usize),
}

#[test]
fn no_damage_hides_any_specimen() {
    let table = table();
    let (mut hidden, mut programs) = (Vec::new(), 0);
    for (seed, name) in table.build.keys().enumerate() {
        if let Some(whole) = deprecated(&table, name) {
            programs += 1;
            hidden.extend(hidden_by(name, &whole, &damages(&whole, seed)));
        }
    }
    assert!(hidden.is_empty(), "{}", hidden.join("\n"));
    assert!(programs > 12, "{programs} builds are deprecated");
}

#[test]
fn no_byte_of_the_elf_headers_hides_a_plugin() {
    let whole = deprecated(&table(), "stripped").expect("it is deprecated");
    let file = object::File::parse(&*whole).expect("it is a program");
    let programs = 64..64 + usize::from(whole[56]) * usize::from(whole[54]);
    let places = (4..64).chain(programs).chain(section_table(&file, &whole));
    let all: Vec<Damage> = places.map(|at| Damage::Changed(at, 0xff)).collect();
    assert!(all.len() > 1000, "{} bytes", all.len());
    let hidden = hidden_by("stripped", &whole, &all);
    assert!(hidden.is_empty(), "{}", hidden.join("\n"));
}

/// Returns the plainest program of a build, if it is deprecated.
fn deprecated(table: &Table, build: &str) -> Option<Vec<u8>> {
    let mut rows = table.specimen.iter().filter(|row| row.builds.iter().any(|name| name == build));
    let row = rows.find(|row| row.program == "plain")?;
    let whole = std::fs::read(table.build(build).join(&row.program)).expect("it is built");
    let found = judged("program", &whole);
    (found.verdicts.first()?.outcome == Outcome::Deprecated).then_some(whole)
}

/// Returns the damage to do to a program: all of it on request, else a sample.
fn damages(whole: &[u8], seed: usize) -> Vec<Damage> {
    let file = object::File::parse(whole).expect("it is a program");
    let (headers, lengths) = (headers(&file, whole), lengths(&file, whole));
    if std::env::var_os("NRI_DAMAGE").is_some_and(|all| all == "all") {
        let masks = [0xff, 1, 2, 0x10, 0x80];
        let changed = headers.iter().flat_map(|at| {
            let zeroed = Some(whole[*at]).filter(|byte| *byte != 0);
            masks.into_iter().chain(zeroed).map(|mask| Damage::Changed(*at, mask))
        });
        return changed.chain(lengths.into_iter().map(Damage::Cut)).collect();
    }
    let mut random = fastrand::Rng::with_seed(seed as u64);
    let places = random.choose_multiple(&headers, SAMPLE);
    let cut = random.choose_multiple(&lengths, SAMPLE / 2);
    let changed: Vec<Damage> =
        places.into_iter().map(|at| Damage::Changed(*at, random.u8(1..))).collect();
    changed.into_iter().chain(cut.into_iter().map(|end| Damage::Cut(*end))).collect()
}

/// Returns a line for each damage after which nobody is warned, on all processors.
fn hidden_by(build: &str, whole: &[u8], all: &[Damage]) -> Vec<String> {
    let (next, hidden) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let work = || {
        let mut bytes = whole.to_vec();
        while let Some(damage) = all.get(next.fetch_add(1, Ordering::Relaxed)) {
            if !warns(&mut bytes, *damage) {
                let line = format!("{build}: {damage:?}");
                hidden.lock().expect("nobody panicked").push(line);
            }
        }
    };
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| (0..threads).for_each(|_| drop(scope.spawn(work))));
    hidden.into_inner().expect("nobody panicked")
}

/// Returns true if the damaged program gets a warning; the bytes are as before afterwards.
fn warns(bytes: &mut [u8], damage: Damage) -> bool {
    match damage {
        Damage::Cut(end) => judged("program", &bytes[..end]).warns(),
        Damage::Changed(at, mask) => {
            bytes[at] ^= mask;
            let warns = judged("program", bytes).warns();
            bytes[at] ^= mask;
            warns
        }
    }
}

/// Returns the places of all bytes of the headers after the magic: everything before the first
/// section, ELF's table of sections, and the start of each section.
fn headers(file: &object::File<'_>, whole: &[u8]) -> Vec<usize> {
    let ranges: Vec<(u64, u64)> =
        file.sections().filter_map(|section| section.file_range()).collect();
    let lowest = ranges.iter().map(|(start, _)| *start).filter(|start| *start > 0).min();
    let first = index(lowest.expect("it has sections")).min(4096);
    let table = match file.format() {
        BinaryFormat::Elf => section_table(file, whole),
        _ => 0..0,
    };
    let starts = ranges
        .iter()
        .filter(|(start, _)| *start > 0)
        .flat_map(|(start, size)| index(*start)..index(start + SECTION_START.min(*size)));
    let mut all: Vec<usize> = (4..first).chain(table).chain(starts).collect();
    all.sort_unstable();
    all.dedup();
    all
}

fn section_table(file: &object::File<'_>, whole: &[u8]) -> Range<usize> {
    let number = |at: usize, length: usize| {
        let bytes = whole[at..at + length].iter();
        let join = |sum: usize, byte: &u8| sum << 8 | usize::from(*byte);
        if file.is_little_endian() { bytes.rev().fold(0, join) } else { bytes.fold(0, join) }
    };
    let (start, entry) = if file.is_64() { (number(40, 8), 58) } else { (number(32, 4), 46) };
    start..(start + number(entry, 2) * number(entry + 2, 2)).min(whole.len())
}

/// Returns lengths at which to cut a program: the first bytes, around the ends of all sections, and
/// some in between.
fn lengths(file: &object::File<'_>, whole: &[u8]) -> Vec<usize> {
    let ranges = file.sections().filter_map(|section| section.file_range());
    let borders = ranges.flat_map(|(start, size)| [start, start + size]);
    let around = borders.flat_map(|border| [border.saturating_sub(1), border, border + 1]);
    let between = (0..whole.len()).step_by(whole.len() / 200);
    let mut all: Vec<usize> = around.map(index).chain(4..64).chain(between).collect();
    all.retain(|end| (4..whole.len()).contains(end));
    all.sort_unstable();
    all.dedup();
    all
}

fn index(place: u64) -> usize {
    usize::try_from(place).expect("it fits into memory")
}
