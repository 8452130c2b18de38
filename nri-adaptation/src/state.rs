//! The pods and containers of the runtime, encoded once, in parts that fit into a message.

use nri::__private::fields;
use nri::api::{Container, PodSandbox};
use nri::codec::Message;
use nri::wire::MAX_MESSAGE;

/// Room for what surrounds a part in its message: service, method, timeout, and the `more` flag.
const ENVELOPE: usize = 256;

/// Largest part in bytes.
const MAX_PART: usize = MAX_MESSAGE - ENVELOPE;

/// Field numbers of SynchronizeRequest.
const PODS: u32 = 1;
const CONTAINERS: u32 = 2;

/// `more: true` in an encoded SynchronizeRequest.
const MORE: [u8; 2] = [3 << 3, 1];

/// Collects the pods and containers that exist, for a plugin that synchronizes.
///
/// Everything is encoded as it is added, so the memory needed is that of the encoded messages.
///
/// ```
/// use nri_adaptation::State;
/// use nri::api::PodSandbox;
///
/// let mut state = State::default();
/// state.add_pod(&PodSandbox { id: "p1".into(), ..Default::default() });
/// assert_eq!((state.pods(), state.containers()), (1, 0));
/// ```
#[derive(Debug, Default)]
pub struct State {
    parts: Vec<Vec<u8>>,
    /// True if each entry gets its own part.
    one_entry_per_part: bool,
    pods: usize,
    containers: usize,
}

impl State {
    /// Adds a pod.
    pub fn add_pod(&mut self, pod: &PodSandbox) {
        self.pods += 1;
        self.add(PODS, pod);
    }

    /// Adds a container.
    pub fn add_container(&mut self, container: &Container) {
        self.containers += 1;
        self.add(CONTAINERS, container);
    }

    /// Returns how many pods were added.
    pub fn pods(&self) -> usize {
        self.pods
    }

    /// Returns how many containers were added.
    pub fn containers(&self) -> usize {
        self.containers
    }

    /// Puts each pod and container that is added from now on into its own part of Synchronize, to
    /// test that a plugin accepts several parts.
    pub fn one_entry_per_part(&mut self) {
        self.one_entry_per_part = true;
    }

    fn add(&mut self, field: u32, added: &impl Message) {
        if self.one_entry_per_part {
            self.parts.push(Vec::new());
        }
        let mut part = self.parts.pop().unwrap_or_default();
        let start = part.len();
        added.encode_field(field, &mut part);
        let next = (start > 0 && part.len() > MAX_PART).then(|| part.split_off(start));
        self.parts.push(part);
        self.parts.extend(next);
    }

    /// Returns the encoded parts; at least one, which may be empty.
    pub(super) fn into_parts(self) -> Vec<Vec<u8>> {
        if self.parts.is_empty() {
            return vec![Vec::new()];
        }
        self.parts
    }
}

/// Returns the number of fields of an encoded message, such as the pods and containers in a part.
pub(super) fn entries(part: &[u8]) -> usize {
    boundaries(part).count()
}

/// Splits a part into two of about the same size, between two entries. The second one is empty if
/// there is only one entry.
pub(super) fn split(mut part: Vec<u8>) -> (Vec<u8>, Vec<u8>) {
    let half = part.len() / 2;
    let middle = boundaries(&part).find(|end| *end >= half);
    let rest = part.split_off(middle.unwrap_or(part.len()));
    (part, rest)
}

/// Sets the `more` flag at the end of a part.
pub(super) fn mark(part: &mut Vec<u8>) {
    part.extend_from_slice(&MORE);
}

/// Returns the offset at which each entry ends.
fn boundaries(part: &[u8]) -> impl Iterator<Item = usize> {
    // An unreadable field ends the entries: nothing after it is decoded, either.
    fields(part).map_while(Result::ok).scan(0, |end, field| {
        *end += field.encoded.len();
        Some(*end)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use nri::api::SynchronizeRequest;

    fn pod(id: usize, padding: usize) -> PodSandbox {
        PodSandbox { id: id.to_string(), name: "x".repeat(padding), ..PodSandbox::default() }
    }

    #[test]
    fn no_part_exceeds_a_message_and_nothing_is_lost() {
        let mut state = State::default();
        for id in 0..9_000 {
            state.add_pod(&pod(id, 1000));
        }
        state.add_container(&Container::default());
        assert_eq!((state.pods(), state.containers()), (9_000, 1));
        let parts = state.into_parts();
        assert_eq!(parts.len(), 3);
        assert!(parts.iter().all(|part| part.len() <= MAX_PART));
        let joined = SynchronizeRequest::decode(&*parts.concat()).unwrap();
        assert!(joined.pods.iter().enumerate().all(|(at, pod)| pod.id == at.to_string()));
        assert_eq!((joined.pods.len(), joined.containers.len()), (9_000, 1));
    }

    #[test]
    fn a_part_is_split_between_entries() {
        let mut state = State::default();
        for id in 0..5 {
            state.add_pod(&pod(id, 10));
        }
        let whole = state.into_parts().remove(0);
        let (first, second) = split(whole.clone());
        assert_eq!((entries(&first), entries(&second)), (3, 2));
        assert_eq!([first, second].concat(), whole);
        assert_eq!(split(Vec::new()), (Vec::new(), Vec::new()));
    }
}
