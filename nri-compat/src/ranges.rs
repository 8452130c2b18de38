//! Ranges of releases of a runtime.

use nri_schema::history::{Runtime, RuntimeRelease};

/// Adjacent releases of one runtime, by version.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Range<'h> {
    pub(crate) runtime: &'h Runtime,
    pub(crate) first: &'h RuntimeRelease,
    pub(crate) last: &'h RuntimeRelease,
}

/// Returns the longest runs of releases, ordered by version, with the same `key`; `None` belongs to
/// no range.
pub(crate) fn by<'h, K: PartialEq>(
    runtime: &'h Runtime,
    key: impl Fn(&'h RuntimeRelease) -> Option<K>,
) -> Vec<Range<'h>> {
    let mut ranges: Vec<Range<'h>> = Vec::new();
    let mut current: Option<K> = None;
    for release in &runtime.releases {
        let found = key(release);
        match ranges.last_mut() {
            Some(range) if found.is_some() && found == current => range.last = release,
            _ if found.is_some() => ranges.push(Range {
                runtime,
                first: release,
                last: release,
            }),
            _ => {}
        }
        current = found;
    }
    ranges
}

/// Returns the ranges of the releases of every runtime that satisfy `ships`, as text: `containerd
/// 2.3.0–2.3.7`.
pub(crate) fn texts(runtimes: &[Runtime], ships: impl Fn(&RuntimeRelease) -> bool) -> Vec<String> {
    let of = |runtime| by(runtime, |release| ships(release).then_some(()));
    runtimes
        .iter()
        .flat_map(of)
        .map(|range| range.to_string())
        .collect()
}

impl std::fmt::Display for Range<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {}", self.runtime.id, self.first.version)?;
        if self.first.version != self.last.version {
            write!(f, "–{}", self.last.version)?;
        }
        Ok(())
    }
}
