//! Charts, images and remote bases that objects and files of tools name: those of Flux, Argo CD, k3s,
//! kustomize, helmfile and Fleet.

use super::super::images::{names_repository, published, published_chart};
use super::node::{Node, Value};
use crate::chart;

/// The ends of the API groups of these controllers, and the kinds that install charts.
const INSTALLERS: [(&str, &[&str]); 6] = [
    ("addons.cluster.x-k8s.io", &["HelmChartProxy"]),
    (
        "fluxcd.io",
        &["GitRepository", "HelmChart", "HelmRelease", "OCIRepository"],
    ),
    ("argoproj.io", &["Application", "ApplicationSet"]),
    ("fleet.cattle.io", &["HelmOp"]),
    ("helm.crossplane.io", &["Release"]),
    ("helm.cattle.io", &["HelmChart", CONFIGURATION]),
];

/// The kind that configures the chart of another object with the same name.
const CONFIGURATION: &str = "HelmChartConfig";

/// The API group of kustomize.
const KUSTOMIZE: &str = "kustomize.config.k8s.io";

/// The fields of files of tools that name charts: a text, a mapping, or a list.
const CHARTS: [&str; 4] = [
    "chart",
    "chartName",
    "helmChartInflationGenerator",
    "helmCharts",
];

/// The field of a kustomization that replaces the image of a container.
const NEW_IMAGE: &str = "newName";

/// The fields of a kustomization that name local or remote folders.
const BASES: [&str; 3] = ["bases", "components", "resources"];

/// Returns the published plugin whose image a mapping other than a container names.
pub(super) fn image(node: &Node) -> Option<(u32, String)> {
    published_image(node.get("image")?)
}

/// Adds the published plugins that a file of a tool names, such as those of kustomize, helmfile and
/// Fleet, with their lines.
fn of_tool(node: &Node, found: &mut Vec<(u32, String)>) {
    for (key, value) in node.fields() {
        if CHARTS.contains(&key) {
            search(value, found);
        } else if key == NEW_IMAGE {
            found.extend(published_image(value));
        } else if BASES.contains(&key) {
            found.extend(value.elements().iter().filter_map(remote));
        }
        of_tool(value, found);
    }
    for element in node.elements() {
        of_tool(element, found);
    }
}

fn published_image(node: &Node) -> Option<(u32, String)> {
    let Value::Text(text) = &node.value else {
        return None;
    };
    let known = published(text)?;
    let what = format!("the image {}, a published plugin", known.repository);
    Some((node.line, what))
}

fn remote(node: &Node) -> Option<(u32, String)> {
    let Value::Text(text) = &node.value else {
        return None;
    };
    let what = "a folder of containers/nri-plugins, whose plugins are published";
    names_repository(text).then(|| (node.line, what.to_owned()))
}

/// Returns the charts of published plugins that an object or a file of a tool names, and texts in an
/// object that name a path of NRI, with their lines.
pub(super) fn of(node: &Node) -> Vec<(u32, String)> {
    let version = node.text("apiVersion").unwrap_or_default();
    let group = version.split_once('/').map_or("", |(group, _)| group);
    let kind = node.text("kind").unwrap_or_default();
    let installs = |(end, kinds): &(&str, &[&str])| group.ends_with(end) && kinds.contains(&kind);
    let mut found = Vec::new();
    if group == KUSTOMIZE || version.is_empty() {
        of_tool(node, &mut found);
    }
    if !INSTALLERS.iter().any(installs) {
        return found;
    }
    if let Some(spec) = node.get("spec") {
        search(spec, &mut found);
        if found.is_empty() {
            search_remote(spec, &mut found);
        }
    }
    let is_configuration = node.text("kind") == Some(CONFIGURATION);
    if let Some(name) = node
        .get("metadata")
        .and_then(|metadata| metadata.get("name"))
        && is_configuration
    {
        search(name, &mut found);
    }
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

fn search_remote(node: &Node, found: &mut Vec<(u32, String)>) {
    found.extend(remote(node));
    let fields = node.fields().into_iter().map(|(_, value)| value);
    for value in fields.chain(node.elements()) {
        search_remote(value, found);
    }
}
