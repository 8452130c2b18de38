//! The reasons why Kubernetes manifests and charts do not show which plugins they run.

use std::fmt;

/// The reason why something in a Kubernetes manifest cannot be judged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum UnknownManifest {
    /// It cannot be read, for this reason.
    Unread(String),
    /// The document with this number cannot be read, for this reason.
    DocumentUnread(u32, String),
    /// It has no Kubernetes object.
    NoObject,
    /// A part of it, which is no complete pod, makes this statement about NRI.
    Statement(String),
    /// The path of a volume is this placeholder.
    PlaceholderPath(String),
    /// A container may be a plugin for the first reason, and its program is not known for the
    /// second one.
    Container(String, UnknownImage),
    /// The image with this name was not fetched, as the user wants.
    NotPulled(String),
    /// It is of a chart that is not rendered.
    Chart(UnknownChart),
}

/// The reason why the program of a container is not known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum UnknownImage {
    /// It names no image.
    Unnamed,
    /// Its image is this placeholder.
    Placeholder(String),
    /// It mounts images as volumes.
    Mounted,
    /// The image with this name was not fetched.
    NotFetched(String),
}

/// A Helm chart, as far as it is known without being rendered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum UnknownChart {
    /// A part of one.
    Part,
    /// The file with this name in it names a path of NRI.
    NamesPath(String),
    /// The file with this name in it names this published plugin.
    NamesPlugin(String, &'static str),
    /// It is that of this published plugin, or contains it.
    Published(&'static str),
}

impl fmt::Display for UnknownManifest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unread(why) | Self::Statement(why) => f.write_str(why),
            Self::DocumentUnread(document, why) => write!(f, "document {document}: {why}"),
            Self::NoObject => f.write_str("no Kubernetes object in it"),
            Self::PlaceholderPath(path) => write!(
                f,
                "the path `{path}` of a volume is a placeholder: render the manifest first"
            ),
            Self::Container(reason, why) => write!(f, "{reason}; {why}"),
            Self::NotPulled(image) => {
                write!(f, "the image {image} was not fetched, because of --no-pull")
            }
            Self::Chart(chart) => write!(f, "{chart}; it is not rendered"),
        }
    }
}

impl fmt::Display for UnknownImage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unnamed => f.write_str("it has no image: check the complete manifest"),
            Self::Placeholder(image) => {
                write!(f, "its image `{image}` is a placeholder: render the manifest first")
            }
            Self::Mounted => f.write_str("it mounts images as volumes: check these images, too"),
            Self::NotFetched(image) => write!(f, "its image {image} was not fetched"),
        }
    }
}

impl fmt::Display for UnknownChart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Part => f.write_str("a part of a Helm chart"),
            Self::NamesPath(file) => {
                write!(f, "a Helm chart whose file {file} names a path of NRI")
            }
            Self::NamesPlugin(file, image) => {
                write!(f, "a Helm chart whose file {file} names the published plugin {image}")
            }
            Self::Published(chart) => {
                write!(f, "the Helm chart of the published plugin {chart}, or one that contains it")
            }
        }
    }
}
