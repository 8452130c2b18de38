//! The Helm charts, each as the package that Helm installs and as the OCI artifact that
//! `helm pull oci://` reads.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::json;

use super::ReleaseBuild;
use super::archive::{Entry, gzip, tar};
use super::layout::Layout;
use crate::error::{TaskError, reading, writing};

/// The placeholder of the registry in charts.
const PLACEHOLDER: &str = "registry.example.com";

impl ReleaseBuild<'_> {
    /// Writes the charts in `deploy/helm`, with the version of the workspace.
    pub(super) fn charts(&self) -> Result<(), TaskError> {
        let folder = self.root.join("deploy/helm");
        for chart in sorted(&folder)? {
            self.chart(&chart)?;
        }
        Ok(())
    }

    fn chart(&self, folder: &Path) -> Result<(), TaskError> {
        let name = folder.file_name().unwrap_or_default().to_string_lossy();
        let mut entries = Vec::new();
        self.add_files(folder, &name, &mut entries)?;
        let path = self.out.join(format!("{name}-{}.tgz", self.metadata.version));
        let package =
            tar(entries, self.metadata.time).and_then(|tar| gzip(&tar)).map_err(writing(&path))?;
        self.write(&path, &package)?;
        self.artifact(&name, package)
    }

    /// Adds the files below a folder, whose paths in the package begin with `prefix`.
    fn add_files(
        &self,
        folder: &Path,
        prefix: &str,
        entries: &mut Vec<Entry>,
    ) -> Result<(), TaskError> {
        for path in sorted(folder)? {
            let file_name = path.file_name().unwrap_or_default().to_string_lossy();
            let name = format!("{prefix}/{file_name}");
            if path.is_dir() {
                self.add_files(&path, &name, entries)?;
            } else {
                let text = fs::read_to_string(&path).map_err(reading(&path))?;
                let is_chart = path.ends_with("Chart.yaml");
                let text = if is_chart { self.versioned(&text) } else { text };
                let content = text.replace(PLACEHOLDER, &self.metadata.registry);
                entries.push(Entry::file(name, content));
            }
        }
        Ok(())
    }

    /// Returns the `Chart.yaml` with the version of the workspace.
    fn versioned(&self, chart: &str) -> String {
        let version = &self.metadata.version;
        let line = |line: &str| {
            let key = line.split_once(':').map_or("", |(key, _)| key);
            match key {
                "version" | "appVersion" => format!("{key}: \"{version}\"\n"),
                _ => format!("{line}\n"),
            }
        };
        chart.lines().map(line).collect()
    }

    fn artifact(&self, name: &str, package: Vec<u8>) -> Result<(), TaskError> {
        let version = &self.metadata.version;
        let chart = json!({ "apiVersion": "v2", "name": name, "version": version });
        let mut layout = Layout::default();
        let config =
            layout.add("application/vnd.cncf.helm.config.v1+json", chart.to_string().into_bytes());
        let layer = layout.add("application/vnd.cncf.helm.chart.content.v1.tar+gzip", package);
        let manifest = layout.manifest(&config, &[layer]);
        let path = self.out.join(format!("{name}-{version}-chart.tar"));
        let reference = self.reference(&format!("charts/{name}"));
        let archive = layout.finish(manifest, &reference, self.metadata.time);
        self.write(&path, &archive.map_err(writing(&path))?)
    }
}

/// Returns the paths in a folder, ordered by name.
pub(super) fn sorted(folder: &Path) -> Result<Vec<PathBuf>, TaskError> {
    let mut paths = fs::read_dir(folder)
        .map_err(reading(folder))?
        .map(|entry| Ok(entry.map_err(reading(folder))?.path()))
        .collect::<Result<Vec<_>, TaskError>>()?;
    paths.sort();
    Ok(paths)
}
