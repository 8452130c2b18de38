//! The runtimes that are installed on a machine or run there, by the build information of their
//! programs, which are read and never executed.

use std::path::{Path, PathBuf};

use crate::check::collected::MachineRuntime;
use crate::check::content::disk::Disk;
use crate::check::content::{File, Head};
use crate::check::evidence::RuntimeBuild;
use crate::check::find::machine_root::MachineRoot;
use crate::escape;
use crate::place::Place;

/// The programs of runtimes: the names of their processes, and their usual places, those of
/// distributions of Kubernetes first, which bring their own.
const PROGRAMS: [(&str, &str, &[&str]); 2] = [
    (
        "containerd",
        "containerd",
        &[
            "/var/lib/rancher/rke2/bin/containerd",
            "/var/lib/rancher/k3s/data/current/bin/containerd",
            "/var/lib/k0s/bin/containerd",
            "/snap/microk8s/current/bin/containerd",
            "/snap/k8s/current/bin/containerd",
            "/usr/local/bin/containerd",
            "/usr/bin/containerd",
            "/bin/containerd",
            "/opt/bin/containerd",
        ],
    ),
    ("cri-o", "crio", &["/usr/local/bin/crio", "/usr/bin/crio", "/usr/sbin/crio"]),
];

/// The maximum number of processes that are looked at.
const MAX_PROCESSES: usize = 100_000;

/// Returns the runtimes of a machine, each once: the one that runs, or else the one that is
/// installed.
pub(in crate::check) fn find(machine: &MachineRoot) -> Vec<MachineRuntime> {
    let processes = processes(machine);
    let programs = PROGRAMS.iter().filter_map(|(runtime, name, places)| {
        let running = processes
            .iter()
            .filter(|process| process.name == *name)
            .filter_map(|process| running_program(runtime, process));
        let installed = places.iter().filter_map(|place| installed(runtime, place, machine));
        running.chain(installed).next()
    });
    programs.collect()
}

/// A process that has the name of a runtime.
struct RuntimeProcess {
    /// Its folder in `proc`.
    folder: PathBuf,
    name: String,
}

/// Returns the processes that have the names of runtimes.
fn processes(machine: &MachineRoot) -> Vec<RuntimeProcess> {
    let Ok(entries) = machine.folder().join("proc").read_dir() else {
        return Vec::new();
    };
    let folders = entries.flatten().map(|entry| entry.path()).filter(|folder| is_process(folder));
    let named = folders.take(MAX_PROCESSES).filter_map(|folder| {
        let name = std::fs::read_to_string(folder.join("comm")).ok()?.trim_end().to_owned();
        let is_runtime = PROGRAMS.iter().any(|(_, program, _)| *program == name);
        is_runtime.then_some(RuntimeProcess { folder, name })
    });
    let mut all: Vec<RuntimeProcess> = named.collect();
    all.sort_by(|a, b| a.folder.cmp(&b.folder));
    all
}

/// Returns true if a folder below `/proc` is that of a process.
fn is_process(folder: &Path) -> bool {
    let name = folder.file_name().and_then(|name| name.to_str());
    name.is_some_and(|name| name.parse::<u32>().is_ok())
}

fn running_program(runtime: &str, process: &RuntimeProcess) -> Option<MachineRuntime> {
    let link = process.folder.join("exe");
    let program = escape::path(&link.read_link().ok()?);
    let pid = process.folder.file_name()?.to_string_lossy().into_owned();
    read(runtime, &link, format!("the build information of {program}, which runs (pid {pid})"))
}

fn installed(runtime: &str, place: &str, machine: &MachineRoot) -> Option<MachineRuntime> {
    let path = machine.below(place);
    let real = machine.resolve(&path).ok()?;
    read(runtime, &real, format!("the build information of {}", escape::path(&path)))
}

/// Returns the runtime that a program is, if its build information has a release of the runtime or
/// of NRI.
fn read(runtime: &str, program: &Path, known_from: String) -> Option<MachineRuntime> {
    let history = crate::data::history().ok()?;
    let modules = &history.runtime(runtime).ok()?.runtime.modules;
    let content = Disk::open(program).ok()??;
    let file = File {
        place: Place::from_path(program),
        name: String::new(),
        head: Head::read(&content).ok()?,
        content: &content,
        disk: None,
    };
    let build = RuntimeBuild::read(&file, modules)?;
    let RuntimeBuild { release, nri } = build;
    let runtime = runtime.to_owned();
    (release.is_some() || nri.is_some()).then_some(MachineRuntime {
        runtime,
        release,
        nri,
        known_from,
    })
}
