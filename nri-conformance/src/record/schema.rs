//! The message types of every method, from the newest protocol revision.

use std::sync::LazyLock;

use prost_reflect::{DescriptorPool, MessageDescriptor, MethodDescriptor};

static POOL: LazyLock<DescriptorPool> = LazyLock::new(|| {
    let newest = nri_protos::REVISIONS.last();
    let newest = newest.expect("there is a protocol revision");
    DescriptorPool::decode(newest.descriptors).expect("the build compiled the descriptors")
});

/// The side of a method that a message belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    Request,
    Response,
}

/// Returns the type of a method's request or response; `None` for a method that no revision has.
pub(super) fn message(service: &str, method: &str, side: Side) -> Option<MessageDescriptor> {
    let method = find(service, method)?;
    Some(match side {
        Side::Request => method.input(),
        Side::Response => method.output(),
    })
}

fn find(service: &str, method: &str) -> Option<MethodDescriptor> {
    let service = POOL.get_service_by_name(service)?;
    service.methods().find(|known| known.name() == method)
}

#[cfg(test)]
mod tests {
    use super::{DescriptorPool, Side, find, message};

    #[test]
    fn the_newest_revision_has_the_methods_of_all() {
        for revision in nri_protos::REVISIONS {
            let pool = DescriptorPool::decode(revision.descriptors).unwrap();
            for service in pool.services() {
                for method in service.methods() {
                    let known = find(service.full_name(), method.name());
                    let known = known.unwrap_or_else(|| panic!("{}", method.full_name()));
                    assert_eq!(known.input().name(), method.input().name());
                    assert_eq!(known.output().name(), method.output().name());
                }
            }
        }
    }

    #[test]
    fn an_unknown_method_has_no_types() {
        let service = crate::session::PLUGIN_SERVICE;
        assert!(message(service, "Configure", Side::Response).is_some());
        assert!(message(service, "NewEvent", Side::Request).is_none());
        assert!(message("x", "Configure", Side::Request).is_none());
    }
}
