//! Decisions of a project or cluster about findings: `nri-compat.toml` and a baseline.
//!
//! Both are read once and applied to a finished report by a pure function, [`apply`]; then [`exit`]
//! alone decides which verdicts count.
//!
//! ```
//! use nri_compat::policy::{FailOn, Policy, apply, exit, today};
//! use nri_compat::report::check::CheckReport;
//!
//! let policy = Policy::parse("nri-compat.toml", "targets = ['containerd@2.4']\nfail-on = 'removed'\n")?;
//! let mut report = CheckReport::default();
//! apply(&mut report, &policy, None, today());
//! assert_eq!(exit(&report, &policy.fail_on), nri_compat::exit::Exit::Clean);
//! # Ok::<(), nri_compat::error::Error>(())
//! ```

mod apply;
mod baseline;
mod fail;
mod ignore;
mod parse;

pub use apply::apply;
#[cfg(feature = "conformance")]
pub(crate) use apply::apply_to_conformance;
pub(crate) use apply::apply_to_diff;
pub use baseline::Baseline;
pub use fail::{FailOn, exit};
#[cfg(feature = "conformance")]
pub(crate) use fail::{FailOnTest, exit_of_conformance};
pub(crate) use fail::{level_counts, named};
use jiff::civil::Date;
pub use parse::Policy;

/// The file name of the policy in the current directory.
pub const FILE: &str = "nri-compat.toml";

/// Returns the current day in UTC, with which expiry dates are compared.
pub fn today() -> Date {
    jiff::Timestamp::now().to_zoned(jiff::tz::TimeZone::UTC).date()
}
