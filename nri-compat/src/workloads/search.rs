//! Finds the pods of an object by their shape, whatever the kind of the object.

use super::node::{Node, Value};
use super::pod;
use super::statements::{self, Statement};

/// The fields that never contain a pod template.
const WITHOUT_PODS: [&str; 3] = ["managedFields", "metadata", "status"];

/// The field of a list with its objects, which have no kind in some answers of the API server.
const ITEMS: &str = "items";

/// The content of an object.
#[derive(Default)]
pub(super) struct Content<'n> {
    /// The pods and pod templates.
    pub(super) pods: Vec<&'n Node>,
    /// The complete objects in it, such as those of a `List`.
    pub(super) objects: Vec<&'n Node>,
    /// Statements about NRI outside of pods.
    pub(super) statements: Vec<Statement>,
}

/// Returns an object of this kind with its pods.
#[cfg(feature = "cluster")]
pub(crate) fn workload(object: &Node, kind: &str) -> pod::Workload {
    pod::Workload::new(object, kind, &Content::new(object).pods)
}

/// Returns true if a mapping is a complete object.
pub(super) fn is_complete(node: &Node) -> bool {
    node.text("apiVersion").is_some() && node.text("kind").is_some()
}

impl<'n> Content<'n> {
    pub(super) fn new(object: &'n Node) -> Self {
        let mut content = Self::default();
        content.search(object);
        content
    }

    /// Searches a mapping, or the elements of a sequence.
    fn search(&mut self, node: &'n Node) {
        if let Some(statements) = statements::of_operation(node) {
            return self.statements.extend(statements);
        }
        let is_pod = pod::containers(node).next().is_some();
        if is_pod {
            self.pods.push(node);
            self.statements.extend(statements::of_pod(node));
        } else {
            self.statements.extend(statements::of_part(node));
        }
        for (key, value) in node.entries() {
            match (key.as_str(), &value.value) {
                (ITEMS, Value::List(elements)) => self.objects.extend(elements),
                (key, _) if WITHOUT_PODS.contains(&key) || is_pod && pod::is_field(key) => {}
                (_, _) => self.inner(value),
            }
        }
        node.elements()
            .iter()
            .for_each(|element| self.inner(element));
    }

    fn inner(&mut self, node: &'n Node) {
        if is_complete(node) {
            self.objects.push(node);
        } else {
            self.search(node);
        }
    }
}
