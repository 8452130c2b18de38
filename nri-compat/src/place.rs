//! The location of a finding, as data.
//!
//! ```
//! use nri_compat::place::{Place, WorkloadPlace};
//!
//! let layer = Place::from("images.tar").in_image("example.org/p:1").in_layer(3);
//! assert_eq!(layer.to_string(), "images.tar: example.org/p:1: layer 3");
//! assert_eq!(layer.entry("/usr/bin/10-p").name(), "10-p");
//! let source = Place { line: Some(7), ..Place::from("go.mod") };
//! assert_eq!(source.to_string(), "go.mod:7");
//! let program = Place { pids: vec![12, 15], ..Place::from("/opt/p") };
//! assert_eq!(program.to_string(), "/opt/p (pid 12, 15)");
//!
//! let container = WorkloadPlace {
//!     line: Some(14),
//!     kind: "DaemonSet".into(),
//!     namespace: Some("kube-system".into()),
//!     name: "logger".into(),
//!     container: "plugin".into(),
//!     ..WorkloadPlace::default()
//! };
//! let plugin = Place::from("all.yaml").in_workload(container).entry("/bin/p");
//! assert_eq!(plugin.to_string(), "all.yaml:14: DaemonSet kube-system/logger: plugin: /bin/p");
//! ```

use std::cmp::Ordering;
use std::fmt;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::escape;
use crate::path::last_part;

/// The maximum number of processes that are listed; for more, only the number is shown.
const MAX_PIDS_SHOWN: usize = 8;

/// The location of a file or of something in it: on disk, or within an archive or image.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct Place {
    /// The file on disk, as spelled by the user.
    pub file: String,
    /// The container of a Kubernetes workload whose image this is, or is part of.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub workload: Option<Box<WorkloadPlace>>,
    /// The image within an archive.
    pub image: Option<String>,
    /// The layer of the image, counted from 1, if relevant.
    pub layer: Option<u32>,
    /// The file within an archive or image, starting at its root: `/usr/bin/plugin`.
    pub entry: Option<String>,
    /// The line, counted from 1.
    pub line: Option<u32>,
    /// The processes that run the file, ascending.
    pub pids: Vec<u32>,
}

impl Place {
    /// Returns the place of a file on disk. Control characters and bytes that are not UTF-8 are
    /// escaped.
    pub fn from_path(path: &Path) -> Self {
        Self::from(escape::path(path))
    }

    /// Returns the place of a container of a workload in this file.
    #[must_use]
    pub fn in_workload(&self, workload: WorkloadPlace) -> Self {
        self.with(|place| place.workload = Some(Box::new(workload)))
    }

    /// Returns the place of an image in this file.
    #[must_use]
    pub fn in_image(&self, name: &str) -> Self {
        self.with(|place| place.image = Some(name.to_owned()))
    }

    /// Returns the place of a layer of this image.
    #[must_use]
    pub fn in_layer(&self, number: u32) -> Self {
        self.with(|place| place.layer = Some(number))
    }

    /// Returns the place of a file within this archive, image or layer.
    #[must_use]
    pub fn entry(&self, path: impl Into<String>) -> Self {
        self.with(|place| place.entry = Some(path.into()))
    }

    /// Returns the place of a line in this file.
    #[must_use]
    pub(crate) fn at_line(&self, line: u32) -> Self {
        self.with(|place| place.line = Some(line))
    }

    /// Returns the place of a file that these processes run.
    #[must_use]
    pub(crate) fn run_by(&self, pids: &[u32]) -> Self {
        self.with(|place| place.pids = pids.to_vec())
    }

    /// Returns the same place without a line or a document: the place of the whole file, or of the
    /// container regardless of its position in the manifest.
    #[must_use]
    pub(crate) fn whole_file(&self) -> Self {
        self.with(|place| {
            place.line = None;
            if let Some(workload) = &mut place.workload {
                (workload.document, workload.line) = (None, None);
            }
        })
    }

    fn with(&self, change: impl FnOnce(&mut Self)) -> Self {
        let mut place = self.clone();
        change(&mut place);
        place
    }

    /// Returns the line in the file on disk, if known; for a container, its line in the manifest.
    pub(crate) fn line_on_disk(&self) -> Option<u32> {
        match &self.workload {
            Some(workload) => workload.line,
            None => self.line,
        }
    }

    /// Returns the path of the file: within the archive if it is in one, else on disk.
    pub fn path(&self) -> &str {
        self.entry.as_deref().unwrap_or(&self.file)
    }

    /// Returns the last component of the path; empty if there is none. A container of a workload
    /// has its own name.
    pub fn name(&self) -> &str {
        if let (Some(workload), None) = (&self.workload, &self.entry) {
            return match workload.container.as_str() {
                "" => &workload.name,
                container => container,
            };
        }
        last_part(self.path().trim_end_matches('/'))
    }

    /// Returns the path of the folder that contains the file, without a final `/`; empty if the
    /// path has none.
    pub fn folder(&self) -> &str {
        self.path().rsplit_once('/').map_or("", |(folder, _)| folder)
    }

    /// Returns true if the file is in the folder of `other`, or anywhere below it: on the same
    /// disk, or in the same archive and image.
    pub(crate) fn is_below_folder_of(&self, other: &Self) -> bool {
        let folder = Path::new(other.path()).parent();
        let is_in_archive = self.entry.is_some();
        let archive = (&self.file, &self.workload, &self.image);
        is_in_archive == other.entry.is_some()
            && (!is_in_archive || archive == (&other.file, &other.workload, &other.image))
            && folder.is_some_and(|folder| Path::new(self.path()).starts_with(folder))
    }

    /// Returns the location within the file on disk, or the processes that run it: `layer 3:
    /// /usr/bin/plugin`, `pid 12, 15`.
    pub fn within(&self) -> Option<String> {
        let parts = self.inner();
        let inner = (!parts.is_empty()).then(|| parts.join(": "));
        inner.or_else(|| self.processes())
    }

    /// Compares in the order of reports: by text, ignoring lines and processes.
    pub(crate) fn compare_paths(&self, other: &Self) -> Ordering {
        self.file.cmp(&other.file).then_with(|| self.inner().cmp(&other.inner()))
    }

    /// Returns true if this is in the same file on disk, and in the same workload and image if
    /// `outer` has one.
    pub(crate) fn is_within(&self, outer: &Self) -> bool {
        self.file == outer.file
            && (outer.workload.is_none() || self.workload == outer.workload)
            && (outer.image.is_none() || self.image == outer.image)
    }

    fn inner(&self) -> Vec<String> {
        let layer = self.layer.map(|number| format!("layer {number}"));
        let workload = self.workload.as_ref().map(|workload| workload.path());
        [workload, self.image.clone(), layer, self.entry.clone()].into_iter().flatten().collect()
    }

    fn processes(&self) -> Option<String> {
        let listed = self
            .pids
            .iter()
            .take(MAX_PIDS_SHOWN)
            .map(u32::to_string)
            .collect::<Vec<_>>()
            .join(", ");
        match self.pids.len().saturating_sub(MAX_PIDS_SHOWN) {
            _ if listed.is_empty() => None,
            0 => Some(format!("pid {listed}")),
            more => Some(format!("pid {listed} and {more} more")),
        }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.file)?;
        if let Some(line) = self.workload.as_ref().and_then(|workload| workload.line) {
            write!(f, ":{line}")?;
        }
        for part in self.inner() {
            write!(f, ": {part}")?;
        }
        if let Some(line) = self.line {
            write!(f, ":{line}")?;
        }
        match self.processes() {
            Some(processes) => write!(f, " ({processes})"),
            None => Ok(()),
        }
    }
}

impl From<&str> for Place {
    fn from(file: &str) -> Self {
        Self::from(file.to_owned())
    }
}

impl From<String> for Place {
    fn from(file: String) -> Self {
        Self { file, ..Self::default() }
    }
}

/// A container of a Kubernetes workload, in a manifest or in a cluster.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct WorkloadPlace {
    /// The document in the manifest, counted from 1; `None` in a cluster.
    pub document: Option<u32>,
    /// The line of the image or of the container in the manifest, counted from 1.
    pub line: Option<u32>,
    /// The kind of the workload, such as `DaemonSet`.
    pub kind: String,
    /// The namespace, if known.
    pub namespace: Option<String>,
    /// The name of the workload.
    pub name: String,
    /// The name of the container; empty for the whole workload.
    pub container: String,
}

impl WorkloadPlace {
    /// Returns the workload as `DaemonSet kube-system/logger`.
    pub fn workload(&self) -> String {
        let namespace =
            self.namespace.as_ref().map_or_else(String::new, |namespace| format!("{namespace}/"));
        let text = format!("{} {namespace}{}", self.kind, self.name);
        text.trim().to_owned()
    }

    /// Returns the workload and the container: `DaemonSet kube-system/logger: plugin`.
    pub fn path(&self) -> String {
        match self.container.as_str() {
            "" => self.workload(),
            container => format!("{}: {container}", self.workload()),
        }
    }
}

#[cfg(test)]
mod tests;
