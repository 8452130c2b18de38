//! Ranges of releases of a runtime.

use nri_schema::history::{Runtime, RuntimeRelease};

/// Adjacent releases of one runtime, by version.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Range<'h> {
    pub(crate) runtime: &'h Runtime,
    pub(crate) first: &'h RuntimeRelease,
    pub(crate) last: &'h RuntimeRelease,
}

/// Returns the longest runs of releases, ordered by version, that are all the same.
pub(crate) fn by<'h>(
    runtime: &'h Runtime,
    is_same: impl Fn(&RuntimeRelease, &RuntimeRelease) -> bool,
) -> Vec<Range<'h>> {
    let runs = runtime.releases.chunk_by(is_same);
    let ranges = runs.filter_map(|run| {
        let (first, last) = (run.first()?, run.last()?);
        Some(Range { runtime, first, last })
    });
    ranges.collect()
}

/// Returns the ranges of the releases of every runtime that satisfy `ships`, as text: `containerd
/// 2.3.0–2.3.7`.
pub(crate) fn texts(runtimes: &[Runtime], ships: impl Fn(&RuntimeRelease) -> bool) -> Vec<String> {
    let of = |runtime| by(runtime, |one, next| ships(one) == ships(next));
    let ranges = runtimes.iter().flat_map(of).filter(|range| ships(range.first));
    ranges.map(|range| range.to_string()).collect()
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
