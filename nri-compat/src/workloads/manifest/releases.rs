//! Objects of controllers that install charts: those of Flux, Argo CD and k3s.

use super::super::images::{published, published_chart};
use super::node::{Node, Value};
use crate::chart;

/// The ends of the API groups of these controllers, and the kinds that install charts.
const INSTALLERS: [(&str, &[&str]); 3] = [
    ("fluxcd.io", &["HelmChart", "HelmRelease", "OCIRepository"]),
    ("argoproj.io", &["Application", "ApplicationSet"]),
    ("helm.cattle.io", &["HelmChart", CONFIGURATION]),
];

/// The kind that configures the chart of another object with the same name.
const CONFIGURATION: &str = "HelmChartConfig";

/// Returns the published plugin whose image a mapping other than a container names.
pub(super) fn image(node: &Node) -> Option<(u32, String)> {
    let image = node.get("image")?;
    let known = published(node.text("image")?)?;
    let what = format!("the image {}, a published plugin", known.repository);
    Some((image.line, what))
}

/// Returns the charts of published plugins that an object names, and texts in it that name a path of
/// NRI, with their lines.
pub(super) fn of(node: &Node) -> Vec<(u32, String)> {
    let version = node.text("apiVersion").unwrap_or_default();
    let group = version.split_once('/').map_or("", |(group, _)| group);
    let kind = node.text("kind").unwrap_or_default();
    let installs = |(end, kinds): &(&str, &[&str])| group.ends_with(end) && kinds.contains(&kind);
    if !INSTALLERS.iter().any(installs) {
        return Vec::new();
    }
    let mut found = Vec::new();
    if let Some(spec) = node.get("spec") {
        search(spec, &mut found);
    }
    let is_configuration = node.text("kind") == Some(CONFIGURATION);
    if let Some(name) = node
        .get("metadata")
        .and_then(|metadata| metadata.get("name"))
        && is_configuration
    {
        search(name, &mut found);
    }
    found.dedup_by(|one, other| one.1 == other.1);
    found
}

fn search(node: &Node, found: &mut Vec<(u32, String)>) {
    if let Value::Text(text) = &node.value {
        if let Some(chart) = published_chart(text) {
            found.push((node.line, format!("the chart {chart}, a published plugin")));
        } else if chart::mentions_nri(text.as_bytes()) {
            found.push((
                node.line,
                "a chart with values that name a path of NRI".to_owned(),
            ));
        }
    }
    let fields = node.fields().into_iter().map(|(_, value)| value);
    for value in fields.chain(node.elements()) {
        search(value, found);
    }
}
