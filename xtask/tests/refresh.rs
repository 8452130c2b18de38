//! `refresh` on a separate repository, with a module proxy on loopback: what it adds, generates
//! and leaves out.

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Command, Output};
use std::{fs, thread};

use nri_schema::History;
use nri_schema::history::Tables;
use tempfile::TempDir;

const CONTAINERD: &str = "github.com/containerd/containerd/v2";
const NRI: &str = "github.com/containerd/nri";

/// A repository with the tables and protos of this one, and all that is generated from them.
fn repository() -> TempDir {
    let root = tempfile::tempdir().expect("a temporary folder");
    for (path, content) in Tables::embedded().files(&root.path().join("protos")) {
        fs::create_dir_all(path.parent().expect("it is in a folder")).expect("it can be made");
        fs::write(path, content).expect("it can be written");
    }
    let generated = run(root.path(), "generate", "off");
    assert_eq!(generated.status.code(), Some(0));
    root
}

fn run(root: &Path, command: &str, proxy: &str) -> Output {
    let mut xtask = Command::new(env!("CARGO_BIN_EXE_xtask"));
    for variable in ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NRI_COMPAT_DATA"] {
        xtask.env_remove(variable);
        xtask.env_remove(variable.to_lowercase());
    }
    let root = root.as_os_str();
    let arguments = [command.as_ref(), "--root".as_ref(), root];
    let output = xtask.args(arguments).env("GOPROXY", proxy).output();
    output.expect("the binary runs")
}

fn text(output: &Output) -> String {
    let (out, err) = (&output.stdout, &output.stderr);
    String::from_utf8_lossy(&[out.as_slice(), err].concat()).into_owned()
}

/// Starts a proxy that serves `files` by path and ends with the process. It refuses CRI-O.
fn proxy(files: HashMap<String, String>) -> String {
    let listener = TcpListener::bind(("127.0.0.1", 0)).expect("loopback has a free port");
    let url = format!("http://{}", listener.local_addr().expect("it is bound"));
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            // A client that is gone asks for nothing more.
            let _ = answer(stream, &files);
        }
    });
    url
}

fn answer(mut stream: TcpStream, files: &HashMap<String, String>) -> std::io::Result<()> {
    let mut lines = BufReader::new(stream.try_clone()?).lines();
    let request = lines.next().transpose()?.unwrap_or_default();
    let headers = lines.take_while(|line| line.as_ref().is_ok_and(|line| !line.is_empty()));
    headers.for_each(drop);
    let path = request.split(' ').nth(1).unwrap_or_default();
    let (status, body) = match files.get(path.trim_start_matches('/')) {
        Some(body) => (200, body.as_str()),
        None if path.contains("cri-o") => (403, ""),
        None => (404, ""),
    };
    let length = body.len();
    let head = format!("HTTP/1.1 {status} -\r\nContent-Length: {length}\r\nConnection: close");
    write!(stream, "{head}\r\n\r\n{body}")
}

/// A proxy where containerd 2.4 has a release that the tables lack, and NRI one too.
fn newer() -> HashMap<String, String> {
    let go_mod = format!("module {CONTAINERD}\n\ngo 1.25\n\nrequire {NRI} v0.12.4\n");
    let info = r#"{"Version":"v2.4.99","Time":"2026-12-24T12:00:00Z"}"#;
    [
        (format!("{NRI}/@v/list"), "v0.12.0\nv0.99.0\n".to_owned()),
        (format!("{CONTAINERD}/@v/list"), "v2.4.99\n".to_owned()),
        (format!("{CONTAINERD}/@v/v2.4.99.mod"), go_mod),
        (format!("{CONTAINERD}/@v/v2.4.99.info"), info.to_owned()),
    ]
    .into()
}

#[test]
fn new_releases_are_added_and_what_depends_on_them_is_generated() {
    let root = repository();
    let output = run(root.path(), "refresh", &proxy(newer()));
    let text = text(&output);
    assert_eq!(output.status.code(), Some(0), "{text}");
    for line in [
        "added containerd v2.4.99: links NRI v0.12.4, 2026-12-24",
        "left out NRI v0.99.0: it may change the protocol",
        "left out all of CRI-O: ",
        "wrote nri/src/stub/runtime/releases.rs",
    ] {
        assert!(text.contains(line), "{line} is missing in\n{text}");
    }
    let history = History::read(&root.path().join("protos")).expect("the tables are whole");
    let newest = history.runtime("containerd@2.4").expect("it is known");
    assert_eq!(newest.release.name, "v2.4.99");
    let releases = root.path().join("nri/src/stub/runtime/releases.rs");
    let releases = fs::read_to_string(releases).expect("it is written");
    assert!(releases.contains("((2, 4, 99), \"v0.12.4\")"), "{releases}");
    let check = run(root.path(), "generate", "off");
    assert_eq!(check.stdout, b"", "nothing is stale");

    let again = run(root.path(), "refresh", &proxy(newer()));
    assert!(self::text(&again).contains("no new releases to add"));
}

#[test]
fn a_proxy_that_has_nothing_changes_nothing() {
    let root = repository();
    let tables = || fs::read(root.path().join("protos/runtimes.toml")).expect("it is there");
    let before = tables();
    for proxy in [proxy(HashMap::new()), "off".to_owned()] {
        let output = run(root.path(), "refresh", &proxy);
        assert_eq!(output.status.code(), Some(1));
        assert!(text(&output).contains("nri-compat update-data failed"));
        assert_eq!(tables(), before);
    }
}
