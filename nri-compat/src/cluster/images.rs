//! The image of a container, as a reference that a registry knows.

use crate::workloads::Container;

/// The prefixes of image ids in the status of pods on nodes with Docker.
const DOCKER: [&str; 2] = ["docker-pullable://", "docker://"];

/// An image, as a registry and the specification of a pod name it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Image {
    /// The reference, with the digest that runs if it is known.
    pub reference: String,
    /// The source of the reference.
    pub origin: ImageOrigin,
}

/// The source of the reference of an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ImageOrigin {
    /// The status of the pods: exactly this image runs.
    Status,
    /// The specification of the pods, because their status does not name an image yet.
    NotStarted,
    /// The specification of the pods, because their status only has the id of the image, which no
    /// registry knows.
    IdOnly,
    /// The pod template: no pod runs it.
    Template,
}

impl Image {
    /// Returns the image of a container of a pod, whose status names this id.
    pub(super) fn running(container: &Container, id: Option<&str>) -> Self {
        let Some(id) = id else {
            return Self::specified(container, ImageOrigin::NotStarted);
        };
        let id = DOCKER
            .iter()
            .find_map(|prefix| id.strip_prefix(prefix))
            .unwrap_or(id);
        if !id.contains('@') {
            return Self::specified(container, ImageOrigin::IdOnly);
        }
        Self {
            reference: id.to_owned(),
            origin: ImageOrigin::Status,
        }
    }

    /// Returns the image that a pod template names.
    pub(super) fn of_template(container: &Container) -> Self {
        Self::specified(container, ImageOrigin::Template)
    }

    fn specified(container: &Container, origin: ImageOrigin) -> Self {
        Self {
            reference: container.image.clone().unwrap_or_default(),
            origin,
        }
    }
}

impl ImageOrigin {
    /// Returns a remark for an image that may differ from the one that runs.
    pub fn remark(self) -> Option<&'static str> {
        match self {
            Self::Status => None,
            Self::NotStarted => Some("has not started: checked the image in the pod specification"),
            Self::IdOnly => Some(
                "the runtime reports only the id of the image, which no registry knows: checked the image in the pod specification",
            ),
            Self::Template => {
                Some("no pod runs it: checked for all pools, with the image in the pod template")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_status_names_the_image_in_several_ways() {
        let container = Container {
            image: Some("example.org/p:1".to_owned()),
            ..Container::default()
        };
        let digest = "sha256:0123";
        for (id, reference, origin) in [
            (
                Some(format!("example.org/p@{digest}")),
                format!("example.org/p@{digest}"),
                ImageOrigin::Status,
            ),
            (
                Some(format!("docker-pullable://example.org/p@{digest}")),
                format!("example.org/p@{digest}"),
                ImageOrigin::Status,
            ),
            (
                Some(digest.to_owned()),
                "example.org/p:1".to_owned(),
                ImageOrigin::IdOnly,
            ),
            (
                Some(format!("docker://{digest}")),
                "example.org/p:1".to_owned(),
                ImageOrigin::IdOnly,
            ),
            (
                Some("0123456789ab".to_owned()),
                "example.org/p:1".to_owned(),
                ImageOrigin::IdOnly,
            ),
            (None, "example.org/p:1".to_owned(), ImageOrigin::NotStarted),
        ] {
            let image = Image::running(&container, id.as_deref());
            assert_eq!(
                (image.reference, image.origin),
                (reference, origin),
                "{id:?}"
            );
        }
    }
}
