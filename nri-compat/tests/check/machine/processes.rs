//! Plugins that run, by their processes.

use std::fs;

use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use nri_compat::check::collect::{Collected, Request, collect};
use nri_compat::sighting::{Interface, Role, Sighting};

use super::Machine;
use crate::common::{Marker, paths};

#[test]
fn processes_are_told_once_an_executable() {
    let machine = Machine::new()
        .with("opt/10-plugin", "MARK plugin")
        .process(12, "opt/10-plugin")
        .process(7, "opt/10-plugin")
        .process(30, "opt/gone")
        .process(31, "opt")
        .with("proc/2/cmdline", "")
        .with("proc/40/cmdline", "ended between two looks")
        .with("proc/self/cmdline", "no number");
    let found = machine.collected(&[], true);
    assert_eq!(machine.bare(&paths(&found)), ["/opt/10-plugin (pid 7, 12)"]);
    assert_eq!(found.sightings[0].name.as_deref(), Some("10-plugin"));
    let skipped: Vec<_> =
        found.skipped.iter().map(|skip| format!("{}: {}", skip.place, skip.reason)).collect();
    assert_eq!(
        machine.bare(&skipped),
        [
            "/proc/30/exe: it is gone",
            "/proc/31/exe: not a regular file",
            "/proc/40/exe: the process ended meanwhile",
        ]
    );
    assert_eq!(machine.bare(&found.summary.looked_at), ["/proc (processes)"]);
}

#[test]
fn the_program_that_looks_is_not_reported() {
    let machine = Machine::new()
        .with("usr/bin/nri-compat", "MARK library")
        .with("opt/10-plugin", "MARK plugin")
        .process(7, "usr/bin/nri-compat")
        .process(12, "opt/10-plugin");
    symlink("7", machine.root.join("proc/self")).unwrap();
    let found = machine.collected(&[], true);
    assert_eq!(machine.bare(&paths(&found)), ["/opt/10-plugin (pid 12)"]);
    assert_eq!(found.skipped, []);
}

#[test]
fn many_processes_of_one_executable_are_counted() {
    let mut machine = Machine::new().with("opt/x", "MARK x");
    for pid in 1..=11 {
        machine = machine.process(pid, "opt/x");
    }
    let found = paths(&machine.collected(&[], true));
    assert_eq!(machine.bare(&found), ["/opt/x (pid 1, 2, 3, 4, 5, 6, 7, 8 and 3 more)"]);
}

/// A reader that reports every ELF file.
struct Elf;

impl nri_compat::check::evidence::Reader for Elf {
    fn name(&self) -> &'static str {
        "elf"
    }

    fn recognises(&self, file: &nri_compat::check::content::File<'_>) -> bool {
        file.head.starts_with(b"\x7fELF")
    }

    fn read(
        &self,
        file: &nri_compat::check::content::File<'_>,
    ) -> Result<Vec<nri_compat::sighting::Sighting>, nri_compat::check::evidence::Unreadable> {
        Ok(vec![nri_compat::sighting::Sighting {
            place: file.place.clone(),
            name: Some(file.name.clone()),
            ..Default::default()
        }])
    }
}

#[test]
fn a_real_process_is_found_under_its_pid_even_if_its_file_was_deleted() {
    let folder = tempfile::tempdir().unwrap();
    let program = folder.path().canonicalize().unwrap().join("10-sleeper");
    fs::copy("/bin/sleep", &program).unwrap();
    let mut child = Command::new(&program).arg("60").spawn().unwrap();
    fs::remove_file(&program).unwrap();
    let request = Request { processes: true, ..Request::default() };
    let found = collect(&request, &[&Elf]);
    child.kill().unwrap();
    child.wait().unwrap();
    let shown = format!("{} (deleted) (pid {})", program.display(), child.id());
    let sighting = found.sightings.iter().find(|seen| seen.place.to_string() == shown);
    assert_eq!(sighting.unwrap().name.as_deref(), Some("10-sleeper"));
}

/// A process that ends with the test.
struct Running(Child);

impl Running {
    /// Starts a program whose standard input is a connection to a socket.
    fn connected(program: &Path, arguments: &[&str], socket: &Path) -> Self {
        let connection = std::os::fd::OwnedFd::from(UnixStream::connect(socket).unwrap());
        let mut command = Command::new(program);
        command.args(arguments).stdin(Stdio::from(connection));
        Self(command.spawn().unwrap())
    }

    /// Returns the sighting of the process alone.
    fn sighting<'c>(&self, found: &'c Collected) -> Option<&'c Sighting> {
        let pids = [self.0.id()];
        found.sightings.iter().find(|seen| seen.place.pids == pids)
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.0.kill().unwrap();
        self.0.wait().unwrap();
    }
}

#[track_caller]
fn assert_unknown(seen: Option<&Sighting>, expected: &[&str]) {
    let seen = seen.expect("a sighting of the process");
    let Interface::Unknown(why) = &seen.interface else {
        panic!("{seen:?}");
    };
    assert_eq!(seen.role, Role::Plugin);
    let reason = why.to_string();
    for part in expected {
        assert!(reason.contains(part), "{reason}");
    }
}

#[test]
fn what_is_connected_to_the_socket_of_a_runtime_is_a_plugin() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().canonicalize().unwrap().join(name);
    let (socket, other) = (at("nri.sock"), at("other.sock"));
    let runtime = UnixListener::bind(&socket).unwrap();
    let _other = UnixListener::bind(&other).unwrap();
    fs::write(at("plugin.sh"), "#!/bin/sh\nread line\n").unwrap();
    fs::set_permissions(at("plugin.sh"), fs::Permissions::from_mode(0o755)).unwrap();
    fs::copy("/bin/sleep", at("odd name")).unwrap();
    let script = Running::connected(&at("plugin.sh"), &[], &socket);
    // The other one waits to be accepted.
    let _accepted = runtime.accept().unwrap();
    let deleted = Running::connected(&at("odd name"), &["60"], &socket);
    let elsewhere = Running::connected(&at("plugin.sh"), &[], &other);
    fs::remove_file(at("odd name")).unwrap();
    let request = Request { processes: true, ..Request::default() };
    let found = collect(&request, &[&Marker]);
    let connected = format!("is connected to {}", socket.display());
    let command = format!("(`/bin/sh {}`)", at("plugin.sh").display());
    assert_unknown(script.sighting(&found), &[&command, &connected]);
    let seen = deleted.sighting(&found);
    assert!(seen.unwrap().place.file.ends_with("/odd name (deleted)"));
    assert_unknown(seen, &[&connected]);
    assert_eq!(elsewhere.sighting(&found), None);

    fs::write(at("config.toml"), containerd_socket(&other)).unwrap();
    let with_config = Request { config_files: vec![at("config.toml")], ..request };
    let found_by_config = collect(&with_config, &[&Marker]);
    assert_unknown(elsewhere.sighting(&found_by_config), &["other.sock"]);
}

fn containerd_socket(socket: &Path) -> String {
    format!(
        "version = 3\n[plugins.'io.containerd.nri.v1.nri']\nsocket_path = '{}'\n",
        socket.display()
    )
}

#[test]
fn what_a_runtime_started_is_a_plugin_and_its_children_are_not() {
    let environment = "A=b\0NRI_PLUGIN_NAME=logger\0NRI_PLUGIN_IDX=10\0";
    let machine = Machine::new()
        .with("bin/java", "a virtual machine")
        .with("proc/7/environ", "A=b\0")
        .process(7, "bin/java")
        .with("proc/8/environ", environment)
        .with("proc/8/status", "Name:\tjava\nPPid:\t7\n")
        .process(8, "bin/java")
        .with("proc/9/environ", environment)
        .with("proc/9/status", "Name:\tjava\nPPid:\t8\n")
        .process(9, "bin/java");
    let found = machine.collected(&[], true);
    let [seen] = &found.sightings[..] else {
        panic!("{found:?}");
    };
    assert_eq!(machine.bare(&[seen.place.to_string()]), ["/bin/java (pid 8)"]);
    let identity = (seen.index.as_deref(), seen.name.as_deref());
    assert_eq!(identity, (Some("10"), Some("logger")));
    assert_unknown(Some(seen), &["process 8 (`x`) was started by a runtime"]);
}
