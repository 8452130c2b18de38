//! Required plugins, and the annotation that tolerates their absence.

use super::parse::{parse_bool, parse_list};
use super::{DefaultValidator, Rejection, Request};

/// The key of the pod annotation that names further required plugins, as a YAML list of names.
///
/// Like other annotations of NRI it can be meant for one container (`KEY/container.NAME`), for the pod (`KEY/pod`), or
/// have no suffix.
pub const REQUIRED_PLUGINS_ANNOTATION: &str = "required-plugins.noderesource.dev";

impl DefaultValidator {
    pub(super) fn check_required(&self, request: &Request) -> Result<(), Rejection> {
        if self.tolerates_missing(request)? {
            return Ok(());
        }
        let annotated = match annotation(request, REQUIRED_PLUGINS_ANNOTATION) {
            Some(value) => parse_list(value)
                .map_err(|reason| invalid(REQUIRED_PLUGINS_ANNOTATION, value, reason))?,
            None => Vec::new(),
        };
        let required = self.required_plugins.iter().chain(&annotated);
        let missing: Vec<String> = required
            .filter(|name| !is_present(request, name))
            .cloned()
            .collect();
        if missing.is_empty() {
            return Ok(());
        }
        Err(Rejection::MissingPlugins(missing))
    }

    fn tolerates_missing(&self, request: &Request) -> Result<bool, Rejection> {
        let key = &self.tolerate_missing_annotation;
        if key.is_empty() {
            return Ok(false);
        }
        match annotation(request, key) {
            Some(value) => parse_bool(value).map_err(|reason| invalid(key, value, reason)),
            None => Ok(false),
        }
    }
}

fn annotation<'r>(request: &'r Request, key: &str) -> Option<&'r str> {
    let container = request
        .container
        .as_ref()
        .map_or("", |container| &container.name);
    request.pod.as_ref()?.annotation_for(key, container)
}

/// Returns true if a plugin of this name, or of this index and name, took part.
fn is_present(request: &Request, required: &str) -> bool {
    request.plugins.iter().any(|plugin| {
        plugin.name == required || format!("{}-{}", plugin.index, plugin.name) == required
    })
}

fn invalid(key: &str, value: &str, reason: String) -> Rejection {
    Rejection::Annotation {
        key: key.to_owned(),
        value: value.to_owned(),
        reason,
    }
}
