//! `update-data` against module proxies: one on loopback, and one in a folder.
#![cfg(feature = "update")]

use std::collections::HashMap;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Command, Output};
use std::sync::{Arc, Mutex};
use std::thread;

const CONTAINERD: &str = "github.com/containerd/containerd";
const CONTAINERD_2: &str = "github.com/containerd/containerd/v2";
const CRI_O: &str = "github.com/cri-o/cri-o";
const NRI: &str = "github.com/containerd/nri";

/// The files of a proxy, by path.
type Files = HashMap<String, String>;

/// Returns a proxy on which containerd 2.2 has one release more than the tables, besides some that
/// must not be added.
fn files() -> Files {
    let mut files = Files::new();
    let mut list = |module: &str, versions: &str| {
        files.insert(format!("{module}/@v/list"), versions.to_owned());
    };
    list(
        CONTAINERD,
        "v1.4.13\nv1.7.27\nv1.7.98-rc.1\nv1.7.99+meta\nnonsense\n",
    );
    list(CONTAINERD_2, "v2.2.1\nv2.2.99\nv2.90.0-beta.0\n");
    list(CRI_O, "v1.20.0\n");
    list(NRI, "v0.11.0\n");
    release(&mut files, CONTAINERD_2, "v2.2.99", "v0.11.0");
    files
}

fn release(files: &mut Files, module: &str, version: &str, nri: &str) {
    let go_mod = format!("module {module}\n\ngo 1.25\n\nrequire (\n\t{NRI} {nri}\n)\n");
    let info = format!("{{\"Version\":\"{version}\",\"Time\":\"2026-11-03T23:30:00-02:00\"}}");
    files.insert(format!("{module}/@v/{version}.mod"), go_mod);
    files.insert(format!("{module}/@v/{version}.info"), info);
}

/// A proxy on loopback, which ends with the process. It answers each path first with the queued
/// statuses.
struct Server {
    url: String,
    asked: Arc<Mutex<Vec<String>>>,
}

impl Server {
    fn start(files: Files, statuses: &[(&str, &[u16])]) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).expect("loopback has a free port");
        let url = format!("http://{}", listener.local_addr().expect("it is bound"));
        let asked = Arc::new(Mutex::new(Vec::new()));
        let mut queued: HashMap<String, Vec<u16>> = HashMap::new();
        for (path, statuses) in statuses {
            queued.insert((*path).to_owned(), statuses.to_vec());
        }
        let log = Arc::clone(&asked);
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                // Some tests involve a client that gives up on a request.
                let _ = serve(stream, &files, &mut queued, &log);
            }
        });
        Self { url, asked }
    }

    fn asked(&self) -> Vec<String> {
        self.asked.lock().expect("no thread panicked").clone()
    }
}

fn serve(
    mut stream: TcpStream,
    files: &Files,
    queued: &mut HashMap<String, Vec<u16>>,
    log: &Mutex<Vec<String>>,
) -> std::io::Result<()> {
    let mut reader = BufReader::new(stream.try_clone()?);
    let mut first = String::new();
    reader.read_line(&mut first)?;
    let mut line = String::new();
    while reader.read_line(&mut line)? > 2 {
        line.clear();
    }
    let path = first.split(' ').nth(1).unwrap_or_default();
    let path = path.trim_start_matches('/').to_owned();
    log.lock().expect("no thread panicked").push(path.clone());
    let next = queued
        .get_mut(&path)
        .filter(|statuses| !statuses.is_empty());
    let status = next.map(|statuses| statuses.remove(0));
    let (status, body) = match (status, files.get(&path)) {
        (Some(status), _) => (status, ""),
        (None, Some(body)) => (200, body.as_str()),
        (None, None) => (404, ""),
    };
    let length = body.len();
    write!(
        stream,
        "HTTP/1.1 {status} -\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{body}"
    )
}

fn nri_compat(proxy: &str, args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_nri-compat"));
    for variable in ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NRI_COMPAT_DATA"] {
        command
            .env_remove(variable)
            .env_remove(variable.to_lowercase());
    }
    command.args(args).env("GOPROXY", proxy);
    command.output().expect("the binary runs")
}

fn update(proxy: &str, folder: &Path) -> Output {
    nri_compat(
        proxy,
        &[
            "update-data",
            folder.to_str().expect("UTF-8"),
            "--timeout",
            "5",
        ],
    )
}

/// Runs an update that must succeed, and returns its output.
fn updated(proxy: &str, folder: &Path) -> String {
    let output = update(proxy, folder);
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{stderr}");
    String::from_utf8(output.stdout).expect("UTF-8")
}

/// Runs an update that must fail, and returns the message.
fn fails(proxy: &str) -> String {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let target = folder.path().join("data");
    let output = update(proxy, &target);
    assert_eq!(output.status.code(), Some(1));
    assert!(!target.exists(), "nothing is written");
    String::from_utf8(output.stderr).expect("UTF-8")
}

#[test]
fn new_releases_of_runtimes_are_added() {
    let server = Server::start(files(), &[]);
    let folder = tempfile::tempdir().expect("a temporary folder");
    let text = updated(&server.url, folder.path());
    let added: Vec<&str> = text
        .lines()
        .filter(|line| line.starts_with("added"))
        .collect();
    assert_eq!(
        added,
        ["added containerd v2.2.99: links NRI v0.11.0, 2026-11-04"]
    );
    assert!(!text.contains("left out"), "{text}");
    assert_eq!(
        server.asked().len(),
        6,
        "four lists and two files of the release"
    );

    let data = folder.path().to_str().expect("UTF-8");
    let known = nri_compat("off", &["runtimes", "containerd@2.2.99", "--data", data]);
    assert_eq!(known.status.code(), Some(0));
    assert!(String::from_utf8_lossy(&known.stdout).contains("2026-11-04"));
}

#[test]
fn an_update_goes_on_from_the_tables_of_a_folder() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let data = folder.path().to_str().expect("UTF-8");
    updated(&Server::start(files(), &[]).url, folder.path());
    let mut newer = files();
    newer.insert(format!("{CRI_O}/@v/list"), "v1.35.0\nv1.99.0\n".to_owned());
    release(&mut newer, CRI_O, "v1.99.0", "v0.12.0");
    let server = Server::start(newer, &[]);
    let output = nri_compat(&server.url, &["update-data", data, "--data", data]);
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    assert!(
        text.starts_with("added cri-o v1.99.0: links NRI v0.12.0"),
        "{text}"
    );
    let runtimes = fs::read_to_string(folder.path().join("runtimes.toml")).expect("it is written");
    assert!(runtimes.contains("v2.2.99") && runtimes.contains("v1.99.0"));
    assert!(runtimes.starts_with('#'), "comments stay");
}

#[test]
fn a_folder_is_a_proxy() {
    let proxy = tempfile::tempdir().expect("a temporary folder");
    for (path, text) in files() {
        let path = proxy.path().join("go proxy").join(path);
        fs::create_dir_all(path.parent().expect("a folder")).expect("it can be made");
        fs::write(path, text).expect("it can be written");
    }
    let folder = tempfile::tempdir().expect("a temporary folder");
    let url = format!("file://{}/go%20proxy", proxy.path().display());
    assert!(updated(&url, folder.path()).starts_with("added containerd v2.2.99"));
}

#[test]
fn what_cannot_be_added_is_reported() {
    let mut files = files();
    files.insert(format!("{NRI}/@v/list"), "v0.12.0\nv0.77.0\n".to_owned());
    files.insert(
        format!("{CONTAINERD_2}/@v/list"),
        "v2.2.99\nv2.3.97\nv2.3.98\nv2.3.99\n".to_owned(),
    );
    files.remove(&format!("{CRI_O}/@v/list"));
    release(&mut files, CONTAINERD_2, "v2.3.99", "v0.77.0");
    let go_mod = |rest: &str| format!("module {CONTAINERD_2}\n\ngo 1.25\n{rest}");
    files.insert(format!("{CONTAINERD_2}/@v/v2.3.97.mod"), go_mod(""));
    files.insert(
        format!("{CONTAINERD_2}/@v/v2.3.98.mod"),
        go_mod(&format!(
            "require {NRI} v0.11.0\nreplace {NRI} => fork.example/nri v0.11.0\n"
        )),
    );
    let folder = tempfile::tempdir().expect("a temporary folder");
    let text = updated(&Server::start(files, &[]).url, folder.path());
    for line in [
        "added containerd v2.2.99",
        "left out NRI v0.77.0: it may change the protocol",
        "left out all of CRI-O: no module proxy has github.com/cri-o/cri-o",
        "left out containerd v2.3.97: its go.mod does not require NRI",
        "left out containerd v2.3.98: its go.mod replaces NRI by a folder or another module",
        "left out containerd v2.3.99: links NRI v0.77.0, which is not in versions.toml",
    ] {
        assert!(text.contains(line), "{line} is missing in\n{text}");
    }
}

#[test]
fn an_overloaded_proxy_is_asked_again() {
    let list = format!("{CRI_O}/@v/list");
    let server = Server::start(files(), &[(&list, &[503, 429])]);
    let folder = tempfile::tempdir().expect("a temporary folder");
    updated(&server.url, folder.path());
    let asked = server.asked();
    assert_eq!(asked.iter().filter(|path| **path == list).count(), 3);
}

#[test]
fn the_next_proxy_is_asked_as_the_separator_says() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let empty = Server::start(Files::new(), &[]);
    let good = Server::start(files(), &[]);
    updated(&format!("{},{},direct", empty.url, good.url), folder.path());
    let statuses = [403; 9];
    let lists = [CONTAINERD, CONTAINERD_2, CRI_O, NRI].map(|module| format!("{module}/@v/list"));
    let refused: Vec<(&str, &[u16])> = lists
        .iter()
        .map(|list| (list.as_str(), &statuses[..]))
        .collect();
    let refusing = Server::start(Files::new(), &refused);
    updated(&format!("{}|{}", refusing.url, good.url), folder.path());
    let message = fails(&format!("{},{}", refusing.url, good.url));
    assert!(message.contains("status 403"), "{message}");
}

#[test]
fn proxies_that_fail_are_named() {
    let message = fails(&Server::start(Files::new(), &[]).url);
    assert!(
        message.contains("no module proxy has github.com/containerd/nri or"),
        "{message}"
    );
    assert!(fails("off").contains("GOPROXY=off forbids downloads"));
    assert!(fails("direct").contains("version control"));
    let free = TcpListener::bind(("127.0.0.1", 0)).expect("loopback has a free port");
    let url = format!(
        "http://user:secret@{}",
        free.local_addr().expect("it is bound")
    );
    drop(free);
    let message = fails(&url);
    assert!(
        message.contains("cannot fetch http://127.0.0.1"),
        "{message}"
    );
    assert!(!message.contains("secret"), "{message}");
}

/// Runs an update that adds what it can, and returns the lines about the rest.
fn left_out(files: Files, statuses: &[(&str, &[u16])]) -> String {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let text = updated(&Server::start(files, statuses).url, folder.path());
    assert!(text.starts_with("added containerd v2.2.99"), "{text}");
    let lines = text.lines().filter(|line| line.starts_with("left out"));
    lines.collect::<Vec<_>>().join("\n")
}

#[test]
fn a_module_that_fails_is_left_out_and_the_others_are_added() {
    for status in [403, 404, 410, 500] {
        for (module, title) in [(CRI_O, "CRI-O"), (NRI, "NRI"), (CONTAINERD, "containerd")] {
            let list = format!("{module}/@v/list");
            let text = left_out(files(), &[(&list, &[status; 3])]);
            assert!(
                text.starts_with(&format!("left out all of {title}: ")),
                "{text}"
            );
            assert_eq!(text.lines().count(), 1, "{text}");
        }
    }
    let mut huge = files();
    huge.insert(format!("{CRI_O}/@v/list"), "v1.99.0\n".repeat(600_000));
    assert!(left_out(huge, &[]).contains("more than 4 MiB"));
    let mut many = files();
    let list: String = (0..2000).map(|patch| format!("v1.99.{patch}\n")).collect();
    many.insert(format!("{CRI_O}/@v/list"), list);
    assert!(left_out(many, &[]).contains("at most 1000"));
}

#[test]
fn a_release_that_fails_is_left_out_and_the_others_are_added() {
    let with_another = || {
        let mut files = files();
        let list = "v2.2.98\nv2.2.99\n".to_owned();
        files.insert(format!("{CONTAINERD_2}/@v/list"), list);
        release(&mut files, CONTAINERD_2, "v2.2.98", "v0.11.0");
        files
    };
    let path = |ending: &str| format!("{CONTAINERD_2}/@v/v2.2.98.{ending}");
    let mut dateless = with_another();
    dateless.insert(path("info"), "{}".to_owned());
    let text = left_out(dateless, &[]);
    assert!(
        text.contains("v2.2.98: ") && text.contains("has no time of the release"),
        "{text}"
    );
    let text = left_out(with_another(), &[(&path("mod"), &[403])]);
    assert!(
        text.contains("v2.2.98: ") && text.contains("status 403"),
        "{text}"
    );
}

#[test]
fn a_proxy_that_does_not_answer_ends_in_time() {
    let listener = TcpListener::bind(("127.0.0.1", 0)).expect("loopback has a free port");
    let url = format!("http://{}", listener.local_addr().expect("it is bound"));
    let folder = tempfile::tempdir().expect("a temporary folder");
    let target = folder.path().join("data");
    let target = target.to_str().expect("UTF-8");
    let output = nri_compat(&url, &["update-data", target, "--timeout", "1"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stderr).contains("timeout"));
}
