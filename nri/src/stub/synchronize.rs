//! Assembles Synchronize, which a runtime splits if it does not fit into one message.

use bytes::Bytes;

use crate::codec::DecodeError;
use crate::codec::wire::fields;
use crate::plugin::malformed;
use crate::{Error, ErrorKind, Result};

/// The number of `more` in SynchronizeRequest.
const MORE_FIELD: u32 = 3;

/// `more: false` in an encoded SynchronizeRequest.
const NO_MORE: [u8; 2] = [(MORE_FIELD << 3) as u8, 0];

/// The parts that have arrived so far.
///
/// The concatenation of encoded messages of one type is the encoding of all of them merged, so
/// nothing is decoded before the last part arrives.
#[derive(Debug, Default)]
pub struct Assembly {
    parts: Vec<u8>,
}

/// The effect of a part of Synchronize.
#[derive(Debug, PartialEq)]
pub enum Part {
    /// More parts are to come.
    More,
    /// It was the last part: the whole request, encoded.
    Whole(Bytes),
}

impl Assembly {
    /// Adds the next part. All parts together may have `limit` bytes.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::Malformed`] if the part is not a message, and [`ErrorKind::Protocol`]
    /// above the limit. In both cases, the parts so far are discarded.
    pub fn add(&mut self, part: Bytes, limit: usize) -> Result<Part> {
        let before = std::mem::take(&mut self.parts);
        let more = has_more(&part).map_err(|error| malformed("Synchronize", error))?;
        let size = before.len() + part.len();
        if size > limit {
            return Err(too_large(size, limit));
        }
        if !more && before.is_empty() {
            return Ok(Part::Whole(part));
        }
        self.parts = before;
        self.parts.extend_from_slice(&part);
        if more {
            return Ok(Part::More);
        }
        // The last part has no `more`, so that of an earlier part would remain.
        self.parts.extend_from_slice(&NO_MORE);
        Ok(Part::Whole(std::mem::take(&mut self.parts).into()))
    }
}

/// Returns true if `more` is set. Reads the message to its end, so that only complete messages are
/// joined.
fn has_more(message: &[u8]) -> std::result::Result<bool, DecodeError> {
    let mut more = false;
    for field in fields(message) {
        let field = field?;
        if let (MORE_FIELD, Some(number)) = (field.number, field.varint()) {
            more = number != 0;
        }
    }
    Ok(more)
}

fn too_large(size: usize, limit: usize) -> Error {
    Error::with_kind(
        ErrorKind::Protocol,
        format!("Synchronize of {size} bytes, at most {limit} are accepted"),
    )
    .with_help("raise the limit with Builder::max_synchronize")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::api::{Container, PodSandbox, SynchronizeRequest};
    use crate::codec::Message;

    fn part(pods: &[String], containers: &[String], more: bool) -> Bytes {
        let pod = |id: &String| PodSandbox { id: id.clone(), ..PodSandbox::default() };
        let container = |id: &String| Container { id: id.clone(), ..Container::default() };
        let (pods, containers) =
            (pods.iter().map(pod).collect(), containers.iter().map(container).collect());
        SynchronizeRequest { pods, containers, more }.encode_to_vec().into()
    }

    #[test]
    fn beyond_the_limit_all_is_forgotten() {
        let mut assembly = Assembly::default();
        let one = part(&["a".into()], &[], true);
        assert_eq!(assembly.add(one.clone(), one.len()).unwrap(), Part::More);
        let error = assembly.add(one.clone(), one.len()).unwrap_err();
        assert_eq!(
            error.to_string(),
            format!("Synchronize of {} bytes, at most {} are accepted", 2 * one.len(), one.len())
        );
        assert_eq!(assembly.add(one.clone(), one.len()).unwrap(), Part::More);
    }

    #[test]
    fn a_cut_part_is_refused_and_not_joined() {
        let whole = part(&["a-pod".into()], &[], true);
        let cut = whole.slice(..whole.len() - 3);
        let mut assembly = Assembly::default();
        assert_eq!(assembly.add(cut, 1024).unwrap_err().kind(), ErrorKind::Malformed);
    }

    proptest! {
        #[test]
        fn any_split_gives_what_was_split(
            parts in prop::collection::vec((prop::collection::vec("[a-z]{1,4}", 0..4), prop::collection::vec("[a-z]{1,4}", 0..4)), 1..8),
        ) {
            let mut assembly = Assembly::default();
            let last = parts.len() - 1;
            let mut whole = None;
            for (at, (pods, containers)) in parts.iter().enumerate() {
                match assembly.add(part(pods, containers, at < last), 1 << 20).unwrap() {
                    Part::More => prop_assert!(at < last),
                    Part::Whole(bytes) => whole = Some(SynchronizeRequest::decode(bytes).unwrap()),
                }
            }
            let whole = whole.unwrap();
            prop_assert!(!whole.more, "a guest would wait for another part");
            let pods: Vec<_> = parts.iter().flat_map(|(pods, _)| pods.clone()).collect();
            let containers: Vec<_> = parts.iter().flat_map(|(_, containers)| containers.clone()).collect();
            prop_assert_eq!(whole.pods.into_iter().map(|pod| pod.id).collect::<Vec<_>>(), pods);
            prop_assert_eq!(whole.containers.into_iter().map(|c| c.id).collect::<Vec<_>>(), containers);
        }

        #[test]
        fn any_bytes_are_read_without_panic(bytes: Vec<u8>) {
            let _ = Assembly::default().add(bytes.into(), 1 << 20);
        }
    }
}
