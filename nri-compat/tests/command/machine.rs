//! The default target on a machine: its own runtime, and the next planned removal.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

/// Returns a program for Linux with nothing but Go's build information: an ELF header, a segment
/// that is the whole file, and the information.
fn go_program(modules: &str) -> Vec<u8> {
    const HEADERS: usize = 64 + 56;
    const INFO: usize = 128;
    let counted = |text: &[u8]| {
        let length = u8::try_from(text.len()).expect("short");
        let prefix = if length < 0x80 { vec![length] } else { vec![length & 0x7f | 0x80, 1] };
        [prefix, text.to_vec()].concat()
    };
    let mark = [0x30; 16];
    let mut info = b"\xff Go buildinf:\x08\x02".to_vec();
    info.resize(32, 0);
    info.extend(counted(b"go1.26.0"));
    info.extend(counted(&[&mark, modules.as_bytes(), &mark].concat()));
    let size = (INFO + info.len()) as u64;
    let words =
        |words: &[u64]| words.iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<u8>>();
    let mut program = b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0\x02\0\x3e\0\x01\0\0\0".to_vec();
    program.extend(words(&[0x40_0000, 64, 0]));
    program.extend(b"\0\0\0\0\x40\0\x38\0\x01\0\x40\0\0\0\0\0");
    program.extend(b"\x01\0\0\0\x06\0\0\0");
    program.extend(words(&[0, 0x40_0000, 0x40_0000, size, size, 0x1000]));
    assert_eq!(program.len(), HEADERS);
    program.resize(INFO, 0);
    program.extend(info);
    program
}

/// Returns the targets of a check, each with how it was found.
fn targets(arguments: &[&str]) -> Vec<(String, Option<String>)> {
    let output = Command::new(env!("CARGO_BIN_EXE_nri-compat"))
        .args(["check", "--format", "json"])
        .args(arguments)
        .output()
        .expect("the binary runs");
    let report: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let targets = report["targets"].as_array().expect("targets").iter();
    let text = |value: &Value| value.as_str().map(str::to_owned);
    targets.map(|one| (text(&one["name"]).expect("a name"), text(&one["found_by"]))).collect()
}

fn write(root: &Path, path: &str, content: &[u8]) {
    let path = root.join(path);
    fs::create_dir_all(path.parent().expect("a folder")).expect("it is writable");
    fs::write(path, content).expect("it is writable");
}

#[test]
fn a_machine_is_judged_against_its_own_runtime_unless_something_is_named() {
    let machine = tempfile::tempdir().expect("a folder");
    let folder = machine.path();
    let root = folder.to_str().expect("UTF-8");
    fs::create_dir_all(folder.join("opt/nri/plugins")).expect("it is writable");
    let without_runtime = targets(&["--root", root]);
    assert_eq!(without_runtime.len(), 1);
    assert!(without_runtime[0].0.starts_with("nri@"), "{without_runtime:?}");

    let modules = "path\tgithub.com/containerd/containerd/v2/cmd/containerd\n\
        mod\tgithub.com/containerd/containerd/v2\tv2.2.1\th1:x=\n\
        dep\tgithub.com/containerd/nri\tv0.11.0\th1:x=\n";
    write(folder, "usr/bin/containerd", &go_program(modules));
    let own = targets(&["--root", root]);
    let names: Vec<&str> = own.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["containerd@2.2.1", "containerd@2.7"]);
    let from = format!("from the build information of {root}/usr/bin/containerd");
    let found_by: Vec<Option<&str>> = own.iter().map(|(_, by)| by.as_deref()).collect();
    assert_eq!(found_by, [Some(&*from), Some("the next planned removal")]);

    let named = targets(&["--root", root, "--target", "containerd@2.4.2"]);
    assert_eq!(named, [("containerd@2.4.2".to_owned(), None)]);
    let plugins = folder.join("opt/nri/plugins");
    assert_eq!(targets(&[plugins.to_str().expect("UTF-8")]), without_runtime, "a folder is named");
}
