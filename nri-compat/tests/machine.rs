//! What `check` looks at on a machine: running processes, and the folders that its runtimes are configured to use.

mod common;

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use common::{Marker, paths};
use nri_compat::check::collect::{Collected, Request, collect};

struct Machine {
    _keep: tempfile::TempDir,
    root: PathBuf,
}

impl Machine {
    fn new() -> Self {
        let keep = tempfile::tempdir().unwrap();
        let root = keep.path().canonicalize().unwrap();
        Self { _keep: keep, root }
    }

    fn with(self, path: &str, text: &str) -> Self {
        let path = self.root.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
        self
    }

    fn process(self, pid: u32, exe: &str) -> Self {
        let this = self.with(&format!("proc/{pid}/cmdline"), "x");
        symlink(
            this.root.join(exe),
            this.root.join(format!("proc/{pid}/exe")),
        )
        .unwrap();
        this
    }

    fn look(&self, paths: &[&str], processes: bool) -> Collected {
        let request = Request {
            paths: paths.iter().map(|path| self.root.join(path)).collect(),
            processes,
            root: Some(self.root.clone()),
            ..Request::default()
        };
        collect(&request, &[&Marker])
    }

    /// Lines with the machine's root cut out.
    fn bare(&self, lines: &[String]) -> Vec<String> {
        let root = self.root.to_str().unwrap();
        lines.iter().map(|line| line.replace(root, "")).collect()
    }

    fn found(&self, paths: &[&str]) -> Vec<String> {
        self.bare(&common::paths(&self.look(paths, false)))
    }
}

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
    let found = machine.look(&[], true);
    assert_eq!(machine.bare(&paths(&found)), ["/opt/10-plugin (pid 7, 12)"]);
    assert_eq!(found.sightings[0].name.as_deref(), Some("10-plugin"));
    let skipped: Vec<_> = found
        .skipped
        .iter()
        .map(|skip| format!("{}: {}", skip.place, skip.reason))
        .collect();
    assert_eq!(
        machine.bare(&skipped),
        [
            "/proc/30/exe: it is gone",
            "/proc/31/exe: not a regular file",
            "/proc/40/exe: the process ended meanwhile",
        ]
    );
    assert_eq!(
        machine.bare(&found.summary.looked_at),
        ["/proc (processes)"]
    );
}

#[test]
fn many_processes_of_one_executable_are_counted() {
    let mut machine = Machine::new().with("opt/x", "MARK x");
    for pid in 1..=11 {
        machine = machine.process(pid, "opt/x");
    }
    let found = paths(&machine.look(&[], true));
    assert_eq!(
        machine.bare(&found),
        ["/opt/x (pid 1, 2, 3, 4, 5, 6, 7, 8 and 3 more)"]
    );
}

#[test]
fn a_real_process_is_found_under_its_pid_even_if_its_file_was_deleted() {
    let folder = tempfile::tempdir().unwrap();
    let program = folder.path().canonicalize().unwrap().join("10-sleeper");
    fs::copy("/bin/sleep", &program).unwrap();
    let mut child = std::process::Command::new(&program)
        .arg("60")
        .spawn()
        .unwrap();
    fs::remove_file(&program).unwrap();
    let request = Request {
        processes: true,
        ..Request::default()
    };
    let found = collect(&request, &[&Elf]);
    child.kill().unwrap();
    child.wait().unwrap();
    let shown = format!("{} (deleted) (pid {})", program.display(), child.id());
    let sighting = found
        .sightings
        .iter()
        .find(|seen| seen.place.to_string() == shown);
    assert_eq!(sighting.unwrap().name.as_deref(), Some("10-sleeper"));
}

/// Sees every ELF file.
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
    ) -> Result<Vec<nri_compat::check::sighting::Sighting>, nri_compat::check::evidence::Unreadable>
    {
        Ok(vec![nri_compat::check::sighting::Sighting {
            place: file.place.clone(),
            name: Some(file.name.clone()),
            ..Default::default()
        }])
    }
}

#[test]
fn without_a_configuration_the_default_folders_are_looked_at() {
    let machine = Machine::new()
        .with("opt/nri/plugins/10-a", "MARK a")
        .with("opt/nri/bin/old", "MARK b")
        .with("etc/nri/conf.json", "MARK c");
    let found = machine.look(&[], false);
    assert_eq!(
        machine.bare(&paths(&found)),
        [
            "/etc/nri/conf.json",
            "/opt/nri/bin/old",
            "/opt/nri/plugins/10-a"
        ]
    );
    assert_eq!(
        machine.bare(&found.summary.looked_at),
        [
            "/opt/nri/plugins",
            "/etc/nri/conf.d (not there)",
            "/opt/nri/bin",
            "/etc/nri/conf.json",
        ]
    );
    assert!(found.skipped.is_empty(), "{:?}", found.skipped);
}

const VERSION_3: &str = "version = 3\nimports = ['conf.d/*.toml', '/etc/containerd/more.toml']\n\
    [plugins.'io.containerd.nri.v1.nri']\ndisable = false\nplugin_path = '/srv/one'\n";

#[test]
fn a_configured_machine_is_looked_at_where_its_runtimes_look() {
    let nri = "version = 3\n[plugins.'io.containerd.nri.v1.nri']\n";
    let machine = Machine::new()
        .with("etc/containerd/config.toml", VERSION_3)
        .with(
            "etc/containerd/conf.d/a.toml",
            &format!("{nri}plugin_path = '/srv/two'"),
        )
        .with(
            "etc/containerd/conf.d/b.toml",
            &format!("{nri}plugin_path = '/srv/three'"),
        )
        .with("etc/containerd/conf.d/c.txt", "not imported")
        .with("etc/containerd/more.toml", &format!("{nri}disable = true"))
        .with("srv/one/10-a", "MARK a")
        .with("srv/two/10-b", "MARK b")
        .with("srv/three/10-c", "MARK c")
        .with("opt/nri/plugins/10-d", "MARK d")
        .with(
            "etc/crio/crio.conf.d/10-x.conf",
            "[crio.nri]\nnri_plugin_dir = '/srv/crio'",
        )
        .with("srv/crio/10-e", "MARK e");
    let found = machine.look(&[], false);
    assert_eq!(
        machine.bare(&paths(&found)),
        ["/srv/crio/10-e", "/srv/three/10-c"]
    );
    assert_eq!(
        machine.bare(&found.summary.looked_at),
        [
            "/etc/containerd/config.toml (containerd, NRI is off)",
            "/srv/three",
            "/etc/nri/conf.d (not there)",
            "/etc/crio/crio.conf (cri-o)",
            "/srv/crio",
            "/opt/nri/bin (not there)",
            "/etc/nri/conf.json (not there)",
        ]
    );
}

#[test]
fn a_configuration_that_is_named_stands_for_its_folders() {
    let machine = Machine::new()
        .with(
            "my.toml",
            "version = 2\n[plugins.'io.containerd.nri.v1.nri']\nplugin_path = '/p'",
        )
        .with("p/10-a", "MARK a")
        .with(
            "crio.conf",
            "[crio.nri]\nenable_nri = true\nnri_plugin_dir = '/q'",
        )
        .with(
            "crio.conf.d/z.conf",
            "[crio.nri]\nnri_plugin_config_dir = '/r'",
        )
        .with("q/10-b", "MARK b")
        .with("r/10-b.conf", "MARK c");
    assert_eq!(machine.found(&["my.toml"]), ["/p/10-a"]);
    assert_eq!(machine.found(&["crio.conf"]), ["/q/10-b", "/r/10-b.conf"]);
    let found = machine.look(&["crio.conf"], false);
    assert_eq!(
        machine.bare(&found.summary.looked_at),
        ["/crio.conf (cri-o, NRI is on)", "/q", "/r"]
    );
}

#[test]
fn imports_in_a_cycle_end_and_broken_ones_are_said() {
    let machine = Machine::new()
        .with(
            "a.toml",
            "version = 3\nimports = ['./sub/../b.toml', 'absent.toml', 'bad.toml']",
        )
        .with(
            "b.toml",
            "version = 3\nimports = ['a.toml', '**/c*.toml']\n[plugins]",
        )
        .with("bad.toml", "version = = 3")
        .with(
            "deep/er/c.toml",
            "[plugins.'io.containerd.nri.v1.nri']\nplugin_path = '/never'",
        )
        .with(
            "deep/c.toml",
            "[plugins.'io.containerd.nri.v1.nri']\nplugin_path = '/p'",
        )
        .with("p/10-a", "MARK a");
    let found = machine.look(&["a.toml"], false);
    assert_eq!(machine.bare(&paths(&found)), ["/p/10-a"]);
    let skipped: Vec<_> = found
        .skipped
        .iter()
        .map(|skip| skip.place.to_string())
        .collect();
    assert_eq!(machine.bare(&skipped), ["/absent.toml", "/bad.toml"]);
    assert!(found.skipped[1].reason.starts_with("not valid TOML: "));
}

#[test]
fn other_toml_is_no_configuration() {
    let machine = Machine::new()
        .with("Cargo.lock", "version = 4\n[[package]]\nname = 'x'")
        .with("deep.toml", &"[".repeat(100_000));
    let found = machine.look(&["Cargo.lock", "deep.toml"], false);
    let reasons: Vec<_> = found.skipped.iter().map(|skip| &*skip.reason).collect();
    assert_eq!(reasons, ["not a kind of file that is looked into"; 2]);
}

#[test]
fn a_named_path_is_not_taken_below_the_root() {
    let request = Request {
        paths: vec![Path::new("/no/such/thing").to_owned()],
        root: Some(PathBuf::from("/also/absent")),
        ..Request::default()
    };
    let found = collect(&request, &[&Marker]);
    assert_eq!(found.missing, ["/no/such/thing"]);
}

#[test]
fn a_configuration_leads_nowhere_outside_the_root() {
    let machine = Machine::new()
        .with(
            "host/etc/containerd/config.toml",
            "[plugins.'io.containerd.nri.v1.nri']\nplugin_path = '/../../outside'\nplugin_config_path = 'in'",
        )
        .with("outside/10-a", "MARK a")
        .with("host/outside/10-b", "MARK b")
        .with("host/in/10-c", "MARK c");
    let request = Request {
        root: Some(machine.root.join("host")),
        ..Request::default()
    };
    let found = collect(&request, &[&Marker]);
    assert_eq!(
        machine.bare(&paths(&found)),
        ["/host/in/10-c", "/host/outside/10-b"]
    );
}
