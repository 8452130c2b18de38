//! Containers of files: archives, and images in archives, folders and registries.

pub(super) mod archive;
#[cfg(feature = "registry")]
pub(super) mod images;
