//! The processes behind `nri-bridge`: those that it started, and those that are connected to its
//! socket.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use super::{Program, parent, texts};
use crate::bridge::Relayed;
use crate::check::bridged::Relays;

/// The maximum number of processes between a bridge and its plugin, such as shells.
const MAX_BETWEEN: usize = 8;

/// Returns the processes behind bridges, with the process of the bridge of each. `are_bridges` has
/// the bridges among the programs.
pub(super) fn relays(proc: &Path, programs: &[Program], are_bridges: &[bool]) -> Relays {
    let of_kind = |wanted: bool| {
        let all = programs.iter().zip(are_bridges);
        all.filter(move |(_, is_bridge)| **is_bridge == wanted).map(|(program, _)| program)
    };
    let bridges: BTreeSet<u32> = of_kind(true).flat_map(|one| one.pids.iter().copied()).collect();
    if bridges.is_empty() {
        return Relays::new();
    }
    let started = of_kind(false)
        .flat_map(|program| &program.pids)
        .filter_map(|pid| Some((*pid, starter(proc, *pid, &bridges)?)));
    let sockets = sockets(proc, &bridges);
    let plugins = of_kind(false).flat_map(|program| &program.plugins);
    let connected =
        plugins.filter_map(|plugin| Some((plugin.pid, *sockets.get(plugin.socket.as_ref()?)?)));
    started.chain(connected).collect()
}

/// Returns the bridge that a process comes from.
fn starter(proc: &Path, pid: u32, bridges: &BTreeSet<u32>) -> Option<u32> {
    let above = |child: &u32| parent(&proc.join(child.to_string()));
    let mut ancestors = std::iter::successors(above(&pid), above).take(MAX_BETWEEN + 1);
    ancestors.find(|ancestor| bridges.contains(ancestor))
}

/// Returns the sockets at which bridges listen, with the process of each.
fn sockets(proc: &Path, bridges: &BTreeSet<u32>) -> BTreeMap<PathBuf, u32> {
    let listening = bridges.iter().filter_map(|pid| {
        let words = texts(&proc.join(pid.to_string()).join("cmdline"));
        let arguments = words.iter().skip(1).map(String::as_str);
        match Relayed::by_arguments(arguments) {
            Relayed::Socket(socket) => Some((PathBuf::from(socket), *pid)),
            Relayed::Program(_) | Relayed::Beside => None,
        }
    });
    listening.collect()
}
