//! Where `check` gets its files from: folders, links, and what is listed as skipped.

mod common;

use std::fs;
use std::os::unix::fs::symlink;
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};

use common::{Marker, paths};
use nri_compat::check::collect::{Collected, Request, collect};
use nri_compat::check::evidence::Reader;
use nri_compat::check::progress::Progress;

fn look(paths: &[&Path]) -> Collected {
    look_with(paths, &[&Marker])
}

fn look_with(paths: &[&Path], readers: &[&dyn Reader]) -> Collected {
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

    let found = look(&[&root]);
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
        assert_eq!(
            paths(&look(&[&root])),
            shown(&root, &["b/link-1", "x/plain"])
        );
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

    let found = look(&[&root]);
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

    assert_eq!(paths(&look(&[&link])), shown(&root, &["link/plugin"]));
    assert_eq!(paths(&look(&[&inner, &root])), shown(&root, &["in/plugin"]));
    assert_eq!(
        paths(&look(&[&file, &root, &file])),
        shown(&root, &["in/plugin"])
    );
}

#[test]
fn what_is_named_and_cannot_be_looked_at_is_said() {
    let (_keep, root) = folder();
    fs::write(root.join("empty"), "").unwrap();
    fs::write(root.join("text"), "hello").unwrap();
    let _socket = UnixListener::bind(root.join("socket")).unwrap();
    let names = ["absent", "empty", "socket", "text"].map(|name| root.join(name));
    let found = look(&names.each_ref().map(PathBuf::as_path));

    let reasons: Vec<_> = found.skipped.iter().map(|skip| &*skip.reason).collect();
    let [absent, empty, socket, text] = &reasons[..] else {
        panic!("{reasons:?}")
    };
    assert_eq!(*absent, "no such file or folder");
    assert_eq!(*empty, "empty");
    assert_eq!(*socket, "neither a file nor a folder");
    assert_eq!(*text, "not a kind of file that is looked into");
    assert_eq!(found.missing, shown(&root, &["absent"]));
    assert_eq!(found.summary.skipped, 4);
}

#[test]
fn sockets_fifos_and_devices_in_folders_are_not_opened() {
    let (_keep, root) = folder();
    let _socket = UnixListener::bind(root.join("socket")).unwrap();
    let made = std::process::Command::new("mkfifo")
        .arg(root.join("fifo"))
        .status();
    assert!(made.unwrap().success());
    symlink("fifo", root.join("to-fifo")).unwrap();
    symlink("/dev/zero", root.join("to-device")).unwrap();
    let found = look(&[&root]);
    assert_eq!(found.summary.files, 0);
    assert!(found.skipped.is_empty(), "{:?}", found.skipped);
}

#[test]
fn names_that_are_no_text_are_shown_escaped() {
    use std::os::unix::ffi::OsStrExt as _;
    let (_keep, root) = folder();
    let name = std::ffi::OsStr::from_bytes(b"10-\xff\n");
    fs::write(root.join(name), "MARK x").unwrap();
    assert_eq!(paths(&look(&[&root])), shown(&root, &["10-\\xff\\u{a}"]));
}

#[test]
fn pseudo_filesystems_are_said_not_to_be_walked() {
    let found = look(&[Path::new("/proc")]);
    assert_eq!(found.summary.files, 0);
    assert_eq!(found.skipped.len(), 1);
    assert_eq!(found.skipped[0].place.file, "/proc");
    assert_eq!(found.skipped[0].reason, "a pseudo filesystem, not walked");
}

#[test]
fn a_reader_that_fails_or_panics_does_not_end_the_scan() {
    let (_keep, root) = folder();
    for (name, text) in [("a", "MARK FAIL"), ("b", "MARK PANIC"), ("c", "MARK fine")] {
        fs::write(root.join(name), text).unwrap();
    }
    let found = look(&[&root]);
    assert_eq!(paths(&found), shown(&root, &["c"]));
    let reasons: Vec<_> = found.skipped.iter().map(|skip| &*skip.reason).collect();
    assert_eq!(
        reasons,
        [
            "broken as asked",
            "defect in the reader `marker`: it panicked"
        ]
    );
}

#[test]
fn progress_counts_along() {
    let (_keep, root) = folder();
    fs::write(root.join("a"), "MARK 1").unwrap();
    fs::write(root.join("b"), "12").unwrap();
    let progress = Progress::default();
    let request = Request {
        paths: vec![root],
        progress: Some(&progress),
        ..Request::default()
    };
    let found = collect(&request, &[&Marker]);
    assert_eq!((found.summary.files, found.summary.bytes), (2, 8));
    assert_eq!((progress.now().files, progress.now().bytes), (2, 8));
}
