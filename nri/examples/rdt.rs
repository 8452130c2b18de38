//! Assigns containers to classes of Resource Director Technology, which limits and monitors cache
//! and memory bandwidth, as annotations of the pod request:
//!
//! ```yaml
//! annotations:
//!   closid.rdt.noderesource.dev/container.main: gold
//!   schemata.rdt.noderesource.dev/container.main: L3:0=ff,MB:0=50
//!   enablemonitoring.rdt.noderesource.dev/container.main: "true"
//! ```
//!
//! The lines of the schemata are separated by commas. Runtimes apply these fields since NRI
//! v0.11.0.

use nri::prelude::*;
use nri::view::Annotation;
use tracing::{info, warn};

const ABOUT: &str = "An NRI plugin that assigns containers to RDT classes that annotations name.";

struct Rdt;

/// Parses a bool as Go's `strconv.ParseBool` does, so that the annotations of the Go plugin keep
/// their meaning.
fn parse_bool(text: &str) -> Result<bool, String> {
    match text {
        "1" | "t" | "T" | "true" | "TRUE" | "True" => Ok(true),
        "0" | "f" | "F" | "false" | "FALSE" | "False" => Ok(false),
        other => Err(format!("{other:?} is neither true nor false")),
    }
}

/// Applies the annotation of a field.
fn apply(adjustment: Adjustment, field: &str, found: &Annotation<'_>) -> nri::Result<Adjustment> {
    Ok(match field {
        "closid" => adjustment.rdt_clos(found.value()),
        "schemata" => adjustment.rdt_schemata(found.value().split(',')),
        "enablemonitoring" => adjustment.rdt_monitoring(found.parse(parse_bool)?),
        other => {
            warn!("unknown RDT field {other}");
            adjustment
        }
    })
}

#[nri::plugin(name = "rdt", index = "10")]
impl Rdt {
    async fn create_container(
        &self,
        pod: PodSandbox,
        container: Container,
    ) -> nri::Result<Adjustment> {
        let suffix = format!(".rdt.noderesource.dev/container.{}", container.name);
        let mut adjustment = Adjustment::new();
        for key in pod.annotations.keys() {
            let Some(field) = key.strip_suffix(&suffix) else {
                continue;
            };
            if let Some(found) = pod.find_annotation([key]) {
                info!("{}: {field} {}", container.full_name(&pod), found.value());
                adjustment = apply(adjustment, field, &found)?;
            }
        }
        Ok(adjustment)
    }
}

fn main() -> nri::Result<()> {
    nri::cli::run(ABOUT, Rdt)
}

#[cfg(test)]
mod tests {
    use super::*;
    use nri::api::LinuxRdt;
    use nri_testing::{self as testing, EventError, pod};

    async fn rdt(annotations: &[(&str, &str)]) -> Result<Option<LinuxRdt>, EventError> {
        let mut runtime = testing::Runtime::new().start(Rdt).await.unwrap();
        let web = annotations.iter().fold(pod("web"), |web, (field, value)| {
            web.annotation(format!("{field}.rdt.noderesource.dev/container.app"), *value)
        });
        let created = runtime.create_in_pod(web.container("app")).await?;
        Ok(created.adjustment.linux.and_then(|linux| linux.rdt))
    }

    #[tokio::test]
    async fn annotations_set_the_fields() {
        let annotations = [
            ("closid", "gold"),
            ("schemata", "L3:0=ff,MB:0=50"),
            ("enablemonitoring", "T"),
            ("color", "blue"),
        ];
        let rdt = rdt(&annotations).await.unwrap().unwrap();
        assert_eq!(rdt.clos_id.unwrap(), "gold");
        assert_eq!(rdt.schemata.unwrap(), ["L3:0=ff", "MB:0=50"]);
        assert!(rdt.enable_monitoring.unwrap());
    }

    #[tokio::test]
    async fn monitoring_is_true_or_false() {
        assert_eq!(rdt(&[]).await.unwrap(), None);
        let off = rdt(&[("enablemonitoring", "0")]).await.unwrap().unwrap();
        assert!(!off.enable_monitoring.unwrap());
        let error = rdt(&[("enablemonitoring", "yes")]).await.unwrap_err();
        assert!(error.fails_request());
        assert!(error.to_string().contains("\"yes\" is neither true nor false"));
    }
}
