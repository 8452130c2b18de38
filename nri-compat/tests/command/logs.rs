//! `nri-compat logs` as its users run it.

use std::fs;
use std::io::Write;
use std::process::{Command, Stdio};

use serde_json::Value;

#[test]
fn a_warning_that_cannot_be_understood_counts_in_summary_and_exit_code() {
    for (line, verdict) in [
        ("~~ NRI plugin uses a deprecated interface / StateChange / 10-x ~~", "deprecated"),
        ("plugin 10-x uses deprecated StateChange instead of a dedicated Run", "deprecated"),
        ("Deprecated NRI plugin(s) a,b", "deprecated"),
    ] {
        let output = logs(&["-", "--format", "json"], line.as_bytes());
        assert_eq!(output.status.code(), Some(100), "{line}");
        let report: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        assert_eq!(report["summary"]["skipped"], 1, "{line}");
        assert_eq!(report["summary"][verdict], 1, "{line}: {report:#}");
        assert_eq!(report["subjects"][0]["verdicts"][0]["verdict"], verdict, "{line}");
    }
}

#[test]
fn a_finding_shows_the_line_and_never_asks_for_the_log_again() {
    for line in [WARNING, &WARNING[..120], "Deprecated NRI plugin(s) a,b"] {
        let output = logs(&["-"], line.as_bytes());
        // The report wraps long lines.
        let words: Vec<String> =
            String::from_utf8_lossy(&output.stdout).split_whitespace().map(str::to_owned).collect();
        let shown = words.join(" ");
        assert!(shown.contains(&format!("line 1: {}", line.trim_end())), "{shown}");
        assert!(!shown.contains("nri-compat logs"), "{shown}");
    }
}

#[test]
fn a_time_in_no_form_is_a_mistake_in_usage() {
    let output = logs(&["-", "--since", "soon"], b"");
    assert_eq!(output.status.code(), Some(2));
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(error.contains("`soon` is not a time; try"), "{error}");
    assert_eq!(logs(&["-", "--since", "-1h", "--until", "today"], b"").status.code(), Some(0));
}

const HARMLESS: &str = "time=\"2026-03-18T20:15:04Z\" level=info msg=\"starting containerd\"\n";
const WARNING: &str = "time=\"2026-03-18T20:15:04Z\" level=warning msg=\"NRI plugin uses a deprecated interface.\" deprecated=StateChange details=\"does not implement RunPodSandbox\" plugin=10-template";

/// Returns a log in every compression, each with the extension of its files.
fn packed(text: &[u8]) -> Vec<(&'static str, Vec<u8>)> {
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    let mut xz = liblzma::write::XzEncoder::new(Vec::new(), 6);
    let mut bzip2 = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::default());
    for writer in [&mut gzip as &mut dyn Write, &mut xz, &mut bzip2] {
        writer.write_all(text).expect("in memory");
    }
    vec![
        ("gz", gzip.finish().expect("in memory")),
        ("xz", xz.finish().expect("in memory")),
        ("bz2", bzip2.finish().expect("in memory")),
        ("zst", zstd::encode_all(text, 3).expect("in memory")),
    ]
}

/// Returns where a log is cut: everywhere in its header, and at some places after it.
fn cuts(whole: &[u8]) -> impl Iterator<Item = usize> {
    (0..12).chain((12..whole.len()).step_by(9)).chain([whole.len() - 1])
}

/// Whatever is missing may be a warning, so that a log that was cut anywhere is not clean.
#[test]
fn a_compressed_log_that_was_cut_anywhere_is_not_clean() {
    let folder = tempfile::tempdir().expect("a folder");
    for (extension, whole) in packed(HARMLESS.repeat(3).as_bytes()) {
        let path = folder.path().join(format!("a.log.{extension}"));
        let shown = path.to_string_lossy().into_owned();
        fs::write(&path, &whole).expect("written");
        assert_eq!(logs(&[&shown], b"").status.code(), Some(0), "{extension}");
        for end in cuts(&whole) {
            fs::write(&path, &whole[..end]).expect("written");
            let output = logs(&[&shown, "--format", "json"], b"");
            assert_eq!(output.status.code(), Some(1), "{extension} cut at {end}");
            let report: Value = serde_json::from_slice(&output.stdout).expect("JSON");
            assert_eq!(report["summary"]["unknown"], 1, "{extension} cut at {end}");
            assert_eq!(report["summary"]["skipped"], 1, "{extension} cut at {end}");
        }
        // From a pipe, bytes that are text are a log.
        for end in cuts(&whole).filter(|end| *end > 4) {
            let output = logs(&["-"], &whole[..end]);
            assert_eq!(output.status.code(), Some(1), "{extension} cut at {end}");
        }
    }
}

#[test]
fn a_warning_in_a_long_line_counts() {
    let long = "x".repeat(5 << 20);
    let quoted = WARNING.replace('"', "\\\"");
    for (line, code) in [
        (long.clone(), 0),
        (format!("{long} plugin a, plugins b"), 0),
        (format!("{WARNING} {long}"), 100),
        (format!("{{\"pad\":\"{long}\",\"log\":\"{quoted}\"}}"), 100),
    ] {
        let (start, end) = (line.split_at(40).0, line.split_at(line.len() - 40).1);
        for text in [line.clone(), format!("{HARMLESS}{line}\n{HARMLESS}")] {
            let output = logs(&["-"], text.as_bytes());
            assert_eq!(output.status.code(), Some(code), "{start}…{end}");
        }
    }
}

#[test]
fn lines_of_applications_are_silent() {
    let line = "Class com.acme.Foo does not implement com.acme.StateChangeListener\n";
    assert_eq!(logs(&["-"], line.as_bytes()).status.code(), Some(0));
}

#[test]
fn files_in_a_folder_that_are_no_logs_do_not_count_and_named_ones_do() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name).to_string_lossy().into_owned();
    let all = folder.path().to_string_lossy().into_owned();
    fs::write(path("containerd.log"), HARMLESS).expect("written");
    fs::write(path("wtmp"), b"\x07\0\0\0\x33\x04\0\0tty").expect("written");
    std::os::unix::fs::symlink("nothing", path("dangling.log")).expect("linked");
    assert_eq!(logs(&[&all], b"").status.code(), Some(0));
    assert_eq!(logs(&[&path("wtmp")], b"").status.code(), Some(1));
    assert_eq!(logs(&[&path("dangling.log")], b"").status.code(), Some(1));
    // Another file does not hide one that cannot be read.
    fs::write(path("containerd.log.1"), b"\x04\x22\x4d\x18\x64\x40\xa7\0\0\0\0").expect("written");
    assert_eq!(
        logs(&[&path("containerd.log"), &path("containerd.log.1")], b"").status.code(),
        Some(1)
    );
    fs::remove_file(path("containerd.log.1")).expect("removed");
    // The journal of a machine holds the log of its runtime.
    fs::create_dir(path("journal")).expect("made");
    fs::write(path("journal/system.journal"), b"LPKSHHRH\0\0\0\0plugin").expect("written");
    assert_eq!(logs(&[&all], b"").status.code(), Some(1));
}

#[test]
fn links_in_a_folder_are_followed_once_and_never_upwards() {
    use std::os::unix::fs::symlink;
    let folder = tempfile::tempdir().expect("a folder");
    let other = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name);
    let all = folder.path().to_string_lossy().into_owned();
    symlink(&all, path("itself")).expect("linked");
    symlink("..", path("above")).expect("linked");
    let harmless = logs(&[&all], b"");
    assert_eq!(harmless.status.code(), Some(0));
    let shown = String::from_utf8_lossy(&harmless.stdout);
    assert!(shown.contains("above: leads to a folder above"), "{shown}");
    // The logs of pods may be on another disk.
    fs::write(other.path().join("0.log"), WARNING).expect("written");
    symlink(other.path(), path("pods")).expect("linked");
    symlink(other.path().join("0.log"), path("a.log")).expect("linked");
    symlink(other.path().join("0.log"), path("b.log")).expect("linked");
    let found = logs(&[&all, "--format", "json"], b"");
    assert_eq!(found.status.code(), Some(100));
    let report = String::from_utf8_lossy(&found.stdout);
    assert!(report.contains("\"count\": 1,"), "{report}");
}

fn logs(args: &[&str], input: &[u8]) -> std::process::Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_nri-compat"))
        .arg("logs")
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it starts");
    // It may end before it reads anything.
    let _ = child.stdin.take().expect("a pipe").write_all(input);
    child.wait_with_output().expect("it ends")
}
