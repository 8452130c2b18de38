//! `check` on a machine: running processes, and the folders that its runtimes are configured to use.

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

    /// Returns lines with the machine's root cut out.
    fn bare(&self, lines: &[String]) -> Vec<String> {
        let root = self.root.to_str().unwrap();
        lines.iter().map(|line| line.replace(root, "")).collect()
    }

    /// Returns the places that were checked, without default places that have no configuration.
    fn places(&self, found: &Collected) -> Vec<String> {
        let mut lines = self.bare(&found.summary.looked_at);
        lines.retain(|line| {
            !line.ends_with(" (no configuration)") && line != "systemd units and command lines"
        });
        lines
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
        machine.places(&found),
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
        machine.places(&found),
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
    let reasons: Vec<_> = found
        .sightings
        .iter()
        .map(|seen| &*seen.evidence[0].detail)
        .collect();
    assert_eq!(reasons, ["not a kind of file that can be judged"; 2]);
}

#[test]
fn a_named_path_is_not_taken_below_the_root() {
    let request = Request {
        paths: vec![Path::new("/no/such/thing").to_owned()],
        root: Some(PathBuf::from("/also/absent")),
        ..Request::default()
    };
    let found = collect(&request, &[&Marker]);
    assert_eq!(found.missing, ["/also/absent", "/no/such/thing"]);
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

/// Returns a containerd configuration that names a folder of plugins.
fn containerd(folder: &str) -> String {
    format!("version = 2\n[plugins.'io.containerd.nri.v1.nri']\nplugin_path = '{folder}'\n")
}

#[test]
fn links_lead_to_where_they_lead_on_the_machine() {
    let config = containerd("/srv/plugins");
    let plugin = |path: &str, link: &str, target: &str| {
        let machine = Machine::new().with("data/elsewhere/10-a", "MARK a");
        let machine = if path == "etc/containerd/config.toml" {
            machine
                .with("data/config.toml", &config)
                .with("srv/plugins/10-a", "MARK a")
        } else {
            machine.with("etc/containerd/config.toml", &config)
        };
        let link = machine.root.join(link);
        fs::create_dir_all(link.parent().unwrap()).unwrap();
        symlink(target, link).unwrap();
        machine
    };
    for (what, link, target) in [
        ("plugin", "srv/plugins/10-a", "/data/elsewhere/10-a"),
        (
            "relative plugin",
            "srv/plugins/10-a",
            "../../data/elsewhere/10-a",
        ),
        (
            "plugin above the root",
            "srv/plugins/10-a",
            "../../../../../data/elsewhere/10-a",
        ),
        ("folder", "srv/plugins", "/data/elsewhere"),
        ("parent", "srv", "/data/up"),
        (
            "etc/containerd/config.toml",
            "etc/containerd/config.toml",
            "/data/config.toml",
        ),
    ] {
        let machine = plugin(what, link, target);
        if what == "parent" {
            fs::create_dir_all(machine.root.join("data/up")).unwrap();
            symlink("/data/elsewhere", machine.root.join("data/up/plugins")).unwrap();
        }
        let found = machine.look(&[], false);
        assert_eq!(
            machine.bare(&paths(&found)),
            ["/srv/plugins/10-a"],
            "{what}: {found:?}"
        );
    }
}

#[test]
fn links_out_of_the_root_or_in_circles_are_reported() {
    for (target, reason) in [
        ("/etc/hostname", "no such file or folder"),
        ("10-a", "a circular link"),
        ("/proc/self/exe", "no such file or folder"),
    ] {
        let machine = Machine::new().with("srv/plugins/keep", "x");
        let machine = machine.with("etc/containerd/config.toml", &containerd("/srv/plugins"));
        symlink(target, machine.root.join("srv/plugins/10-a")).unwrap();
        let found = machine.look(&[], false);
        let expected = format!("/srv/plugins/10-a: a link that cannot be followed: {reason}");
        assert_eq!(
            machine.bare(&common::answers(&found)),
            [expected],
            "{target}"
        );
    }
}

#[test]
fn a_configured_folder_that_is_not_there_counts() {
    let machine = Machine::new().with("etc/containerd/config.toml", &containerd("/srv/gone"));
    let found = machine.look(&[], false);
    let line = "/srv/gone: no such file or folder, but /etc/containerd/config.toml names it";
    assert_eq!(machine.bare(&common::skipped(&found)), [line]);
    assert!(
        machine
            .places(&found)
            .contains(&"/srv/gone (not there)".to_owned())
    );
}

#[test]
fn configurations_are_found_wherever_distributions_put_them() {
    let unit = |command: &str| format!("[Service]\nExecStart={command}\n");
    let config = containerd("/srv/plugins");
    for (files, what) in [
        (
            vec![("etc/containerd/config.toml", config.clone())],
            "default",
        ),
        (
            vec![("usr/share/containerd/config.toml", config.clone())],
            "distribution",
        ),
        (
            vec![(
                "var/lib/rancher/k3s/agent/etc/containerd/config.toml",
                config.clone(),
            )],
            "k3s",
        ),
        (
            vec![(
                "var/lib/rancher/rke2/agent/etc/containerd/config.toml",
                config.clone(),
            )],
            "RKE2",
        ),
        (
            vec![(
                "var/snap/microk8s/current/args/containerd.toml",
                config.clone(),
            )],
            "MicroK8s",
        ),
        (vec![("etc/k0s/containerd.toml", config.clone())], "k0s"),
        (
            vec![("run/k0s/containerd-cri.toml", config.clone())],
            "k0s, generated",
        ),
        (vec![("etc/cri/containerd.toml", config.clone())], "Talos"),
        (
            vec![
                (
                    "etc/k0s/containerd.toml",
                    "version = 2\nimports = ['/run/k0s/x.d/*.toml']".into(),
                ),
                ("run/k0s/x.d/nri.toml", config.clone()),
            ],
            "import by pattern",
        ),
        (
            vec![
                (
                    "usr/lib/systemd/system/containerd.service",
                    unit("/usr/bin/containerd --config /a/b.toml"),
                ),
                ("a/b.toml", config.clone()),
            ],
            "unit",
        ),
        (
            vec![
                (
                    "usr/lib/systemd/system/containerd.service",
                    unit("/usr/bin/containerd"),
                ),
                (
                    "etc/systemd/system/containerd.service.d/10-config.conf",
                    unit("\nExecStart=/usr/bin/containerd -c /a/b.toml"),
                ),
                ("a/b.toml", config.clone()),
            ],
            "drop-in of a unit",
        ),
        (
            vec![
                (
                    "etc/systemd/system/k3s.service",
                    unit("/usr/local/bin/k3s server '--data-dir' '/data'"),
                ),
                ("data/agent/etc/containerd/config.toml", config.clone()),
            ],
            "k3s with a folder of its own",
        ),
        (
            vec![
                (
                    "proc/77/cmdline",
                    "/usr/bin/containerd\0--config=/a/b.toml\0".into(),
                ),
                ("a/b.toml", config.clone()),
            ],
            "process",
        ),
        (
            vec![
                ("proc/78/cmdline", "crio\0-c\0/a/crio.conf\0".into()),
                (
                    "a/crio.conf",
                    "[crio.nri]\nnri_plugin_dir = '/srv/plugins'".into(),
                ),
            ],
            "process of CRI-O",
        ),
    ] {
        let mut machine = Machine::new().with("srv/plugins/10-a", "MARK a");
        for (path, text) in &files {
            machine = machine.with(path, text);
        }
        let found = machine.look(&[], false);
        assert_eq!(
            machine.bare(&paths(&found)),
            ["/srv/plugins/10-a"],
            "{what}: {found:?}"
        );
    }
}

#[test]
fn a_configuration_that_a_unit_names_and_that_is_not_there_counts() {
    let unit = "[Service]\nExecStart=/usr/bin/containerd --config /gone.toml\n";
    let machine = Machine::new().with("lib/systemd/system/containerd.service", unit);
    let line = "/gone.toml: no such file or folder, but containerd.service names it";
    assert_eq!(
        machine.bare(&common::skipped(&machine.look(&[], false))),
        [line]
    );
}
