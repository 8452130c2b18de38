//! Logs in realistic shape: in pieces of any size, truncated, mixed, with foreign bytes, far too
//! long, compressed.

use std::io::{Read, Write};

use nri_compat::check::logs::{self, LONGEST_LINE, Log};
use nri_compat::sighting::Interface;
use nri_tests::logs::{OLD_EVENTS, Plugin, WRAPS, plugins, read, recorded, recorded_lines};

const OLD: &str = "containerd-v2.4.2-old-plugin.logfmt.log";
const OLD_JSON: &str = "containerd-v2.4.2-old-plugin.json.log";
const LIST: &str = "containerd-v2.4.2-old-plugin.deprecations.json";

/// Hands out bytes in pieces of random sizes up to `largest`.
struct Pieces<'b> {
    bytes: &'b [u8],
    largest: usize,
    random: fastrand::Rng,
}

impl Read for Pieces<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let piece = self.random.usize(1..=self.largest).min(buffer.len());
        self.bytes.read(&mut buffer[..piece])
    }
}

fn in_pieces(bytes: &[u8], largest: usize, seed: u64) -> Log {
    let random = fastrand::Rng::with_seed(seed);
    logs::read(&"the.log".into(), &mut Pieces { bytes, largest, random })
}

/// Everything there is, one after the other, with garbage and long lines between.
fn mixture() -> Vec<u8> {
    let mut all = Vec::new();
    // The beginning of a log shows how entries are spread over lines, for all of it.
    let on_one_line = |name: &&str| !name.contains("pretty") && !name.contains("pieces");
    let wraps = WRAPS.iter().filter(|(name, ..)| on_one_line(name));
    for (nth, (_, wrap, _)) in wraps.enumerate() {
        for line in recorded_lines(if nth % 2 == 0 { OLD } else { OLD_JSON }) {
            all.extend_from_slice(wrap(&line).as_bytes());
            all.push(b'\n');
        }
        all.extend_from_slice(b"\xff\xfe plugin \"\0\x80 registered as \n");
        all.extend_from_slice(&recorded(LIST));
    }
    all.extend(std::iter::repeat_n(b'x', 5 << 20));
    all.extend_from_slice(b"\nplugin 99-last uses deprecated StateChange instead of a dedicated RunPodSandbox RPC call");
    all
}

#[test]
fn pieces_of_any_size_add_up_to_the_same() {
    let all = mixture();
    let whole = read(&all);
    assert_eq!(whole.sightings.len(), 3, "list, 10-template, 99-last");
    for (seed, largest) in [3, 17, 4096, 65_537, 1 << 20].into_iter().enumerate() {
        assert_eq!(
            in_pieces(&all, largest, seed as u64),
            whole,
            "pieces up to {largest}, seed {seed}"
        );
    }
    let small = recorded(OLD);
    for largest in 1..40 {
        assert_eq!(in_pieces(&small, largest, 7), read(&small), "pieces up to {largest}");
    }
}

#[test]
fn a_log_cut_at_any_byte_names_nothing_that_is_not_there() {
    for name in [OLD, OLD_JSON] {
        let mut before = String::new();
        for line in recorded_lines(name) {
            // A line that names no plugin says nothing wherever it is cut.
            for end in (0..line.len()).filter(|_| line.contains("plugin")) {
                let log = read(format!("{before}{}", &line[..end]).as_bytes());
                for plugin in named(&log) {
                    assert_eq!(plugin.name, "10-template", "{name} cut after {}", &line[..end]);
                    assert!(plugin.events.iter().all(|event| OLD_EVENTS.contains(&event.as_str())));
                }
            }
            before += &format!("{line}\n");
        }
    }
}

#[test]
fn a_warning_cut_anywhere_is_counted_as_cut_or_read_right() {
    let line = warnings(OLD_JSON).remove(0);
    let whole = plugins(&read(line.as_bytes()));
    for end in line.find("deprecated interface").expect("there") + 20..line.len() {
        let cut = read(format!("{}\n", &line[..end]).as_bytes());
        assert_eq!(named(&cut).len(), 0, "cut at {end}");
        assert_is_unnamed_warning(&cut);
        assert_eq!(cut.skipped.len(), 1, "cut at {end}");
        assert!(cut.skipped[0].reason.starts_with("1 line with a warning"), "{:?}", cut.skipped);
    }
    assert_eq!(whole.len(), 1);
}

/// Two writers, or a crash in the middle of a line: another line begins where one was cut.
#[test]
fn lines_that_ran_into_each_other_name_nothing_wrong() {
    let (warnings, lines) = (warnings(OLD), recorded_lines(OLD));
    let mut cut_warnings = 0;
    for (warning, other) in warnings.iter().zip(lines.iter().cycle()) {
        for end in 0..warning.len() {
            let log = read(format!("{}{other}\n", &warning[..end]).as_bytes());
            for plugin in named(&log) {
                assert_eq!(plugin.name, "10-template", "{end}: {warning}{other}");
                assert!(plugin.events.iter().all(|event| OLD_EVENTS.contains(&event.as_str())));
            }
            cut_warnings += log.skipped.len();
        }
    }
    assert!(cut_warnings > 100, "{cut_warnings}");
}

/// Returns the plugins that a log names.
fn named(log: &Log) -> Vec<Plugin> {
    let mut plugins = plugins(log);
    plugins.retain(|plugin| !plugin.name.is_empty());
    plugins
}

/// Asserts that a warning without a name still counts: some plugin relies on `StateChange`.
fn assert_is_unnamed_warning(log: &Log) {
    let [one] = log.sightings.as_slice() else { panic!("{:?}", log.sightings) };
    assert_eq!((&one.name, &one.interface), (&None, &Interface::StateChange));
}

fn warnings(name: &str) -> Vec<String> {
    recorded_lines(name).into_iter().filter(|line| line.contains("deprecated interface")).collect()
}

#[test]
fn bytes_that_are_no_utf_8_spoil_only_what_they_stand_in() {
    let plain = plugins(&read(&recorded(OLD_JSON)));
    let mut spoilt = Vec::new();
    for line in recorded_lines(OLD_JSON) {
        let line = line.replacen("{", "{\"extra\":\"?\",", 1).replace('?', "\u{1}");
        spoilt.extend(line.bytes().map(|byte| if byte == 1 { 0xff } else { byte }));
        spoilt.extend_from_slice(b"\r\n\xc3\x28\0\0\xf0\x9f\n");
    }
    assert!(std::str::from_utf8(&spoilt).is_err());
    assert_eq!(plugins(&read(&spoilt)), plain);
}

#[test]
fn long_lines_are_read_and_one_beyond_the_limit_is_counted() {
    let line = warnings(OLD_JSON).remove(0);
    let padded =
        |bytes: usize| line.replacen('{', &format!("{{\"pad\":\"{}\",", "x".repeat(bytes)), 1);
    let next = "\nplugin 99-last uses deprecated StateChange instead of a dedicated RunPodSandbox RPC call\n";
    let names = |log: &Log| plugins(log).into_iter().map(|plugin| plugin.name).collect::<Vec<_>>();
    let long = read((padded(6 << 20) + next).as_bytes());
    assert_eq!(names(&long), ["10-template", "99-last"]);
    assert_eq!(long.skipped, []);
    let beyond = read((padded(LONGEST_LINE) + next).as_bytes());
    assert_eq!(names(&beyond), ["99-last"]);
    assert_eq!(beyond.skipped[0].reason, "1 line longer than 256 MiB");
}

#[test]
fn packed_logs_are_read_through_all_their_members() {
    let whole = recorded(OLD);
    let plain = plugins(&read(&whole));
    let (one, other) = whole.split_at(whole.len() / 2 + 13);
    let zstd = |bytes: &[u8]| zstd::encode_all(bytes, 3).expect("packed");
    for packed in [[gzip(one), gzip(other)].concat(), [zstd(one), zstd(other)].concat()] {
        assert_eq!(plugins(&read(&packed)), plain);
        let cut = read(&packed[..packed.len() - 20]);
        assert!(
            cut.skipped[0].reason.starts_with("cannot be read to its end: "),
            "{:?}",
            cut.skipped
        );
        assert!(!cut.sightings.is_empty(), "what came before is kept");
    }
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    packer.write_all(bytes).expect("in memory");
    packer.finish().expect("in memory")
}

/// Whatever happens to a line in a wrapper: no panic, and no plugin that is not in it.
#[test]
fn damaged_wrappers_name_nothing_wrong() {
    let lines = [warnings(OLD).remove(0), warnings(OLD_JSON).remove(0)];
    let mut random = fastrand::Rng::with_seed(11);
    for nth in 0..4000 {
        let (_, wrap, _) = WRAPS[nth % WRAPS.len()];
        let mut bytes = wrap(&lines[nth % 2]).into_bytes();
        for _ in 0..random.usize(1..4) {
            let (from, to) = (random.usize(..bytes.len()), random.usize(..bytes.len()));
            match random.u8(..4) {
                0 => bytes.truncate(from.max(1)),
                1 => drop(bytes.drain(from.min(to)..from.max(to).min(bytes.len() - 1))),
                2 => bytes.insert(from, *random.choice(b"\"\\{}[],= \n\0").expect("one")),
                _ => bytes.extend_from_within(from.min(to)..from.max(to)),
            }
        }
        let log = read(&bytes);
        let text = String::from_utf8_lossy(&bytes).into_owned();
        assert!(log.sightings.len() <= 8, "{text}");
        assert_eq!(log.bytes > 0, !bytes.is_empty(), "{text}");
    }
}

#[test]
fn garbage_is_no_log() {
    let mut random = fastrand::Rng::with_seed(5);
    for length in [0, 1, 100, 100_000] {
        let garbage: Vec<u8> = std::iter::repeat_with(|| random.u8(..)).take(length).collect();
        assert_eq!(read(&garbage).sightings, []);
    }
}

#[test]
fn a_flood_of_names_stays_bounded_and_is_said() {
    let lines = |nth: usize| {
        format!(
            "plugin 10-p{nth} uses deprecated StateChange instead of a dedicated RunPodSandbox RPC call\n"
        )
    };
    let flood: String = (0..3000).map(lines).collect();
    let log = read(flood.as_bytes());
    assert_eq!(log.sightings.len(), 2048);
    assert_eq!(log.skipped[0].reason, "952 lines about plugins beyond the limit");
}
