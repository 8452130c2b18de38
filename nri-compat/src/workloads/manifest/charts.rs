//! Charts, images and remote bases of published plugins that objects and files of tools name: those of
//! Flux, Argo CD, k3s, kustomize, helmfile and Fleet.

use super::super::images::{names_repository, published, published_chart};
use super::node::Node;
use crate::chart::mentions_nri;

/// The ends of the API groups of the controllers that install charts, and the kinds that name one.
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

/// The API group of kustomize. Files of other tools have none.
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

/// A statement about a published plugin, and its line in the document.
pub(super) type Statement = (u32, String);

/// Returns the charts of published plugins that an object or a file of a tool names, and texts in an
/// object that name a path of NRI.
pub(super) fn named(object: &Node) -> Vec<Statement> {
    let version = object.text("apiVersion").unwrap_or_default();
    let group = version.split_once('/').map_or("", |(group, _)| group);
    let kind = object.text("kind").unwrap_or_default();
    let installs = |(end, kinds): &(&str, &[&str])| group.ends_with(end) && kinds.contains(&kind);
    let mut found = Vec::new();
    if INSTALLERS.iter().any(installs) {
        let name = object.get("metadata").and_then(|data| data.get("name"));
        let name = name.filter(|_| kind == CONFIGURATION);
        for node in object.get("spec").into_iter().chain(name) {
            found.extend(of_texts(node, &chart));
        }
        if let (Some(spec), true) = (object.get("spec"), found.is_empty()) {
            found.extend(of_texts(spec, &repository));
        }
    } else if group == KUSTOMIZE || version.is_empty() {
        of_tool(object, &mut found);
    }
    found
}

/// Returns the statement about the image that a mapping names.
pub(super) fn image(node: &Node) -> Option<Statement> {
    published_image(node.get("image")?)
}

fn of_tool(node: &Node, found: &mut Vec<Statement>) {
    for (key, value) in node.entries() {
        if CHARTS.contains(&key.as_str()) {
            found.extend(of_texts(value, &chart));
        } else if key == NEW_IMAGE {
            found.extend(published_image(value));
        } else if BASES.contains(&key.as_str()) {
            found.extend(of_texts(value, &repository));
        }
        of_tool(value, found);
    }
    for element in node.elements() {
        of_tool(element, found);
    }
}

/// Returns what `state` says about the texts in a node.
fn of_texts(node: &Node, state: &dyn Fn(&str) -> Option<String>) -> Vec<Statement> {
    let own = node.as_text().and_then(state).map(|text| (node.line, text));
    let inner = node.children().flat_map(|child| of_texts(child, state));
    own.into_iter().chain(inner).collect()
}

fn published_image(node: &Node) -> Option<Statement> {
    let repository = &published(node.as_text()?)?.repository;
    Some((
        node.line,
        format!("the image {repository}, a published plugin"),
    ))
}

fn chart(text: &str) -> Option<String> {
    if let Some(chart) = published_chart(text) {
        return Some(format!("the chart {chart}, a published plugin"));
    }
    mentions_nri(text.as_bytes()).then(|| "a chart with values that name a path of NRI".to_owned())
}

fn repository(text: &str) -> Option<String> {
    let statement = "a folder of containers/nri-plugins, whose plugins are published";
    names_repository(text).then(|| statement.to_owned())
}
