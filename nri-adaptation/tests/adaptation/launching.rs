//! Plugins that the runtime starts: what is said about those that fail, and what becomes of their
//! processes.

use std::fs;
use std::io::{self, Write};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use crate::peer::{Peer, Script, patiently};
use crate::plugins::{SHORT, builder};

/// A limit for what happens at once.
const LIMIT: Duration = Duration::from_secs(20);

/// The lines of the log of the current thread.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl Write for Log {
    fn write(&mut self, part: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(part);
        Ok(part.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Log {
    fn start() -> (Self, tracing::subscriber::DefaultGuard) {
        let log = Log::default();
        let writer = log.clone();
        let subscriber =
            tracing_subscriber::fmt().with_ansi(false).with_writer(move || writer.clone()).finish();
        (log, tracing::subscriber::set_default(subscriber))
    }

    fn lines(&self) -> Vec<String> {
        let text = String::from_utf8(self.0.lock().unwrap().clone()).unwrap();
        text.lines().map(str::to_owned).collect()
    }
}

fn install(folder: &Path, name: &str, script: &str) {
    let path = folder.join(name);
    fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
}

#[tokio::test]
async fn a_plugin_that_fails_is_named_with_its_last_output() {
    let (log, _guard) = Log::start();
    let plugins = tempfile::tempdir().unwrap();
    let long = "for i in 1 2 3 4 5 6 7 8 9; do echo \"line $i\" >&2; done";
    let crash = "printf 'cannot read \\033[1m/etc/x\\n' >&2; exit 1";
    install(plugins.path(), "10-broken", &format!("{long}\n{crash}"));
    install(plugins.path(), "20-silent", "exit 1");
    let started = builder().plugin_dir(plugins.path()).start();
    let adaptation = tokio::time::timeout(LIMIT, started).await.unwrap().unwrap();
    assert!(adaptation.plugins().is_empty());
    let lines = log.lines();
    for (failed, words) in [
        (
            "plugin 10-broken: failed to register plugin, connection closed",
            "; its last output: line 6; line 7; line 8; line 9; cannot read \\u{1b}[1m/etc/x",
        ),
        ("plugin 20-silent: failed to register plugin, connection closed", ""),
    ] {
        let expected = format!("failed to start pre-installed plugin: {failed}{words}");
        assert!(lines.iter().any(|line| line.ends_with(&expected)), "{lines:#?}");
    }
}

#[tokio::test]
async fn a_plugin_that_goes_on_as_another_process_leaves_no_zombie() {
    let plugins = tempfile::tempdir().unwrap();
    let file = plugins.path().join("pid");
    // The child keeps the connection, and ends with it.
    let script = format!("(read line <&3) & echo $$ > {}; exit 0", file.display());
    install(plugins.path(), "10-daemon", &script);
    let started = builder().plugin_dir(plugins.path()).registration_timeout(LIMIT).start();
    let reaped = async {
        loop {
            let pid = fs::read_to_string(&file).unwrap_or_default();
            let process = Path::new("/proc").join(pid.trim());
            if !pid.is_empty() && !process.exists() {
                return;
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::select! {
        _ = started => panic!("it does not register"),
        () = reaped => {}
        () = tokio::time::sleep(LIMIT) => panic!("it is not reaped"),
    }
}

#[tokio::test]
async fn stop_returns_when_the_plugins_have_ended() {
    let plugins = tempfile::tempdir().unwrap();
    let file = plugins.path().join("pid");
    // It never registers, and ends some time after its connection.
    let end = "cat <&3 > /dev/null; sleep 0.1";
    let script = format!("echo $$ > {}; {end}", file.display());
    install(plugins.path(), "10-slow", &script);
    let settings = builder().plugin_dir(plugins.path());
    let adaptation = settings.registration_timeout(SHORT).start().await.unwrap();
    let pid = patiently(async {
        loop {
            match fs::read_to_string(&file) {
                Ok(pid) if pid.ends_with('\n') => return pid,
                _ => tokio::task::yield_now().await,
            }
        }
    });
    let process = Path::new("/proc").join(pid.await.trim());
    patiently(adaptation.stop()).await;
    assert!(!process.exists());
}

#[tokio::test]
async fn no_text_of_a_plugin_forges_a_line_of_the_log() {
    let (log, _guard) = Log::start();
    let adaptation = builder().registration_timeout(SHORT).start().await.unwrap();
    let script = Script { nri_version: "v1\n2026 ERROR forged", ..Script::new("10", "forger") };
    let (peer, joined) = Peer::try_join(&adaptation, script).await;
    joined.unwrap();
    drop(peer);
    let lines = log.lines();
    assert!(lines.iter().all(|line| !line.starts_with("2026 ERROR")), "{lines:#?}");
    assert!(
        lines.iter().any(|line| line.contains("(with NRI version v1\\n2026 ERROR forged)")),
        "{lines:#?}"
    );
}
