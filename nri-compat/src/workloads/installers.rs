//! Charts, images and remote bases of published plugins that objects and files of tools name: those
//! of Flux, Argo CD, k3s, kustomize, helmfile and Fleet.

use super::content::{Mention, image};
use super::images::{names_repository, published_chart};
use super::node::Node;
use super::paths::mentions_nri;
use crate::unknown::Installation;

/// The ends of the API groups of the controllers that install charts, and the kinds that name one.
const INSTALLERS: [(&str, &[&str]); 6] = [
    ("addons.cluster.x-k8s.io", &["HelmChartProxy"]),
    ("fluxcd.io", &["GitRepository", "HelmChart", "HelmRelease", "OCIRepository"]),
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
const CHARTS: [&str; 4] = ["chart", "chartName", "helmChartInflationGenerator", "helmCharts"];

/// The field of a kustomization that replaces the image of a container.
const NEW_IMAGE: &str = "newName";

/// The fields of a kustomization that name local or remote folders.
const BASES: [&str; 3] = ["bases", "components", "resources"];

/// Returns what an object or a file of a tool says about charts: those of published plugins, and
/// values that name a path of NRI.
pub(super) fn mentions(object: &Node) -> Vec<Mention> {
    let version = object.text("apiVersion").unwrap_or_default();
    let group = version.split_once('/').map_or("", |(group, _)| group);
    let kind = object.text("kind").unwrap_or_default();
    let installs = |(end, kinds): &(&str, &[&str])| group.ends_with(end) && kinds.contains(&kind);
    if INSTALLERS.iter().any(installs) {
        of_installer(object, kind)
    } else if group == KUSTOMIZE || version.is_empty() {
        of_tool(object)
    } else {
        Vec::new()
    }
}

fn of_installer(object: &Node, kind: &str) -> Vec<Mention> {
    let name =
        object.get("metadata").and_then(|data| data.get("name")).filter(|_| kind == CONFIGURATION);
    let spec = object.get("spec");
    let nodes = spec.into_iter().chain(name);
    let charts: Vec<Mention> = nodes.flat_map(|node| of_texts(node, chart)).collect();
    match spec {
        Some(spec) if charts.is_empty() => of_texts(spec, repository),
        Some(_) | None => charts,
    }
}

fn of_tool(node: &Node) -> Vec<Mention> {
    let entries = node.entries().iter().flat_map(|(key, value)| {
        let mut found = if CHARTS.contains(&key.as_str()) {
            of_texts(value, chart)
        } else if BASES.contains(&key.as_str()) {
            of_texts(value, repository)
        } else {
            Vec::new()
        };
        found.extend(image(value).filter(|_| key == NEW_IMAGE));
        found.extend(of_tool(value));
        found
    });
    let elements = node.elements().iter().flat_map(of_tool);
    entries.chain(elements).collect()
}

/// Returns what the texts in a node install.
fn of_texts(node: &Node, installed: fn(&str) -> Option<Installation>) -> Vec<Mention> {
    node.texts()
        .into_iter()
        .filter_map(|(line, text)| Some(Mention::installs(line, installed(text)?)))
        .collect()
}

fn chart(text: &str) -> Option<Installation> {
    let with_path = || mentions_nri(text.as_bytes()).then_some(Installation::ChartWithPath);
    published_chart(text).map(Installation::Chart).or_else(with_path)
}

fn repository(text: &str) -> Option<Installation> {
    names_repository(text).then_some(Installation::Folder)
}
