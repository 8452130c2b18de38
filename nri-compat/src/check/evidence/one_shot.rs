//! `/etc/nri/conf.json`: the one-shot plugins of v0.1.0 that a runtime calls.

use serde::Deserialize;

use super::{Reader, Unreadable, text};
use crate::check::content::File;
use crate::facts;
use crate::sighting::{Built, Evidence, FileKind, Interface, Role, Sighting};
use crate::skipped::SkipKind;

/// The maximum size of the file in bytes; real ones have a few hundred.
const MAX_FILE: u64 = 1 << 20;

/// The maximum number of plugins of one file that are reported.
const MAX_PLUGINS: usize = 1000;

const NAME: &str = "one-shot-config";

/// The reader of the configuration of v0.1.0 plugins.
pub(super) struct OneShotConfig;

#[derive(Deserialize)]
struct OneShotFile {
    #[serde(rename = "version")]
    _version: String,
    plugins: Vec<ConfiguredPlugin>,
    /// The key that distinguishes CNI's lists of plugins, which look similar.
    #[serde(rename = "cniVersion")]
    cni: Option<serde::de::IgnoredAny>,
}

#[derive(Deserialize)]
struct ConfiguredPlugin {
    #[serde(rename = "type")]
    kind: String,
}

impl Reader for OneShotConfig {
    fn name(&self) -> &'static str {
        NAME
    }

    fn recognises(&self, file: &File<'_>) -> bool {
        let head = text::head(&file.head).unwrap_or_default();
        head.trim_start().starts_with('{')
            && head.contains("\"plugins\"")
            && head.contains("\"type\"")
            && !head.contains("\"cniVersion\"")
    }

    fn read(&self, file: &File<'_>) -> Result<Vec<Sighting>, Unreadable> {
        let text = text::whole(file.content, MAX_FILE)?;
        let plugins = match serde_json::from_str::<OneShotFile>(&text) {
            Ok(config) if config.cni.is_none() => config.plugins,
            Err(error) if error.is_syntax() || error.is_eof() => {
                return Err(Unreadable::new(SkipKind::Broken, format!("not valid JSON: {error}")));
            }
            // JSON of another shape is another kind of file.
            _ => Vec::new(),
        };
        if plugins.len() > MAX_PLUGINS {
            return Err(Unreadable::new(
                SkipKind::Limit,
                format!("it names more than {MAX_PLUGINS} plugins"),
            ));
        }
        Ok(plugins.into_iter().map(|plugin| sighting(file, plugin.kind)).collect())
    }
}

fn sighting(file: &File<'_>, kind: String) -> Sighting {
    Sighting {
        place: file.place.clone(),
        kind: FileKind::OneShotConfig,
        role: Role::Plugin,
        evidence: vec![Evidence::new(
            NAME,
            format!("calls the v0.1.0 plugin `{kind}` once per event"),
        )],
        name: Some(kind),
        nri: Built::range(None, Some(facts::PROTOCOL)),
        interface: Interface::OneShot,
        ..Sighting::default()
    }
}
