//! Settings that turn on the NRI plugin of a published project: `settings.toml`. Its chart, or its
//! custom resource, installs no plugin without them.

use std::sync::LazyLock;

use serde::Deserialize;

use super::content::Mention;
use super::node::Node;
use crate::path::last_part;
use crate::unknown::Installation;

/// The table.
static TABLE: LazyLock<PublishedSettings> = LazyLock::new(|| {
    let text = include_str!("../../workloads/settings.toml");
    toml::from_str(text).expect("a test reads the table")
});

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct PublishedSettings {
    setting: Vec<PublishedSetting>,
}

/// A setting that turns a plugin on.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct PublishedSetting {
    /// The name of the chart.
    chart: String,
    /// The kind of the custom resource with the same setting.
    kind: Option<String>,
    /// The path of the setting, with dots.
    key: String,
    /// The value that turns the plugin on.
    value: String,
    /// A page of the publisher that names it.
    #[allow(dead_code, reason = "it is for people, and a test")]
    source: String,
}

/// Returns what an object says about the plugins of published projects that it turns on.
pub(super) fn mentions(object: &Node) -> Vec<Mention> {
    let settings = TABLE.setting.iter().filter(|setting| setting.concerns(object));
    let found = settings.filter_map(|setting| Some((setting, setting.line(object)?)));
    let mention = |(setting, line): (&'static PublishedSetting, u32)| {
        let PublishedSetting { chart, key, value, .. } = setting;
        Mention::installs(line, Installation::Setting { chart, key, value })
    };
    found.map(mention).collect()
}

impl PublishedSetting {
    /// Returns true if an object installs the chart, or is the custom resource.
    fn concerns(&self, object: &Node) -> bool {
        let is_resource = self.kind.is_some() && object.text("kind") == self.kind.as_deref();
        let is_chart = |text: &str| last_part(text.trim_end_matches('/')) == self.chart;
        is_resource || object.texts().iter().any(|(_, text)| is_chart(text))
    }

    /// Returns the line on which a node has the setting with the value that turns the plugin on.
    fn line(&self, node: &Node) -> Option<u32> {
        let nested = self.key.split('.').try_fold(node, |node, key| node.get(key));
        let named = (node.text("name") == Some(&*self.key)).then(|| node.get("value")).flatten();
        let mut direct = [nested, node.get(&self.key), named].into_iter().flatten();
        let is_on = |value: &&Node| value.as_text() == Some(&*self.value);
        let in_text = || node.as_text().filter(|text| self.is_in(text)).map(|_| node.line);
        let values = node.entries().iter().map(|(_, value)| value);
        let mut inner = values.chain(node.elements());
        direct
            .find(is_on)
            .map(|value| value.line)
            .or_else(in_text)
            .or_else(|| inner.find_map(|value| self.line(value)))
    }

    /// Returns true if a text with values as YAML, or with arguments of Helm, has the setting.
    fn is_in(&self, text: &str) -> bool {
        let last = self.key.rsplit('.').next().unwrap_or(&self.key);
        let mut values = text.lines().filter_map(|line| {
            let value = line.trim().strip_prefix(last)?.trim_start().strip_prefix(':')?;
            Some(value.split(" #").next().unwrap_or(value).trim().trim_matches(['"', '\'']))
        });
        let is_yaml = self.key.split('.').all(|part| text.contains(part));
        text.contains(&format!("{}={}", self.key, self.value))
            || is_yaml && values.any(|value| value == self.value)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    #[test]
    fn the_table_is_complete() {
        for setting in &TABLE.setting {
            assert!(setting.source.starts_with("https://"), "{setting:?}");
            assert!(setting.key.contains('.') && !setting.value.is_empty(), "{setting:?}");
        }
    }

    fn said(object: Value) -> Vec<Option<&'static str>> {
        mentions(&Node::from(object)).iter().map(|mention| mention.kind.plugin()).collect()
    }

    #[test]
    fn a_project_has_a_plugin_only_with_the_value_that_turns_it_on() {
        let policy =
            |on: Value| json!({"kind": "ClusterPolicy", "spec": {"cdi": {"nriPluginEnabled": on}}});
        assert_eq!(said(policy(json!(true))), [Some("gpu-operator")]);
        assert_eq!(said(policy(json!(false))), []);
        let release = |values: Value| json!({"kind": "HelmRelease", "spec": {"chart": {"spec": {"chart": "gpu-operator"}}, "values": values}});
        assert_eq!(
            said(release(json!({"cdi": {"nriPluginEnabled": "true"}}))),
            [Some("gpu-operator")]
        );
        assert_eq!(said(release(json!({"cdi": {"enabled": true}}))), []);
        // Another chart may have a value of this name.
        let other = json!({"kind": "HelmRelease", "spec": {"chart": "other", "values": {"cdi": {"nriPluginEnabled": true}}}});
        assert_eq!(said(other), []);
        let argo = |source: Value| json!({"kind": "Application", "spec": {"source": source}});
        for (source, expected) in [
            (
                json!({"chart": "tetragon", "helm": {"values": "rthooks:\n  interface: nri-hook\n"}}),
                Some("tetragon"),
            ),
            (
                json!({"chart": "tetragon", "helm": {"values": "rthooks:\n  interface: oci-hooks\n"}}),
                None,
            ),
            (
                json!({"chart": "tetragon", "helm": {"parameters": [{"name": "rthooks.interface", "value": "nri-hook"}]}}),
                Some("tetragon"),
            ),
            (
                json!({"chart": "gadget", "helm": {"values": "config:\n  operator:\n    kubemanager:\n      hook-mode: \"nri\"\n"}}),
                Some("gadget"),
            ),
            (
                json!({"chart": "gadget", "helm": {"values": "config:\n  operator:\n    kubemanager:\n      hook-mode: \"auto\"\n"}}),
                None,
            ),
            (
                json!({"chart": "katalyst-colocation-orm", "helm": {"valuesObject": {"katalyst-agent": {"customArgs": {"orm-work-mode": "nri"}}}}}),
                Some("katalyst-colocation-orm"),
            ),
            (
                json!({"chart": "katalyst-agent", "helm": {"values": "customArgs:\n  orm-work-mode: bypass\n"}}),
                None,
            ),
            (
                json!({"chart": "oci://quay.io/cilium/tetragon", "set": {"rthooks.interface": "nri-hook"}}),
                Some("tetragon"),
            ),
        ] {
            let expected: Vec<_> = expected.into_iter().map(Some).collect();
            assert_eq!(said(argo(source.clone())), expected, "{source}");
        }
    }
}
