//! Programs with data or other programs inside or behind them: none is passed over in silence, and
//! a plugin that embeds another one has a second verdict, `unknown`.

use std::io::Write as _;

use flate2::Compression;
use flate2::write::GzEncoder;
use nri_compat::check::collect::{Request, collect};
use nri_compat::check::evidence::READERS;
use nri_compat::report::check::Outcome;
use nri_tests::hostile::{elf, judged};

/// The number of bytes of constants in an embedded program.
const LARGE: usize = 40 << 10;

/// Returns the manifest of a plugin without deprecated handlers.
fn manifest() -> Vec<u8> {
    let text = br#"{"format":1,"name":"a","index":"10","nri":"0.1.0","protocol":"0.12.0","min_protocol":null,"events":["RUN_POD_SANDBOX"],"required":[],"deprecated":[]}"#;
    let length = u32::try_from(text.len()).unwrap();
    [b"NRI-PLUGIN-INFO\x01", &length.to_le_bytes()[..], text].concat()
}

/// Returns a program of at least this size that has no names of NRI.
fn program(size: usize) -> Vec<u8> {
    let number = |at: usize| u8::try_from(at * at % 251).unwrap();
    elf::with(&(0..size).map(number).collect::<Vec<_>>()).bytes
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut packed = GzEncoder::new(Vec::new(), Compression::default());
    packed.write_all(bytes).unwrap();
    packed.finish().unwrap()
}

/// Returns an archive of one file.
fn tar(bytes: &[u8]) -> Vec<u8> {
    let mut tar = tar::Builder::new(Vec::new());
    let mut header = tar::Header::new_ustar();
    header.set_size(bytes.len() as u64);
    tar.append_data(&mut header, "10-a", bytes).unwrap();
    tar.into_inner().unwrap()
}

/// Asserts that a file has exactly these verdicts, and that the reason of the last one has these
/// words.
fn assert_verdicts(member: &str, bytes: &[u8], expected: &[Outcome], words: &str) {
    let found = judged("10-a", bytes);
    let outcomes: Vec<_> = found.verdicts.iter().map(|one| one.outcome).collect();
    assert_eq!(outcomes, expected, "{member}: {found:#?}");
    let reason = found.verdicts.last().map_or("", |last| &last.reason);
    assert!(reason.contains(words), "{member}: {reason}");
}

#[test]
fn an_embedded_program_is_another_plugin_perhaps() {
    let inner = program(LARGE);
    for (member, data, words) in [
        ("plain", inner.clone(), "another program, which"),
        ("gzip", gzip(&inner), "another program (gzip)"),
        ("tar.gz", gzip(&tar(&inner)), "(gzip)"),
    ] {
        let launcher = elf::with(&[b"text", &data[..]].concat()).bytes;
        assert_verdicts(member, &launcher, &[Outcome::Unknown], words);
        let plugin = elf::with(&[manifest(), data].concat()).bytes;
        assert_verdicts(member, &plugin, &[Outcome::Ok, Outcome::Unknown], words);
    }
}

#[test]
fn other_embedded_data_is_not_a_program() {
    let inner = program(LARGE);
    let changed = |at: usize, value: u8| {
        let mut bytes = inner.clone();
        bytes[at] = value;
        bytes
    };
    for (member, data) in [
        ("an object file", changed(16, 1)),
        ("a program for the kernel", changed(18, 247)),
        ("the magic alone", b"\x7fELF\0\x7fELF\x02\x01\x01".to_vec()),
        ("a packed text", gzip(&[b'x'; LARGE])),
        ("a packed archive of texts", gzip(&tar(&[b'x'; LARGE]))),
        ("a magic in a library for gzip", b"\x1f\x8b\x08\0\x1f\x8b\x08\x08".to_vec()),
    ] {
        assert_verdicts(member, &elf::with(&data).bytes, &[], "");
        let plugin = elf::with(&[manifest(), data].concat()).bytes;
        assert_verdicts(member, &plugin, &[Outcome::Ok], "");
    }
}

#[test]
fn appended_data_is_not_passed_over() {
    let [other, plugin] = [&b"text"[..], &manifest()].map(|constants| elf::with(constants).bytes);
    for (member, data, words) in [
        ("a program", program(LARGE), "(another program)"),
        ("unknown data", b"KAY and more".to_vec(), "12 bytes of unknown data"),
        ("a script", b"\nprint('nri.pkg.api')\n".to_vec(), "unknown data"),
        ("data behind a gap", [&[0; 5000][..], b"data"].concat(), "unknown data"),
    ] {
        let appended = |program: &[u8]| [program, &data].concat();
        assert_verdicts(member, &appended(&other), &[Outcome::Unknown], words);
        let both = [Outcome::Ok, Outcome::Unknown];
        assert_verdicts(member, &appended(&plugin), &both, words);
    }
    let padded = [&plugin[..], &[0; 5000]].concat();
    assert_verdicts("padding", &padded, &[Outcome::Ok], "");
    let script = judged("program", &[&other[..], b"nri.pkg.api.v1alpha1.Plugin"].concat());
    let evidence = script.seen[0].evidence.iter().map(|one| one.detail.as_str());
    assert!(evidence.clone().any(|one| one.contains("the service that plugins serve")));
}

#[test]
fn constants_in_the_section_of_code_are_read() {
    let mut program = elf::with(b"\0nri.pkg.api.v1alpha1.Plugin\0").bytes;
    let name = program.windows(8).enumerate().find(|(_, bytes)| *bytes == b".rodata\0").unwrap().0;
    program[name..name + 7].copy_from_slice(b".text\0\0");
    assert_verdicts("renamed", &program, &[Outcome::Unknown], "speaks NRI's protocol");
}

#[test]
fn a_program_with_the_name_of_a_plugin_is_assumed_to_be_one() {
    let folder = tempfile::tempdir().unwrap();
    let details = |name: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, program(10)).unwrap();
        let request = Request { paths: vec![path], threads: 1, ..Request::default() };
        collect(&request, READERS).sightings[0].evidence[0].detail.clone()
    };
    assert!(details("10-a").contains("with the name of a plugin"));
    assert!(details("other").contains("not a plugin"));
}

/// Returns bytes without a pattern, which look packed.
fn noise(size: usize) -> Vec<u8> {
    let mut random = fastrand::Rng::with_seed(41);
    std::iter::repeat_with(|| random.u8(..)).take(size).collect()
}

#[test]
fn packed_data_of_any_kind_counts_as_skipped() {
    let packed = noise(300 << 10);
    let hex: String = packed.iter().map(|byte| format!("{byte:02x}")).collect();
    let folder = tempfile::tempdir().unwrap();
    for (member, data, is_packed) in [
        ("packed", packed.clone(), true),
        ("hexadecimal", hex.into_bytes(), true),
        ("short", packed[..200 << 10].to_vec(), false),
        ("a text", b"a help with words and spaces; ".repeat(20 << 10), false),
    ] {
        let file = folder.path().join("10-a");
        std::fs::write(&file, elf::with(&[manifest(), data].concat()).bytes).unwrap();
        let found = collect(&Request { paths: vec![file], ..Request::default() }, READERS);
        assert_eq!(found.sightings.len(), 1, "{member}: {:?}", found.sightings);
        let reasons: Vec<&str> = found.skipped.iter().map(|one| &*one.reason).collect();
        assert_eq!(reasons.len(), usize::from(is_packed), "{member}: {reasons:?}");
        assert!(reasons.iter().all(|reason| reason.contains("KiB of packed data")), "{reasons:?}");
    }
}
