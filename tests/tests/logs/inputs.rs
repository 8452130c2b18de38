//! Logs as stored on disk: in several files, in folders, compressed; the period to report; and
//! warnings that cannot be parsed, which count.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use nri_compat::check::logs::{Options, Period, parse_time, read_logs};
use nri_compat::sighting::Interface;
use nri_compat::skipped::SkipKind;
use nri_tests::logs::{Plugin, plugins, read, recorded, recorded_lines};

const OLD: &str = "containerd-v2.4.2-old-plugin.logfmt.log";
const WARNING: &str = "time=\"2026-03-18T20:15:04Z\" level=warning msg=\"NRI plugin uses a deprecated interface.\" deprecated=StateChange details=\"does not implement RunPodSandbox\" plugin=10-template\n";

fn write(folder: &Path, name: &str, bytes: &[u8]) -> PathBuf {
    let path = folder.join(name);
    fs::create_dir_all(path.parent().expect("a folder")).expect("made");
    fs::write(&path, bytes).expect("written");
    path
}

fn found(paths: &[PathBuf], options: &Options<'_>) -> Vec<Plugin> {
    let collected = read_logs(paths, options);
    assert_eq!(collected.skipped, []);
    collected.sightings.iter().map(Plugin::from).collect()
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    packer.write_all(bytes).expect("in memory");
    packer.finish().expect("in memory")
}

fn xz(bytes: &[u8]) -> Vec<u8> {
    let mut packer = liblzma::write::XzEncoder::new(Vec::new(), 6);
    packer.write_all(bytes).expect("in memory");
    packer.finish().expect("in memory")
}

#[test]
fn a_plugin_in_several_files_is_one_sighting_with_all_its_lines() {
    let expected = plugins(&read(&recorded(OLD)));
    let lines: Vec<String> = recorded_lines(OLD).iter().map(|line| format!("{line}\n")).collect();
    let folder = tempfile::tempdir().expect("a folder");
    for cut in (0..lines.len()).step_by(7) {
        let (old, new) = lines.split_at(cut);
        let (oldest, old) = old.split_at(old.len() / 2);
        let files = [
            write(folder.path(), "a.log", new.concat().as_bytes()),
            write(folder.path(), "a.log.2.gz", &gzip(oldest.concat().as_bytes())),
            write(folder.path(), "a.log.1", old.concat().as_bytes()),
        ];
        assert_eq!(found(&files, &Options::default()), expected, "cut at {cut}");
    }
}

#[test]
fn each_file_with_a_plugin_is_named_with_its_line() {
    let folder = tempfile::tempdir().expect("a folder");
    let harmless = "time=\"2026-03-18T20:15:04Z\" msg=starting\n";
    let files = [
        write(folder.path(), "a.log.1", WARNING.as_bytes()),
        write(folder.path(), "a.log", format!("{harmless}{WARNING}").as_bytes()),
    ];
    let collected = read_logs(&files, &Options::default());
    let [one] = collected.sightings.as_slice() else { panic!("{:?}", collected.sightings) };
    let shown = |line: usize| format!("{}:{line}", files[line - 1].display());
    assert_eq!(one.place.to_string(), shown(1));
    let other = format!("also in {}", shown(2));
    assert!(one.evidence.iter().any(|note| note.detail == other), "{:?}", one.evidence);
}

#[test]
fn a_last_line_without_its_end_is_read_unless_its_name_was_cut() {
    let line = WARNING.trim_end();
    assert_eq!(plugins(&read(line.as_bytes())), plugins(&read(WARNING.as_bytes())));
    for end in line.len() - "-template".len()..line.len() {
        let log = read(format!("{WARNING}{}", &line[..end]).as_bytes());
        let found = plugins(&log);
        let [one] = found.as_slice() else { panic!("{end}: {:?}", log.sightings) };
        assert_eq!((one.name.as_str(), one.count), ("10-template", 1), "{end}");
        assert_eq!(log.skipped[0].kind, SkipKind::Broken, "{end}");
    }
}

#[test]
fn a_folder_stands_for_its_logs_and_a_link_counts_once() {
    let folder = tempfile::tempdir().expect("a folder");
    let log = write(folder.path(), "pods/n_p/c/0.log", WARNING.as_bytes());
    write(folder.path(), "pods/n_p/c/0.log.20260317-201504.gz", &gzip(WARNING.as_bytes()));
    write(folder.path(), "other/syslog", WARNING.replace("10-template", "20-other").as_bytes());
    fs::create_dir(folder.path().join("containers")).expect("made");
    std::os::unix::fs::symlink(&log, folder.path().join("z.log")).expect("linked");
    let found = found(&[folder.path().to_owned()], &Options::default());
    let names: Vec<_> = found.iter().map(|one| (one.name.as_str(), one.count)).collect();
    assert_eq!(names, [("10-template", 2), ("20-other", 1)]);
}

#[test]
fn xz_is_read() {
    let whole = recorded(OLD);
    let expected = plugins(&read(&whole));
    let (one, other) = whole.split_at(whole.len() / 3);
    assert_eq!(plugins(&read(&[xz(one), xz(other)].concat())), expected);
    let cut = xz(&whole);
    let log = read(&cut[..cut.len() / 2]);
    assert!(log.skipped[0].reason.starts_with("cannot be read to its end: "), "{:?}", log.skipped);
}

#[test]
fn a_journal_in_its_own_format_is_skipped_with_the_way_out() {
    let log = read(b"LPKSHHRH\0\0\0\0plugin");
    assert!(log.skipped[0].reason.contains("journalctl --file"), "{:?}", log.skipped);
}

#[test]
fn only_lines_of_the_period_are_read() {
    let folder = tempfile::tempdir().expect("a folder");
    let lines: String = ["17", "18", "19"]
        .map(|day| format!("{}\n", WARNING.trim_end().replace("03-18", &format!("03-{day}"))))
        .concat();
    let without_time = WARNING.trim_end().replace("time=\"2026-03-18T20:15:04Z\" ", "");
    let file = write(folder.path(), "a.log", format!("{lines}{without_time}\n").as_bytes());
    let time = |text: &str| Some(parse_time(text).expect("a time"));
    for (since, until, count) in [
        (None, None, 4),
        (time("2026-03-18T00:00:00Z"), None, 3),
        (None, time("2026-03-18T20:15:04Z"), 3),
        (time("2026-03-18T00:00:00Z"), time("@1773900000"), 2),
        (time("2026-03-20"), None, 1),
    ] {
        let options = Options { period: Period { since, until }, progress: None };
        assert_eq!(
            found(std::slice::from_ref(&file), &options)[0].count,
            count,
            "{since:?} {until:?}"
        );
    }
}

#[test]
fn bytes_that_look_like_a_mark_of_utf_16_do_not_hide_a_log() {
    let expected = plugins(&read(&recorded(OLD)));
    for noise in [&b"\xff\xfe\x00caf\xe9\n"[..], b"\xfe\xffcaf\xe9\n"] {
        let log = read(&[noise, &recorded(OLD)].concat());
        assert_eq!(plugins(&log), expected, "{noise:?}");
    }
}

#[test]
fn a_log_in_utf_16_is_read_if_it_has_a_mark() {
    let text = String::from_utf8(recorded(OLD)).expect("recordings are UTF-8");
    let expected = plugins(&read(text.as_bytes()));
    let marked = format!("\u{feff}{}", text.replace('\n', "\r\n"));
    let encoded =
        |bytes: fn(u16) -> [u8; 2]| -> Vec<u8> { marked.encode_utf16().flat_map(bytes).collect() };
    for log in [encoded(u16::to_le_bytes), encoded(u16::to_be_bytes)] {
        assert_eq!(plugins(&read(&log)), expected);
        let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
        packed.write_all(&log).expect("in memory");
        assert_eq!(plugins(&read(&packed.finish().expect("in memory"))), expected);
    }
}

#[test]
fn what_is_not_text_is_skipped() {
    let text = String::from_utf8(recorded(OLD)).expect("recordings are UTF-8");
    let harmless = "time=\"2026-03-18T20:15:04Z\" level=info msg=\"starting containerd\"\n";
    let utf_16: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let utf_32: Vec<u8> =
        harmless.repeat(20).chars().flat_map(|letter| u32::from(letter).to_le_bytes()).collect();
    let mut zlib = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::default());
    zlib.write_all(text.as_bytes()).expect("in memory");
    for bytes in [
        [&[0xff, 0xfe, 0, 0][..], &utf_32].concat(),
        utf_32,
        utf_16,
        zlib.finish().expect("in memory"),
        b"ElfFile\0\0\0\0".repeat(400),
    ] {
        let log = read(&bytes);
        assert_eq!(log.sightings, []);
        let [skipped] = log.skipped.as_slice() else { panic!("{:?}", log.skipped) };
        assert_eq!(skipped.kind, SkipKind::UnsupportedFormat);
        assert!(skipped.reason.starts_with("is not text"), "{}", skipped.reason);
    }
}

#[test]
fn a_warning_that_cannot_be_understood_counts() {
    for (line, interface) in [
        (&WARNING[..110], Interface::StateChange),
        (
            "~~ NRI plugin uses a deprecated interface / StateChange / 10-x ~~",
            Interface::StateChange,
        ),
        (
            "plugin 10-x uses deprecated StateChange instead of a dedicated Run",
            Interface::StateChange,
        ),
        ("Deprecated NRI plugin(s) a,b", Interface::OneShot),
    ] {
        let log = read(format!("{line}\n").as_bytes());
        let [one] = log.sightings.as_slice() else { panic!("{line}: {:?}", log.sightings) };
        assert_eq!((&one.interface, &one.name), (&interface, &None), "{line}");
        assert_eq!(log.skipped.len(), 1, "{line}: {:?}", log.skipped);
    }
}

/// Returns the objects of a log in JSON lines.
fn objects(name: &str) -> Vec<serde_json::Value> {
    let lines = recorded_lines(name);
    // containerd prints a few lines before it reads its configuration.
    lines.iter().filter_map(|line| serde_json::from_str(line).ok()).collect()
}

fn pretty(value: &serde_json::Value) -> String {
    serde_json::to_string_pretty(value).expect("JSON")
}

#[test]
fn a_document_of_any_indentation_is_read_as_its_lines() {
    let name = "containerd-v2.4.2-old-plugin.json.log";
    let expected = plugins(&read(&recorded(name)));
    assert!(!expected.is_empty());
    let objects = objects(name);
    let stream: String = objects.iter().map(|object| format!("{}\n", pretty(object))).collect();
    let list = pretty(&serde_json::Value::from(objects.clone()));
    let wrapped = pretty(&serde_json::json!({"hits": {"hits": objects.clone()}}));
    let tight = list.lines().map(|line| format!("{}\n", line.trim_start())).collect::<String>();
    for text in [stream, list, wrapped, tight] {
        let log = read(text.as_bytes());
        assert_eq!(log.skipped, [], "{}", &text[..100]);
        assert_eq!(plugins(&log), expected, "{}", &text[..100]);
    }
}

#[test]
fn a_finding_in_a_document_has_the_line_where_its_entry_begins() {
    let objects = objects("containerd-v2.4.2-old-plugin.json.log");
    let list = pretty(&objects.into());
    let log = read(list.as_bytes());
    for plugin in &log.sightings {
        let line = plugin.place.line.expect("a line") as usize;
        assert_eq!(list.lines().nth(line - 1).map(str::trim), Some("{"), "line {line}");
    }
}

/// Returns rows as a table, with all cells in quotation marks.
fn table(separator: char, rows: &[Vec<String>]) -> String {
    let cell = |cell: &String| format!("\"{}\"", cell.replace('"', "\"\""));
    let row =
        |row: &Vec<String>| row.iter().map(cell).collect::<Vec<_>>().join(&separator.to_string());
    rows.iter().map(|cells| format!("{}\r\n", row(cells))).collect()
}

fn row(cells: &[&str]) -> Vec<String> {
    cells.iter().map(|cell| (*cell).to_owned()).collect()
}

#[test]
fn tables_of_splunk_and_grafana_are_read_as_their_lines() {
    for separator in [',', ';', '\t'] {
        for name in [OLD, "containerd-v2.4.2-old-plugin.json.log"] {
            let expected = plugins(&read(&recorded(name)));
            let lines = recorded_lines(name);
            let splunk: Vec<_> = std::iter::once(row(&["_raw", "_time", "host"]))
                .chain(lines.iter().map(|line| row(&[line, "1795261638", "node-1"])))
                .collect();
            let labels = r#"{"node":"node-1"}"#;
            let grafana: Vec<_> = std::iter::once(row(&["Time", "Line", "labels"]))
                .chain(lines.iter().map(|line| row(&["2026-11-21 11:47:18", line, labels])))
                .collect();
            for rows in [splunk, grafana] {
                let log = read(table(separator, &rows).as_bytes());
                assert_eq!(log.skipped, [], "{name}");
                assert_eq!(plugins(&log), expected, "{name}, {separator:?}");
                let texts = log.sightings[0].evidence.iter().map(|one| one.detail.as_str());
                assert!(
                    texts.clone().any(|detail| detail == "logged on node-1"),
                    "{:?}",
                    Vec::from_iter(texts)
                );
            }
        }
    }
}

#[test]
fn plugin_and_event_of_a_table_may_be_in_columns_beside_the_message() {
    let name = "containerd-v2.4.2-old-plugin.json.log";
    let columns = ["time", "msg", "plugin", "deprecated", "details"];
    let entries = objects(name).into_iter().map(|object| {
        let cell = |key: &&str| object[*key].as_str().unwrap_or_default().to_owned();
        columns.iter().map(cell).collect()
    });
    let rows: Vec<Vec<String>> = std::iter::once(row(&columns)).chain(entries).collect();
    assert_eq!(plugins(&read(table(',', &rows).as_bytes())), plugins(&read(&recorded(name))));
}
