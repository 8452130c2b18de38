//! The declarations around a mapping that its containers can refer to.

use std::collections::HashMap;

use super::super::model::{EphemeralSource, Volume};
use super::convert::{Error, from_json};
use super::node::{Node, Value};

const VOLUMES: &str = "volumes";
const CLAIMS: &str = "volumeClaimTemplates";
const IMAGE: &str = "image";

/// The mappings around a mapping, outermost first.
#[derive(Debug, Default)]
pub(super) struct Scope<'n> {
    levels: Vec<Level<'n>>,
}

/// The declarations of one mapping.
#[derive(Debug, Default)]
struct Level<'n> {
    volumes: HashMap<&'n str, &'n Node>,
    claims: HashMap<&'n str, &'n Node>,
    image: Option<&'n Node>,
}

impl<'n> Scope<'n> {
    /// Enters a mapping. Returns true if it declares something and must be left.
    pub(super) fn enter(&mut self, node: &'n Node) -> bool {
        let level = Level::of(node);
        let is_useful = level.is_useful();
        if is_useful {
            self.levels.push(level);
        }
        is_useful
    }

    /// Leaves the mapping that was entered last.
    pub(super) fn leave(&mut self) {
        self.levels.pop();
    }

    /// Returns the image of the innermost mapping that has one.
    pub(super) fn image(&self) -> Option<&'n Node> {
        self.levels.iter().rev().find_map(|level| level.image)
    }

    /// Returns the volume with this name that an enclosing mapping declares.
    pub(super) fn volume(&self, name: &str) -> Option<Result<Volume, Error>> {
        self.levels.iter().rev().find_map(|level| {
            let claim = level.claims.get(name).map(|claim| from_claim(name, claim));
            claim.or_else(|| Some(volume(level.volumes.get(name)?)))
        })
    }
}

impl<'n> Level<'n> {
    fn of(node: &'n Node) -> Self {
        let elements = |field| node.get(field).into_iter().flat_map(Node::elements);
        let named = |node: &'n Node| Some((node.text("name")?, node));
        let is_text = |image: &&Node| matches!(image.value, Value::Text(_));
        Self {
            volumes: elements(VOLUMES).filter_map(named).collect(),
            claims: elements(CLAIMS)
                .filter_map(|claim| Some((claim.get("metadata")?.text("name")?, claim)))
                .collect(),
            image: node.get(IMAGE).filter(is_text),
        }
    }

    fn is_useful(&self) -> bool {
        !self.volumes.is_empty() || !self.claims.is_empty() || self.image.is_some()
    }
}

/// Returns the volumes that a mapping declares.
pub(super) fn volumes(node: &Node) -> Result<Vec<Volume>, Error> {
    let Some(list) = node.get(VOLUMES) else {
        return Ok(Vec::new());
    };
    if !matches!(list.value, Value::List(_) | Value::Null) {
        // Converts the list only to return the error.
        from_json::<Vec<Volume>>(list, list.to_json())?;
    }
    let elements = list.elements().iter().filter(|element| !element.is_null());
    elements.map(volume).collect()
}

fn volume(node: &Node) -> Result<Volume, Error> {
    let reference = node.get(IMAGE).and_then(|image| image.get("reference"));
    let wanted = |key: &str| {
        let sources = [
            "name",
            "hostPath",
            "persistentVolumeClaim",
            "ephemeral",
            IMAGE,
        ];
        sources.contains(&key)
    };
    let volume: Volume = from_json(node, node.keys_to_json(wanted))?;
    Ok(Volume {
        line: Some(reference.unwrap_or(node).line),
        ..volume
    })
}

/// Returns the volume that a pod gets from the template of a claim.
fn from_claim(name: &str, node: &Node) -> Result<Volume, Error> {
    let volume_claim_template = from_json(node, node.to_json())?;
    Ok(Volume {
        name: name.to_owned(),
        ephemeral: Some(EphemeralSource {
            volume_claim_template,
        }),
        line: Some(node.line),
        ..Volume::default()
    })
}
