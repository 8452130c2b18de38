//! The methods of all services, with their message types, from the newest protocol revision.

use std::sync::LazyLock;

use prost_reflect::{DescriptorPool, MethodDescriptor};

static POOL: LazyLock<DescriptorPool> = LazyLock::new(|| {
    let newest = nri_protos::REVISIONS.last().expect("there is a protocol revision");
    DescriptorPool::decode(newest.descriptors).expect("the build compiled the descriptors")
});

/// Returns a method, whose types are those of its requests and responses; `None` for one that no
/// revision has.
pub(super) fn method(service: &str, method: &str) -> Option<MethodDescriptor> {
    let service = POOL.get_service_by_name(service)?;
    service.methods().find(|known| known.name() == method)
}

#[cfg(test)]
mod tests {
    use super::{DescriptorPool, method};

    #[test]
    fn the_newest_revision_has_the_methods_of_all() {
        for revision in nri_protos::REVISIONS {
            let pool = DescriptorPool::decode(revision.descriptors).unwrap();
            for each in pool.services().flat_map(|it| it.methods().collect::<Vec<_>>()) {
                let known = method(each.parent_service().full_name(), each.name())
                    .unwrap_or_else(|| panic!("{}", each.full_name()));
                assert_eq!(known.input().name(), each.input().name());
                assert_eq!(known.output().name(), each.output().name());
            }
        }
        assert!(method(crate::session::PLUGIN_SERVICE, "NewEvent").is_none());
        assert!(method("x", "Configure").is_none());
    }
}
