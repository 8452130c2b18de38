//! The runtime that is reported to a plugin.

use nri_adaptation::Revision;
use serde::Deserialize;

use super::RuntimeRelease;

/// The part of the table of runtimes that is needed here.
#[derive(Debug, Deserialize)]
struct Table {
    runtime: Vec<Runtime>,
}

#[derive(Debug, Deserialize)]
struct Runtime {
    reports_as: Vec<String>,
    releases: Vec<Release>,
}

#[derive(Debug, Deserialize)]
struct Release {
    release: String,
    nri: String,
}

/// Returns the newest release of a runtime that links this release of NRI, or else the closest earlier one.
pub(super) fn linking(revision: &Revision) -> Option<RuntimeRelease> {
    // Cannot fail: a test parses it.
    let table: Table = toml::from_str(nri_protos::RUNTIMES_TOML).ok()?;
    let mut best: Option<(Revision, RuntimeRelease)> = None;
    for runtime in table.runtime {
        for release in runtime.releases.into_iter().rev() {
            // Releases before the protocol have no revision.
            let Ok(nri) = Revision::of(&release.nri) else {
                continue;
            };
            let is_newer = best.as_ref().is_none_or(|(best, _)| {
                best.release() != nri.release() && nri.is_at_least(best.release())
            });
            if is_newer && revision.is_at_least(nri.release()) {
                let name = runtime.reports_as.first()?.clone();
                let version = release.release;
                best = Some((nri, RuntimeRelease { name, version }));
            }
        }
    }
    best.map(|(_, runtime)| runtime)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_revision_is_linked_by_a_runtime() {
        let linking = |release: &str| {
            let runtime = linking(&Revision::of(release).unwrap()).unwrap();
            format!("{} {}", runtime.name, runtime.version)
        };
        assert!(linking("v0.11.0").starts_with("containerd v2.2."));
        assert!(linking("v0.9.1-0.20250219030224-e597e7849f24").starts_with("cri-o v1.33."));
        assert!(linking("v0.2.0").starts_with("c"));
        assert_eq!(linking("v0.12.5"), linking("v0.12.4"));
    }
}
