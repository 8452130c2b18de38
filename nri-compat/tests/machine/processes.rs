//! Plugins that run, by their processes.

use std::fs;

use nri_compat::check::collect::{Request, collect};

use crate::Machine;
use crate::common::paths;

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
