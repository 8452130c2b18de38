//! The layers that manifests name.

/// A reference of an image to a layer.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::check::collect) struct Blob {
    /// The path in the archive.
    pub(in crate::check::collect) path: String,
    /// True if the media type is that of a tar.
    pub(in crate::check::collect) is_labelled_tar: bool,
    /// The name of the file, if it is not a tar.
    pub(in crate::check::collect) name: String,
    /// The size in bytes, if the manifest states it.
    pub(in crate::check::collect) size: Option<u64>,
}
