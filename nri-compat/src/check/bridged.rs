//! Plugins that run behind `nri-bridge`, which sends them their events as StateChange whatever the
//! runtime does.
//!
//! | the bridge | its plugin |
//! | --- | --- |
//! | a file `NN-name` | the file `NN-name.bridge/NN-name` beside it |
//! | the command of a container | the program in the image that the command names |
//! | a process | its child, or a process that is connected to its socket |
//!
//! A bridge whose plugin is not found is `unknown`.

use std::collections::{BTreeMap, BTreeSet};

use super::identity::is_plugin_name;
use crate::bridge::{NAME, Relayed};
use crate::path::last_part;
use crate::place::Place;
use crate::sighting::{Evidence, Interface, Role, Sighting};
use crate::unknown::UnknownBridge;

/// The ending of the folder with the plugin of a bridge.
const FOLDER: &str = ".bridge";

/// The processes of plugins behind bridges, with the process of the bridge of each.
pub(super) type Relays = BTreeMap<u32, u32>;

/// Notes which plugins get their events through a bridge: for these, a runtime without StateChange
/// is like any other.
pub(super) fn mark(sightings: &mut [Sighting], relays: &Relays) {
    if sightings.iter().any(is_bridge) {
        beside(sightings);
        processes(sightings, relays);
    }
}

/// Returns true for the program of the bridge.
pub(super) fn is_bridge(seen: &Sighting) -> bool {
    seen.program.as_deref() == Some(NAME)
}

/// Notes that a plugin gets its events through the bridge at a place.
fn relay(seen: &mut Sighting, bridge: &str) {
    if seen.interface == Interface::StateChange {
        seen.interface = Interface::Dedicated;
        let detail = format!("through nri-bridge ({bridge}), which sends it StateChange");
        seen.evidence.push(Evidence::new(NAME, detail));
    }
}

/// Makes a bridge without a plugin unknown, for this reason.
fn lacks_plugin(bridge: &mut Sighting, why: UnknownBridge) {
    bridge.evidence.push(Evidence::new(NAME, why.to_string()));
    bridge.role = Role::Plugin;
    bridge.interface = Interface::unknown(why);
}

/// Marks the plugins in the folders of bridges that a runtime launches.
fn beside(sightings: &mut [Sighting]) {
    let places = |wanted: fn(&Sighting) -> bool| -> BTreeSet<Place> {
        let chosen = sightings.iter().filter(|seen| wanted(seen));
        chosen.map(|seen| Place { pids: Vec::new(), ..seen.place.whole_file() }).collect()
    };
    let (bridges, others) = (places(is_bridge), places(|seen| !is_bridge(seen)));
    for seen in sightings {
        if !is_bridge(seen) {
            let bridge = bridge_of(&seen.place).filter(|place| bridges.contains(place));
            if let Some(bridge) = bridge {
                relay(seen, &bridge.to_string());
            }
        } else if seen.place.pids.is_empty() && is_plugin_name(seen.place.name()) {
            let plugin = plugin_of(&seen.place);
            if !others.contains(&plugin) {
                lacks_plugin(seen, UnknownBridge::NoFile(plugin.path().to_owned()));
            }
        }
    }
}

/// Returns the place of the bridge that would stand for the plugin at a place.
fn bridge_of(plugin: &Place) -> Option<Place> {
    let (folder, name) = plugin.path().rsplit_once('/')?;
    let bridge = folder.strip_suffix(FOLDER)?;
    (last_part(bridge) == name).then(|| at(plugin, bridge.to_owned()))
}

/// Returns the place of the plugin that the bridge at a place stands for.
fn plugin_of(bridge: &Place) -> Place {
    at(bridge, format!("{}{FOLDER}/{}", bridge.path(), bridge.name()))
}

/// Returns the place of the file with another path beside a file.
fn at(place: &Place, path: String) -> Place {
    let place = Place { pids: Vec::new(), ..place.whole_file() };
    match &place.entry {
        Some(_) => place.entry(path),
        None => Place { file: path, ..place },
    }
}

/// Marks the plugins whose processes are all behind bridges.
fn processes(sightings: &mut [Sighting], relays: &Relays) {
    let mut found: BTreeSet<u32> = BTreeSet::new();
    for seen in sightings.iter_mut().filter(|seen| seen.role == Role::Plugin) {
        let bridges: Vec<u32> =
            seen.place.pids.iter().filter_map(|pid| relays.get(pid).copied()).collect();
        found.extend(&bridges);
        if let [first, ..] = bridges[..] {
            if bridges.len() == seen.place.pids.len() {
                relay(seen, &format!("pid {first}"));
            } else {
                let detail =
                    format!("only some of its processes are behind nri-bridge, such as {first}");
                seen.evidence.push(Evidence::new(NAME, detail));
            }
        }
    }
    for bridge in sightings.iter_mut().filter(|seen| is_bridge(seen)) {
        if let Some(pid) = bridge.place.pids.iter().find(|pid| !found.contains(pid)) {
            let why = UnknownBridge::NoProcess(*pid);
            lacks_plugin(bridge, why);
        }
    }
}

/// Marks the plugin that the bridge in a container starts, or adds a sighting if it is not in the
/// image. `container` is the place of the container.
#[cfg_attr(
    not(feature = "registry"),
    allow(dead_code, reason = "containers are checked by fetching their images")
)]
pub(super) fn container(sightings: &mut Vec<Sighting>, container: &Place, relayed: &Relayed) {
    let mut all: Vec<&mut Sighting> =
        sightings.iter_mut().filter(|seen| seen.place.is_within(container)).collect();
    if all.iter().any(|seen| matches!(seen.interface, Interface::Unknown(_))) && all.len() == 1 {
        // The image could not be read.
        return;
    }
    let shown = |text: &str| crate::escape::bytes(text.as_bytes());
    let why = match relayed {
        Relayed::Program(program) => match find(&mut all, program) {
            Some(plugin) => return relay(plugin, &container.to_string()),
            None => UnknownBridge::NoPlugin(shown(program)),
        },
        Relayed::Socket(socket) => UnknownBridge::Socket(shown(socket)),
        Relayed::Beside => UnknownBridge::NoProgram,
    };
    let mut seen = Sighting { place: container.clone(), ..Sighting::default() };
    lacks_plugin(&mut seen, why);
    sightings.push(seen);
}

/// Returns the plugin at a path, or else the only one with its name: folders may be links, and a
/// program may be in `PATH`.
fn find<'s>(sightings: &'s mut [&mut Sighting], program: &str) -> Option<&'s mut Sighting> {
    let is_plugin = |seen: &Sighting| seen.role == Role::Plugin && seen.place.entry.is_some();
    let at_path = |seen: &Sighting| is_plugin(seen) && seen.place.path() == program;
    let name = last_part(program);
    let named = |seen: &Sighting| is_plugin(seen) && seen.place.name() == name;
    let only = sightings.iter().filter(|seen| named(seen)).count() == 1;
    let wanted = sightings
        .iter()
        .position(|seen| at_path(seen))
        .or_else(|| sightings.iter().position(|seen| named(seen)).filter(|_| only))?;
    sightings.get_mut(wanted).map(|seen| &mut **seen)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::place::WorkloadPlace;

    fn seen(place: impl Into<Place>, program: Option<&str>) -> Sighting {
        let is_plugin = program.is_none();
        Sighting {
            place: place.into(),
            program: program.map(str::to_owned),
            role: if is_plugin { Role::Plugin } else { Role::Library },
            interface: if is_plugin { Interface::StateChange } else { Interface::None },
            ..Sighting::default()
        }
    }

    fn is_behind(seen: &Sighting) -> bool {
        seen.interface == Interface::Dedicated
    }

    fn reason(seen: &Sighting) -> Option<String> {
        let Interface::Unknown(why) = &seen.interface else { return None };
        Some(why.to_string())
    }

    #[test]
    fn only_the_plugin_in_the_folder_of_a_bridge_is_behind_it() {
        let mut all = [
            seen("/opt/nri/plugins/10-old", Some(NAME)),
            seen("/opt/nri/plugins/10-old.bridge/10-old", None),
            seen("/opt/nri/plugins/10-old.bridge/20-other", None),
            seen("/opt/nri/plugins/20-old", Some("other")),
            seen("/opt/nri/plugins/20-old.bridge/20-old", None),
            seen("/srv/10-old.bridge/10-old", None),
        ];
        mark(&mut all, &Relays::new());
        assert_eq!(all.each_ref().map(is_behind), [false, true, false, false, false, false]);
        assert!(all.iter().all(|seen| reason(seen).is_none()));
    }

    #[test]
    fn a_bridge_without_its_plugin_is_unknown_where_a_runtime_launches_it() {
        let mut all = [seen("/opt/10-old", Some(NAME)), seen("/usr/bin/nri-bridge", Some(NAME))];
        mark(&mut all, &Relays::new());
        let reasons = all.each_ref().map(reason);
        let expected = "a bridge whose plugin /opt/10-old.bridge/10-old was not found";
        assert_eq!(reasons, [Some(expected.to_owned()), None]);
    }

    #[test]
    fn a_plugin_is_behind_a_bridge_if_all_its_processes_are() {
        let at = |path: &str, pids: &[u32]| Place::from(path).run_by(pids);
        let mut all = [
            seen(at("/bridge", &[1, 2, 3]), Some(NAME)),
            seen(at("/old", &[11]), None),
            seen(at("/both", &[12, 20]), None),
        ];
        mark(&mut all, &Relays::from([(11, 1), (12, 2)]));
        assert_eq!(all.each_ref().map(is_behind), [false, true, false]);
        assert_eq!(
            reason(&all[0]).as_deref(),
            Some("a bridge whose plugin was not found among the processes: pid 3")
        );
    }

    #[test]
    fn the_program_of_a_container_is_behind_its_bridge() {
        let workload = WorkloadPlace { name: "w".to_owned(), ..WorkloadPlace::default() };
        let place = Place::from("a.yaml").in_workload(workload);
        let image = || {
            let image = place.in_image("example.org/old:1");
            vec![seen(image.entry("/usr/bin/old"), None), seen(image.entry("/usr/bin/x"), None)]
        };
        for (program, behind) in [
            ("/usr/bin/old", [true, false].as_slice()),
            ("old", &[true, false]),
            ("/bin/x", &[false, true]),
            ("/sh", &[false, false, false]),
        ] {
            let mut all = image();
            container(&mut all, &place, &Relayed::Program(program.to_owned()));
            assert_eq!(all.iter().map(is_behind).collect::<Vec<_>>(), behind, "{program}");
        }
        let mut all = image();
        container(&mut all, &place, &Relayed::Socket("/run/b.sock".to_owned()));
        assert!(all.last().and_then(reason).is_some_and(|why| why.contains("connect to /run/b")));
    }
}
