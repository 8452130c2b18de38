//! Plugins that run behind `nri-bridge`, which sends them their events as StateChange whatever the runtime does.
//!
//! A launched bridge `NN-name` stands for the plugin `NN-name.bridge/NN-name`.

use std::collections::BTreeSet;

use crate::place::Place;
use crate::sighting::{Evidence, Interface, Sighting};

/// The name that the bridge has in its manifest.
const BRIDGE: &str = "nri-bridge";

/// The ending of the folder with the plugin of a bridge.
const FOLDER: &str = ".bridge";

/// Notes which plugins get their events through a bridge: for these, a runtime without StateChange is like any other.
pub(super) fn mark(sightings: &mut [Sighting]) {
    let bridges = sightings.iter().filter(|seen| seen.program.as_deref() == Some(BRIDGE));
    let bridges: BTreeSet<Place> = bridges.map(|seen| seen.place.whole_file()).collect();
    if bridges.is_empty() {
        return;
    }
    for seen in sightings {
        let bridge = bridge_of(&seen.place).filter(|place| bridges.contains(place));
        if let (Interface::StateChange, Some(bridge)) = (&seen.interface, bridge) {
            seen.interface = Interface::Dedicated;
            let detail = format!("through nri-bridge ({bridge}), which sends it StateChange");
            seen.evidence.push(Evidence::new(BRIDGE, detail));
        }
    }
}

/// Returns the place of the bridge that would stand for the plugin at a place.
fn bridge_of(plugin: &Place) -> Option<Place> {
    let plugin = plugin.whole_file();
    let (folder, name) = plugin.path().rsplit_once('/')?;
    let bridge = folder.strip_suffix(FOLDER)?;
    if bridge.rsplit('/').next() != Some(name) {
        return None;
    }
    let bridge = bridge.to_owned();
    Some(match &plugin.entry {
        Some(_) => plugin.entry(bridge),
        None => Place { file: bridge, ..plugin },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(path: &str, program: Option<&str>) -> Sighting {
        Sighting {
            place: path.into(),
            program: program.map(str::to_owned),
            interface: Interface::StateChange,
            ..Sighting::default()
        }
    }

    #[test]
    fn only_the_plugin_in_the_folder_of_a_bridge_is_behind_it() {
        let mut all = [
            seen("/opt/nri/plugins/10-old", Some(BRIDGE)),
            seen("/opt/nri/plugins/10-old.bridge/10-old", None),
            seen("/opt/nri/plugins/10-old.bridge/20-other", None),
            seen("/opt/nri/plugins/20-old", Some("other")),
            seen("/opt/nri/plugins/20-old.bridge/20-old", None),
            seen("/srv/10-old.bridge/10-old", None),
        ];
        mark(&mut all);
        let is_behind = all.map(|seen| seen.interface == Interface::Dedicated);
        assert_eq!(is_behind, [false, true, false, false, false, false]);
    }
}
