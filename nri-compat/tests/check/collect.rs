//! The files that `check` finds: folders, links, and what is listed as skipped.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};

use crate::common::{Marker, answers, paths};
use nri_compat::check::collect::{Collected, Request, collect};
use nri_compat::check::evidence::Reader;
use nri_compat::check::progress::Progress;
use nri_compat::sighting::Interface;

fn collected(paths: &[&Path]) -> Collected {
    collected_with(paths, &[&Marker])
}

fn collected_with(paths: &[&Path], readers: &[&dyn Reader]) -> Collected {
    let request = Request {
        paths: paths.iter().map(|path| path.to_path_buf()).collect(),
        threads: 4,
        ..Request::default()
    };
    collect(&request, readers)
}

fn folder() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().canonicalize().unwrap();
    (folder, path)
}

fn shown(root: &Path, names: &[&str]) -> Vec<String> {
    let name = |name: &&str| root.join(name).display().to_string();
    names.iter().map(name).collect()
}

#[test]
fn a_folder_is_walked_and_its_answer_sorted() {
    let (_keep, root) = folder();
    fs::create_dir_all(root.join("deep/er/.hidden")).unwrap();
    fs::write(root.join(".gitignore"), "*").unwrap();
    let names = ["deep/er/.hidden/30-c", "10-a", "deep/20-b"];
    for name in names {
        fs::write(root.join(name), "MARK plugin").unwrap();
    }
    fs::write(root.join("other"), "nothing").unwrap();
    fs::write(root.join("empty"), "").unwrap();

    let found = collected(&[&root]);
    let expected = shown(&root, &["10-a", "deep/20-b", "deep/er/.hidden/30-c"]);
    assert_eq!(paths(&found), expected);
    assert_eq!(found.summary.files, 6);
    assert_eq!(found.summary.looked_at, [root.display().to_string()]);
    assert!(found.skipped.is_empty(), "{:?}", found.skipped);
}

#[test]
fn a_file_with_several_names_is_read_once_under_a_fixed_one() {
    for _ in 0..20 {
        let (_keep, root) = folder();
        for name in ["b/link-1", "z/own", "x/plain"] {
            fs::create_dir_all(root.join(name).parent().unwrap()).unwrap();
        }
        fs::write(root.join("z/own"), "MARK hard").unwrap();
        fs::hard_link(root.join("z/own"), root.join("b/link-1")).unwrap();
        fs::write(root.join("x/plain"), "MARK soft").unwrap();
        symlink(root.join("x/plain"), root.join("a-link")).unwrap();
        symlink("z/own", root.join("a-link-too")).unwrap();
        assert_eq!(paths(&collected(&[&root])), shown(&root, &["b/link-1", "x/plain"]));
    }
}

#[test]
fn links_out_of_a_folder_are_followed_and_cycles_end() {
    let (_keep, root) = folder();
    let (_other, elsewhere) = folder();
    fs::write(elsewhere.join("plugin"), "MARK out").unwrap();
    symlink(elsewhere.join("plugin"), root.join("10-out")).unwrap();
    symlink(&root, root.join("cycle")).unwrap();
    symlink("loop-b", root.join("loop-a")).unwrap();
    symlink("loop-a", root.join("loop-b")).unwrap();
    symlink("nowhere", root.join("dangling")).unwrap();

    let found = collected(&[&root]);
    assert_eq!(paths(&found), shown(&root, &["10-out"]));
    assert_eq!(found.sightings[0].name.as_deref(), Some("10-out"));
    assert!(found.skipped.is_empty(), "{:?}", found.skipped);
}

#[test]
fn paths_that_are_named_are_followed_and_overlaps_read_once() {
    let (_keep, root) = folder();
    fs::create_dir(root.join("in")).unwrap();
    fs::write(root.join("in/plugin"), "MARK x").unwrap();
    symlink("in", root.join("link")).unwrap();
    let (inner, link, file) = (root.join("in"), root.join("link"), root.join("in/plugin"));

    assert_eq!(paths(&collected(&[&link])), shown(&root, &["link/plugin"]));
    assert_eq!(paths(&collected(&[&inner, &root])), shown(&root, &["in/plugin"]));
    assert_eq!(paths(&collected(&[&file, &root, &file])), shown(&root, &["in/plugin"]));
}

#[test]
fn what_is_named_and_cannot_be_judged_is_unknown() {
    let (_keep, root) = folder();
    fs::create_dir(root.join("closed")).unwrap();
    let zip = b"PK\x03\x04rest";
    let gzip = [&[0x1f, 0x8b, 8][..], &[0; 20]].concat();
    for (name, bytes) in [
        ("empty", &b""[..]),
        ("gzip", &gzip),
        ("python", b"#!/usr/bin/env python3\nimport os\n"),
        ("shell", b"#!/bin/sh\nexec /usr/lib/plugin\n"),
        ("text", b"hello"),
        ("zip", zip),
        ("broken", b"MARK FAIL"),
        ("panic", b"MARK PANIC"),
    ] {
        fs::write(root.join(name), bytes).unwrap();
    }
    let _socket = UnixListener::bind(root.join("socket")).unwrap();
    for (name, reason) in [
        ("empty", "it is empty"),
        ("gzip", "compressed with gzip, but neither an archive nor a log"),
        ("python", "a script for `/usr/bin/env python3`; cannot determine which program it runs"),
        ("shell", "a script for `/bin/sh`; cannot determine which program it runs"),
        ("text", "not a kind of file that can be judged"),
        ("zip", "a ZIP archive, which is not read: unpack it and check the folder"),
        ("broken", "broken as asked"),
        ("panic", "defect in the reader `marker`: it panicked"),
        ("socket", "neither a file nor a folder"),
    ] {
        let path = root.join(name);
        let found = collected(&[&path]);
        assert_eq!(answers(&found), [format!("{}: {reason}", path.display())]);
        assert!(matches!(found.sightings[0].interface, Interface::Unknown(_)));
        assert!(found.skipped.is_empty() && found.missing.is_empty(), "{name}");
    }
    let found = collected(&[&root.join("absent")]);
    assert_eq!(found.skipped[0].reason, "no such file or folder");
    assert_eq!(found.missing, shown(&root, &["absent"]));
}

#[test]
fn executables_that_a_runtime_would_start_are_unknown_if_nothing_knows_them() {
    let (_keep, root) = folder();
    let plugins = root.join("opt/nri/plugins");
    fs::create_dir_all(plugins.join("sub")).unwrap();
    for (name, bytes, mode) in [
        ("10-shell", &b"#!/bin/bash\nexec x"[..], 0o755),
        ("20-python", b"#!/usr/bin/python3\n", 0o755),
        ("30-foreign", b"\x00\x01foreign", 0o711),
        ("40-known", b"MARK known", 0o755),
        ("50-empty", b"", 0o755),
        ("no-index", b"#!/bin/sh", 0o755),
        ("60-data", b"not executable", 0o644),
        ("sub/70-below", b"#!/bin/sh", 0o755),
    ] {
        fs::write(plugins.join(name), bytes).unwrap();
        fs::set_permissions(plugins.join(name), fs::Permissions::from_mode(mode)).unwrap();
    }
    symlink("10-shell", plugins.join("80-link")).unwrap();
    symlink("/nowhere", plugins.join("90-dangling")).unwrap();
    for start in [root.as_path(), &plugins] {
        let found = collected(&[start]);
        let names: Vec<String> = answers(&found)
            .iter()
            .map(|line| line.replace(&format!("{}/", plugins.display()), ""))
            .collect();
        assert_eq!(
            names,
            [
                "10-shell: a script for `/bin/bash`; cannot determine which program it runs",
                "20-python: a script for `/usr/bin/python3`; cannot determine which program it runs",
                "30-foreign: not a kind of file that can be judged",
                "50-empty: it is empty",
                "80-link: a script for `/bin/bash`; cannot determine which program it runs",
                "90-dangling: a link that cannot be followed: no such file or folder",
                "no-index: a script for `/bin/sh`; cannot determine which program it runs",
            ]
        );
        assert_eq!(paths(&found), [plugins.join("40-known").display().to_string()]);
        let shell = &found.sightings[0];
        assert_eq!((shell.index.as_deref(), shell.name.as_deref()), (Some("10"), Some("shell")));
    }
}

#[test]
fn a_plugin_is_reported_under_every_name_that_a_runtime_starts() {
    let (_keep, root) = folder();
    let plugins = root.join("nri/plugins");
    fs::create_dir_all(&plugins).unwrap();
    for (name, text) in [("a-soft", "MARK soft"), ("a-hard", "MARK hard"), ("other", "MARK other")]
    {
        fs::write(root.join(name), text).unwrap();
    }
    symlink(root.join("a-soft"), plugins.join("10-soft")).unwrap();
    symlink("10-soft", plugins.join("11-chain")).unwrap();
    fs::hard_link(root.join("a-hard"), plugins.join("20-hard")).unwrap();
    fs::hard_link(root.join("other"), root.join("30-named")).unwrap();
    let expected =
        ["30-named", "nri/plugins/10-soft", "nri/plugins/11-chain", "nri/plugins/20-hard"];
    for _ in 0..10 {
        let found = collected(&[&root]);
        assert_eq!(paths(&found), shown(&root, &expected));
        assert_eq!(found.sightings[1].name.as_deref(), Some("10-soft"));
    }
}

#[test]
fn pipes_are_read_like_files() {
    let (_keep, root) = folder();
    let pipe = root.join("pipe");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    assert!(made.unwrap().success());
    let writer = {
        let pipe = pipe.clone();
        std::thread::spawn(move || fs::write(pipe, "MARK piped").unwrap())
    };
    let found = collected(&[&pipe]);
    writer.join().unwrap();
    assert_eq!(paths(&found), shown(&root, &["pipe"]));
}

#[test]
fn every_file_has_one_fate() {
    let (_keep, root) = folder();
    fs::write(root.join("plugin"), "MARK x").unwrap();
    fs::hard_link(root.join("plugin"), root.join("same")).unwrap();
    fs::write(root.join("empty"), "").unwrap();
    fs::write(root.join("broken"), "MARK FAIL").unwrap();
    for number in 0..300 {
        fs::write(root.join(format!("other-{number}")), "text").unwrap();
    }
    let tar = crate::common::image::Layer::new().file("a", "MARK a").file("b", "text").tar();
    fs::write(root.join("x.tar"), tar).unwrap();
    let found = collected(&[&root]);
    let inputs = found.summary.inputs;
    assert_eq!((inputs.evidence, inputs.other_names, inputs.empty), (2, 1, 1));
    assert_eq!((inputs.other_files, inputs.archives, inputs.unreadable), (301, 1, 1));
    assert_eq!(found.summary.files, inputs.total());
}

#[test]
fn sockets_fifos_and_devices_in_folders_are_not_opened() {
    let (_keep, root) = folder();
    let _socket = UnixListener::bind(root.join("socket")).unwrap();
    let made = std::process::Command::new("mkfifo").arg(root.join("fifo")).status();
    assert!(made.unwrap().success());
    symlink("fifo", root.join("to-fifo")).unwrap();
    symlink("/dev/zero", root.join("to-device")).unwrap();
    let found = collected(&[&root]);
    assert_eq!(found.summary.files, 0);
    assert!(found.skipped.is_empty(), "{:?}", found.skipped);
}

#[test]
fn a_named_folder_without_files_is_said_to_be_empty() {
    let (_keep, root) = folder();
    fs::create_dir_all(root.join("in/ner")).unwrap();
    let inner = root.join("in");
    for path in [&root, &inner] {
        let found = collected(&[path]);
        let line = format!("{}: contains no files", path.display());
        assert_eq!(answers(&found), [line]);
        assert!(matches!(found.sightings[0].interface, Interface::Unknown(_)));
    }
    fs::write(inner.join("text"), "text").unwrap();
    assert!(collected(&[&root]).sightings.is_empty());
    assert_eq!(collected(&[&root, &inner]).sightings, []);
}

#[test]
fn names_that_are_no_text_are_shown_escaped() {
    use std::os::unix::ffi::OsStrExt as _;
    let (_keep, root) = folder();
    let name = std::ffi::OsStr::from_bytes(b"10-\xff\n");
    fs::write(root.join(name), "MARK x").unwrap();
    assert_eq!(paths(&collected(&[&root])), shown(&root, &["10-\\xff\\u{a}"]));
}

#[test]
fn pseudo_filesystems_are_not_walked() {
    let found = collected(&[Path::new("/proc")]);
    assert_eq!(answers(&found), ["/proc: a pseudo filesystem, not walked"]);
}

#[test]
fn a_reader_that_fails_or_panics_does_not_end_the_scan() {
    let (_keep, root) = folder();
    for (name, text) in [("a", "MARK FAIL"), ("b", "MARK PANIC"), ("c", "MARK fine")] {
        fs::write(root.join(name), text).unwrap();
    }
    let found = collected(&[&root]);
    assert_eq!(paths(&found), shown(&root, &["c"]));
    let reasons: Vec<_> = found.skipped.iter().map(|skip| &*skip.reason).collect();
    assert_eq!(reasons, ["broken as asked", "defect in the reader `marker`: it panicked"]);
}

#[test]
fn progress_counts_along() {
    let (_keep, root) = folder();
    fs::write(root.join("a"), "MARK 1").unwrap();
    fs::write(root.join("b"), "12").unwrap();
    let progress = Progress::default();
    let request = Request { paths: vec![root], progress: Some(&progress), ..Request::default() };
    let found = collect(&request, &[&Marker]);
    assert_eq!((found.summary.files, found.summary.bytes), (2, 8));
    assert_eq!((progress.now().files, progress.now().bytes), (2, 8));
}
