//! Inputs of `diff`: git, standard input, protos of any name, folders that import each other by
//! longer names.

use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use tempfile::TempDir;

const BEFORE: &str = "syntax = \"proto3\";\npackage p;\nmessage M {\n  int32 a = 1;\n}\n";
const AFTER: &str = "syntax = \"proto3\";\npackage p;\nmessage M {\n  string a = 1;\n}\n";

/// Returns a folder with files in it.
fn folder(files: &[(&str, &[u8])]) -> TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for (name, content) in files {
        write(folder.path(), name, content);
    }
    folder
}

fn write(folder: &Path, name: &str, content: &[u8]) {
    let path = folder.join(name);
    std::fs::create_dir_all(path.parent().expect("in a folder")).expect("a folder");
    std::fs::write(path, content).expect("a folder that can be written to");
}

fn command(folder: &TempDir, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_nri-compat"));
    command.current_dir(folder.path()).arg("diff").args(arguments);
    command
}

fn run(folder: &TempDir, arguments: &[&str]) -> Output {
    command(folder, arguments).output().expect("the tool starts")
}

fn out(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn err(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn git(folder: &TempDir, arguments: &[&str]) {
    let identity = ["-c", "user.name=test", "-c", "user.email=test@localhost"];
    let output =
        Command::new("git").current_dir(folder.path()).args(identity).args(arguments).output();
    assert!(output.expect("git is installed").status.success(), "{arguments:?}");
}

#[test]
fn revisions_in_git_are_compared_with_files() {
    let folder = folder(&[("pkg/api/api.proto", BEFORE.as_bytes())]);
    git(&folder, &["init", "-q", "-b", "main"]);
    git(&folder, &["add", "."]);
    git(&folder, &["commit", "-qm", "first"]);
    write(folder.path(), "pkg/api/api.proto", AFTER.as_bytes());
    let pairs = [
        ["HEAD:pkg/api/api.proto", "pkg/api/api.proto"],
        ["main:./pkg/api/api.proto", "./pkg/api/api.proto"],
        ["HEAD:pkg", "pkg"],
        [".git#ref=main", "."],
        [".git#branch=main,subdir=pkg", "pkg"],
    ];
    for [from, to] in pairs {
        let output = run(&folder, &[from, to, "--format", "github"]);
        let annotation = "::error file=pkg/api/api.proto,line=4,col=3,title=FIELD_SAME_TYPE";
        assert!(out(&output).contains(annotation), "{from} {to}: {}{}", out(&output), err(&output));
        assert_eq!(output.status.code(), Some(100));
    }
    let unknown = run(&folder, &["nowhere:pkg", "pkg"]);
    assert!(err(&unknown).contains("git: Not a valid object name nowhere"), "{}", err(&unknown));
}

/// Attributes for `git archive` do not hide files from a comparison.
#[test]
fn committed_files_are_compared_whatever_their_attributes() {
    let folder =
        folder(&[("api.proto", BEFORE.as_bytes()), (".gitattributes", b"*.proto export-ignore\n")]);
    git(&folder, &["init", "-q", "-b", "main"]);
    git(&folder, &["add", "."]);
    git(&folder, &["commit", "-qm", "first"]);
    write(folder.path(), "api.proto", AFTER.as_bytes());
    for pair in [
        ["main:api.proto", "api.proto"],
        ["main:", "."],
        [".git#branch=main", "."],
        [".git#branch=main,subdir=/", "."],
    ] {
        let output = run(&folder, &pair);
        let text = out(&output);
        assert!(text.contains("FIELD_SAME_TYPE"), "{text}{}", err(&output));
    }
}

/// A committed link leads to no file of the machine. Links that the comparison does not need are no
/// obstacle.
#[cfg(unix)]
#[test]
fn links_in_git_are_not_followed() {
    use std::os::unix::fs::symlink;

    let folder = folder(&[("pkg/api.proto", BEFORE.as_bytes())]);
    let outside = folder_outside();
    let make_link = |target: &Path, name: &str| {
        symlink(target, folder.path().join(name)).expect("a link");
    };
    make_link(Path::new("pkg/api.proto"), "file.proto");
    make_link(Path::new("pkg"), "folder");
    make_link(&outside.path().join("secret.proto"), "outside.proto");
    git(&folder, &["init", "-q", "-b", "main"]);
    git(&folder, &["add", "."]);
    git(&folder, &["commit", "-qm", "first"]);
    for from in ["main:pkg", "main:pkg/api.proto", "main:./pkg/"] {
        let output = run(&folder, &[from, "pkg/api.proto"]);
        assert_eq!(output.status.code(), Some(0), "{from}: {}", err(&output));
    }
    for (from, link) in [
        ("main:file.proto", "file.proto"),
        ("main:folder", "folder"),
        ("main:folder/api.proto", "folder"),
        ("main:outside.proto", "outside.proto"),
        ("main:", "file.proto"),
    ] {
        let output = run(&folder, &[from, "pkg/api.proto"]);
        let text = err(&output);
        let expected = format!("`{link}` in revision `main` is a symbolic link");
        assert!(text.contains(&expected), "{from}: {text}");
        assert!(text.contains("git worktree add"), "{text}");
        assert!(!text.contains("password"), "{text}");
    }
}

/// Filters and conversions of line ends are those of a work tree, not of a revision.
#[test]
fn committed_files_are_read_without_filters() {
    let folder = folder(&[("api.proto", BEFORE.as_bytes())]);
    git(&folder, &["init", "-q", "-b", "main"]);
    git(&folder, &["add", "."]);
    git(&folder, &["commit", "-qm", "first"]);
    write(folder.path(), ".git/info/attributes", b"*.proto filter=none\n");
    git(&folder, &["config", "filter.none.smudge", "false"]);
    git(&folder, &["config", "filter.none.required", "true"]);
    write(folder.path(), "api.proto", AFTER.as_bytes());
    let output = run(&folder, &["HEAD:", "."]);
    let text = out(&output);
    assert!(text.contains("FIELD_SAME_TYPE"), "{text}{}", err(&output));
}

/// A tree that no `git add` writes may have names that lead out of it.
#[test]
fn names_in_git_stay_in_the_revision() {
    let folder = folder(&[("a.proto", BEFORE.as_bytes())]);
    git(&folder, &["init", "-q", "-b", "main"]);
    let script = "blob=$(git hash-object -w a.proto) && inner=$(printf '100644 blob %s\\ta.proto\\n' $blob | git mktree) \
                  && tree=$(printf '040000 tree %s\\t..\\n' $inner | git mktree) && git tag out $tree";
    let status = Command::new("sh").args(["-c", script]).current_dir(folder.path()).status();
    assert!(status.expect("a shell").success());
    let output = run(&folder, &["out:", "a.proto"]);
    let text = err(&output);
    assert!(text.contains("`../a.proto` leads out of the repository"), "{text}");
}

#[cfg(unix)]
fn folder_outside() -> TempDir {
    folder(&[("secret.proto", b"password = 1234")])
}

#[test]
fn remote_repositories_are_named_as_such() {
    let output = run(&folder(&[]), &["https://example.com/x.git#tag=v1", "v0.12.0"]);
    let text = err(&output);
    assert!(
        text.contains("`https://example.com/x.git#tag=v1` is an address, and nothing is fetched"),
        "{text}"
    );
}

#[test]
fn standard_input_is_only_one_side() {
    let output = run(&folder(&[]), &["-", "-"]);
    let text = err(&output);
    assert!(text.contains("both sides are standard input"), "{text}");
}

/// Process substitution of a shell passes the path of a pipe.
#[cfg(unix)]
#[test]
fn pipes_are_read_once() {
    let files: [(&str, &[u8]); 2] = [("a.proto", BEFORE.as_bytes()), ("b.proto", AFTER.as_bytes())];
    let folder = folder(&files);
    let script = "exec \"$0\" diff <(cat a.proto) <(cat b.proto) --format csv";
    let output = Command::new("bash")
        .args(["-c", script, env!("CARGO_BIN_EXE_nri-compat")])
        .current_dir(folder.path())
        .output()
        .expect("bash is installed");
    let text = out(&output);
    assert!(
        text.contains("FIELD_SAME_TYPE") && text.contains(",/dev/fd/"),
        "{text}{}",
        err(&output)
    );
}

/// The formats that `buf build -o` writes are read or named, and so are archives.
#[test]
fn compressed_files_are_read_and_other_formats_named() {
    let packed =
        |name: &str, bytes: &[u8]| folder(&[("a.proto", BEFORE.as_bytes()), (name, bytes)]);
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gzip.write_all(AFTER.as_bytes()).expect("memory");
    let zstd = zstd::encode_all(AFTER.as_bytes(), 0).expect("memory");
    let mut xz = liblzma::write::XzEncoder::new(Vec::new(), 1);
    xz.write_all(AFTER.as_bytes()).expect("memory");
    let mut bzip2 = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::fast());
    bzip2.write_all(AFTER.as_bytes()).expect("memory");
    for (name, bytes) in [
        ("b.proto.gz", gzip.finish().expect("memory")),
        ("b.zst", zstd),
        ("b.proto.xz", xz.finish().expect("memory")),
        ("b.bz2", bzip2.finish().expect("memory")),
    ] {
        let text = out(&run(&packed(name, &bytes), &["a.proto", name]));
        assert!(text.contains("FIELD_SAME_TYPE"), "{name}: {text}");
    }
    let mut tar = vec![b'x'; 600];
    tar[257..262].copy_from_slice(b"ustar");
    let utf_16: Vec<u8> = "\u{feff}syntax".encode_utf16().flat_map(u16::to_le_bytes).collect();
    let cases: [(&str, &[u8], &str); 7] = [
        ("a.zip", b"PK\x03\x04", "a.zip is a ZIP archive"),
        ("a.tar", &tar, "a.tar is a tar archive"),
        ("a.json", b"{\"file\": []}", "a.json is JSON"),
        ("a.txtpb", b"# x\n\nfile: {\n", "in text format or YAML"),
        ("a.yaml", b"file:\n  - name: a\n", "in text format or YAML"),
        ("a.utf16", &utf_16, "the file is UTF-16"),
        ("b.proto", &utf_16, "the file is UTF-16"),
    ];
    for (name, bytes, message) in cases {
        let output = run(&packed(name, bytes), &["a.proto", name]);
        let text = err(&output);
        assert!(text.contains(message), "{name}: {text}");
        assert_eq!(output.status.code(), Some(1), "{name}");
    }
}

#[test]
fn standard_input_is_read() {
    let folder = folder(&[("a.proto", BEFORE.as_bytes())]);
    let mut process = command(&folder, &["a.proto", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the tool starts");
    let mut input = process.stdin.take().expect("piped");
    input.write_all(AFTER.as_bytes()).expect("the tool reads");
    drop(input);
    let output = process.wait_with_output().expect("the tool ends");
    assert!(out(&output).contains("FIELD_SAME_TYPE"), "{}", out(&output));
}

#[test]
fn two_files_are_one_whatever_their_names() {
    let marked = [b"\xef\xbb\xbf", AFTER.as_bytes()].concat();
    let folder = folder(&[("old.txt", BEFORE.as_bytes()), ("new", &marked)]);
    let output = run(&folder, &["old.txt", "new", "--format", "csv"]);
    let text = out(&output);
    assert_eq!(text.lines().count(), 2, "{text}{}", err(&output));
    assert!(text.contains("FIELD_SAME_TYPE") && text.contains(",new,4,"), "{text}");
}

#[test]
fn files_some_folders_deeper_are_matched() {
    let other = BEFORE.replace("message M", "message N");
    let folder = folder(&[
        ("old/a.proto", BEFORE.as_bytes()),
        ("old/b.proto", other.as_bytes()),
        ("new/v1/a.proto", BEFORE.as_bytes()),
        ("new/v1/b.proto", other.as_bytes()),
    ]);
    let output = run(&folder, &["old", "new"]);
    assert_eq!(output.status.code(), Some(0), "{}", out(&output));
}

#[test]
fn imports_are_found_as_files_lie() {
    let types = "syntax = \"proto3\";\npackage t;\nmessage T {}\n";
    let user = |import: &str| {
        format!(
            "syntax = \"proto3\";\npackage u;\nimport \"{import}\";\nmessage U {{ t.T t = 1; }}\n"
        )
    };
    let long = user("example.com/api/types/t.proto");
    let folder = folder(&[
        ("api/types/t.proto", types.as_bytes()),
        ("api/services/u.proto", long.as_bytes()),
        ("vendor/third/t.proto", types.as_bytes()),
        ("own/u.proto", user("third/t.proto").as_bytes()),
    ]);
    let clean = |arguments: &[&str]| {
        let output = run(&folder, arguments);
        assert_eq!(output.status.code(), Some(0), "{arguments:?}: {}", err(&output));
    };
    clean(&["api", "api"]);
    clean(&["own", "own", "-I", "vendor"]);
    clean(&["own/u.proto", "own/u.proto", "-I", "vendor"]);
    clean(&["api/services/u.proto", "api/services/u.proto", "-I", "example.com/api=api"]);
    // A type that is imported from different folders is another type.
    std::fs::create_dir_all(folder.path().join("older/third")).unwrap();
    let older = types.replace("message T {}", "enum T { NONE = 0; }");
    std::fs::write(folder.path().join("older/third/t.proto"), older).unwrap();
    let both = ["own", "own", "--from-import", "older", "--to-import", "vendor"];
    assert_eq!(run(&folder, &both).status.code(), Some(100));
    let missing = run(&folder, &["own", "own"]);
    assert!(err(&missing).contains("import 'third/t.proto' not found"));
}

#[test]
fn errors_have_a_line_and_name_the_cause() {
    let line = format!("{}x", "a".repeat(1_000_000));
    let folder = folder(&[
        ("edition.proto", b"edition = \"2023\";\nmessage A {}\n"),
        ("bytes.proto", b"syntax = \"proto3\";\nmessage A { // \xff\n}\n"),
        ("a.proto", b"syntax = \"proto3\";\nimport \"b.proto\";\n"),
        ("b.proto", b"syntax = \"proto3\";\nimport \"a.proto\";\n"),
        ("long.proto", line.as_bytes()),
    ]);
    std::os::unix::fs::symlink("nowhere", folder.path().join("link")).expect("a link");
    let cases = [
        ("edition.proto", "editions are not supported in proto files"),
        ("bytes.proto", "bytes.proto:2:16"),
        ("a.proto", "a.proto:2:8"),
        ("link", "`link` is a link to `nowhere`, which does not exist"),
        ("long.proto", "long.proto:1:1"),
    ];
    for (name, expected) in cases {
        let text = err(&run(&folder, &[name, name]));
        assert!(text.contains(expected), "{name}: {text:.400}");
        assert!(text.len() < 4000, "{name}: {} bytes", text.len());
    }
}

#[test]
fn control_characters_in_paths_stay_words() {
    let name = "a\u{1b}[31m\nb.proto";
    let folder = folder(&[("old.proto", BEFORE.as_bytes()), (name, AFTER.as_bytes())]);
    for format in ["text", "markdown", "github", "junit"] {
        let text = out(&run(&folder, &["old.proto", name, "--format", format]));
        assert!(!text.is_empty() && !text.contains('\u{1b}'), "{format}: {text:?}");
        assert!(
            text.contains("b.proto") && !text.lines().any(|line| line.starts_with("b.proto")),
            "{format}: {text}"
        );
    }
}

#[test]
fn releases_of_nri_are_named_as_targets_are() {
    let folder = folder(&[]);
    let as_target = run(&folder, &["nri@0.6", "nri@v0.7.0"]);
    let plain = run(&folder, &["0.6", "v0.7.0"]);
    assert_eq!(out(&as_target), out(&plain));
    assert_eq!(as_target.status.code(), plain.status.code());
    assert!(out(&plain).contains("v0.7.0"), "{}", err(&plain));
}
