//! Compares the container that is read from a spec with what the helpers of the reference make of
//! it.

use nri::api::{Container, LinuxContainer};
use nri::codec::Message as _;
use nri_adaptation::oci::{container, from_value};
use nri_tests::hex;
use serde_json::Value;

use super::normal;

/// Returns the differing fields, in the notation of the JSON mapping.
pub(crate) fn differing(spec: &Value, theirs: &Value) -> Vec<String> {
    let spec = from_value(spec.clone()).expect("a spec that this module wrote");
    let theirs = hex::decode(theirs.as_str().expect("a container"));
    let theirs = Container::decode(&*theirs).expect("an encoded container");
    let [ours, theirs] = [comparable(container(&spec)), comparable(theirs)];
    let json = |it| serde_json::to_value(it).expect("every container has a JSON mapping");
    normal::differing(&json(theirs), &json(ours), "container")
}

/// Removes what the reference has no helper for, and an empty Linux part, which means the same as
/// none.
fn comparable(mut container: Container) -> Container {
    if let Some(linux) = &mut container.linux {
        linux.rdt = None;
    }
    let linux = container.linux.take();
    container.linux = linux.filter(|it| **it != LinuxContainer::default());
    container
}
