//! Warnings in notations that no format describes: each counts, with or without the name of the
//! plugin. A log with data that is not read is never clean.

use std::io::Write as _;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use nri_compat::check::logs::{self, Log};
use nri_compat::sighting::Interface;
use nri_compat::skipped::SkipKind;

const WARNING: &str = "time=\"2026-03-18T20:15:04Z\" level=warning msg=\"NRI plugin uses a deprecated interface.\" deprecated=StateChange details=\"does not implement RunPodSandbox\" plugin=10-template";
const CRI_O: &str = "time=\"2026-03-18 20:15:04.861795837Z\" level=warning msg=\"plugin 10-template uses deprecated StateChange instead of a dedicated RunPodSandbox RPC call\"";
const HARMLESS: &str =
    "time=\"2026-03-18T20:15:04Z\" level=info msg=\"the option is deprecated\"\n";

/// A notation, by its name.
type Notation = (&'static str, fn(&str) -> Vec<u8>);

const NOTATIONS: [Notation; 22] = [
    ("lower case", |line| line.to_lowercase().into()),
    ("upper case", |line| line.to_uppercase().into()),
    ("escapes of JSON", |line| {
        line.replace(' ', "\\u0020").into()
    }),
    ("escapes of C", |line| line.replace(' ', "\\x20").into()),
    ("octal escapes", |line| line.replace(' ', "\\040").into()),
    ("escapes of a shell", |line| line.replace(' ', "\\ ").into()),
    ("escaped tabs", |line| line.replace(' ', "\\t").into()),
    ("decimal entities", |line| line.replace(' ', "&#32;").into()),
    ("hexadecimal entities", |line| {
        line.replace(' ', "&#x20;").into()
    }),
    ("quoted-printable", |line| {
        line.replace('=', "=3D").replace(' ', "=20").into()
    }),
    ("double spaces", |line| line.replace(' ', "  ").into()),
    ("thin spaces", |line| line.replace(' ', "\u{2009}").into()),
    ("spaces of Windows-1252", |line| {
        bytes_for_spaces(line, b"\xa0")
    }),
    ("zeros", |line| bytes_for_spaces(line, b"\0")),
    ("underscores", |line| line.replace(' ', "_").into()),
    ("a colour before a space", |line| {
        line.replace(' ', "\x1b[0m ").into()
    }),
    ("a colour within words", |line| {
        line.replace("eprec", "epr\x1b[31mec").into()
    }),
    ("a visible colour", |line| {
        line.replace(' ', "^[[1;31m ").into()
    }),
    ("line ends within the message", |line| {
        line.replace("plugin", "plu\ngin").into()
    }),
    ("without its beginning", |line| {
        line.split_once("uses").expect("it is there").1.into()
    }),
    ("UTF-16 after other text", |line| {
        let units = line.encode_utf16().flat_map(u16::to_le_bytes);
        HARMLESS.repeat(20).bytes().chain(units).collect()
    }),
    ("Base64", |line| {
        format!("{{\"data\":\"{}\"}}", STANDARD.encode(line)).into()
    }),
];

fn bytes_for_spaces(line: &str, space: &[u8]) -> Vec<u8> {
    // A file that begins with zeros is not text.
    let words: Vec<&[u8]> = line.split(' ').map(str::as_bytes).collect();
    [HARMLESS.repeat(20).into_bytes(), words.join(space)].concat()
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    packer.write_all(bytes).expect("in memory");
    packer.finish().expect("in memory")
}

fn read(bytes: &[u8]) -> Log {
    logs::read(&"a.log".into(), &mut &bytes[..])
}

fn has_warning(log: &Log) -> bool {
    let mut sightings = log.sightings.iter();
    sightings.any(|one| one.interface == Interface::StateChange)
}

#[test]
fn a_warning_counts_in_every_notation() {
    for line in [WARNING, CRI_O] {
        for (name, write) in NOTATIONS {
            assert!(has_warning(&read(&write(line))), "{name}: {line}");
        }
    }
}

#[test]
fn base64_is_read_wherever_it_starts_and_when_compressed() {
    for before in ["", " ", "  "] {
        let text = format!("{before}{WARNING}");
        for bytes in [text.clone().into_bytes(), gzip(text.as_bytes())] {
            let line = format!(
                "{{\"awslogs\":{{\"data\":\"{}\"}}}}",
                STANDARD.encode(bytes)
            );
            let log = read(line.replace('/', "\\/").as_bytes());
            assert_eq!(log.sightings[0].name.as_deref(), Some("template"), "{line}");
        }
    }
    let packed = STANDARD.encode(gzip(WARNING.as_bytes()));
    let log = read(packed.split_at(packed.len() / 2).0.as_bytes());
    assert_eq!(log.skipped[0].kind, SkipKind::NestedArchive, "{log:?}");
}

#[test]
fn fields_without_a_message_count() {
    for line in [
        "{\"deprecated\":\"StateChange\",\"details\":\"does not implement RunPodSandbox\",\"plugin\":\"10-template\"}",
        "2026-03-18T20:15:04Z,does not implement RunPodSandbox,StateChange,10-template",
        "Plugin template uses deprecated StateChange",
    ] {
        assert!(has_warning(&read(line.as_bytes())), "{line}");
    }
}

#[test]
fn other_deprecations_do_not_count() {
    for line in [
        HARMLESS,
        "the field StateChange of the pool is new\n",
        "NRI plugin registered; the annotation is deprecated\n",
        "ZXByZWNhdGVkIGFubm90YXRpb24gaW4gYSBtYW5pZmVzdA==\n",
    ] {
        let log = read(line.as_bytes());
        assert_eq!(
            (log.sightings, log.skipped),
            (Vec::new(), Vec::new()),
            "{line}"
        );
    }
}

#[test]
fn compressed_data_after_text_is_named_and_text_before_damage_counts() {
    let text = HARMLESS.repeat(20);
    let packed = gzip(WARNING.as_bytes());
    let log = read(&[text.as_bytes(), &packed].concat());
    assert_eq!(log.skipped[0].kind, SkipKind::NestedArchive, "{log:?}");
    let log = read(&[&packed[..], text.as_bytes()].concat());
    assert!(has_warning(&log) && log.skipped.len() == 1, "{log:?}");
}

#[test]
fn nested_notations_take_limited_time() {
    let line = "closing plugin \\\"\"\"&quot;&amp;amp;112,108 ".repeat(2000);
    assert_eq!(read(line.as_bytes()).sightings, []);
    let line = format!("{line}{}", WARNING.replace(' ', "\\ "));
    assert!(has_warning(&read(line.as_bytes())));
}
