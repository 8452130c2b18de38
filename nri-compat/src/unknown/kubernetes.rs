//! The reasons why Kubernetes manifests and charts do not show which plugins they run.

use std::fmt;

/// The remedy for a part of an object.
const RENDER: &str = "render it with what it belongs to (`kustomize build`), and check the result";

/// The reason why something in a Kubernetes manifest cannot be judged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum UnknownManifest {
    /// It cannot be read, for this reason.
    Unread(String),
    /// The document with this number cannot be read, for this reason.
    DocumentUnread(u32, String),
    /// It has no Kubernetes object.
    NoObject,
    /// A part of it outside of complete pods has to do with NRI.
    Mention(NriMention),
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

/// A part of a manifest outside of complete pods that has to do with NRI. It does not show which
/// plugin runs.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum NriMention {
    /// A patch sets this path.
    Patch(NriPath),
    /// The path of a volume that no container mounts.
    UnmountedVolume(NriPath),
    /// The path at which a volume is mounted that is declared elsewhere.
    UndeclaredVolume(NriPath),
    /// A text that names a path of NRI: a patch, or a pod that something else creates.
    Text,
    /// It installs this, which is not rendered.
    Installation(Installation),
}

/// A path that belongs to NRI.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct NriPath {
    /// The path, escaped for display.
    pub path: String,
    /// A phrase for the thing at this path, such as `the NRI socket`.
    pub resource: &'static str,
}

/// Something that installs a plugin, or may do so.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Installation {
    /// The image of a published plugin.
    Image {
        /// The repository of the image.
        repository: &'static str,
        /// The name of the plugin.
        plugin: &'static str,
    },
    /// The chart of this published plugin.
    Chart(&'static str),
    /// A chart whose values name a path of NRI.
    ChartWithPath,
    /// A folder of the repository of published plugins.
    Folder,
    /// A chart, or its custom resource, with a setting that turns on its plugin.
    Setting {
        /// The name of the chart.
        chart: &'static str,
        /// The path of the setting, with dots.
        key: &'static str,
        /// Its value.
        value: &'static str,
    },
}

impl NriMention {
    /// Returns the name of the published plugin that it installs, if it is one.
    pub fn plugin(&self) -> Option<&'static str> {
        let Self::Installation(installation) = self else { return None };
        match installation {
            Installation::Image { plugin, .. } => Some(plugin),
            Installation::Chart(chart) | Installation::Setting { chart, .. } => Some(chart),
            Installation::ChartWithPath | Installation::Folder => None,
        }
    }
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
            Self::Unread(why) => f.write_str(why),
            Self::DocumentUnread(document, why) => write!(f, "document {document}: {why}"),
            Self::NoObject => f.write_str("no Kubernetes object in it"),
            Self::Mention(mention) => mention.fmt(f),
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

impl fmt::Display for NriMention {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Patch(path) => write!(f, "a patch sets {path}: {RENDER}"),
            Self::UnmountedVolume(NriPath { path, resource }) => write!(
                f,
                "names {path} of the host ({resource}), which no container here mounts: {RENDER}"
            ),
            Self::UndeclaredVolume(path) => {
                write!(f, "mounts a volume that is declared elsewhere at {path}: {RENDER}")
            }
            Self::Text => write!(f, "a text in it names a path of NRI: {RENDER}"),
            Self::Installation(installation) => {
                write!(f, "installs {installation}; it is not rendered")
            }
        }
    }
}

impl fmt::Display for NriPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.path, self.resource)
    }
}

impl fmt::Display for Installation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Image { repository, .. } => {
                write!(f, "the image {repository}, a published plugin")
            }
            Self::Chart(chart) => write!(f, "the chart {chart}, a published plugin"),
            Self::ChartWithPath => f.write_str("a chart with values that name a path of NRI"),
            Self::Folder => {
                f.write_str("a folder of containers/nri-plugins, whose plugins are published")
            }
            Self::Setting { chart, key, value } => {
                write!(f, "{chart} with {key} = {value}, which turns on its NRI plugin")
            }
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
