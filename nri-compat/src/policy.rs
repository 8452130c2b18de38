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
#[cfg(feature = "conformance")]
mod conformance;
mod fail;
mod findings;
mod ignore;
mod keys;
mod parse;
mod read;
mod uses;
mod values;

use std::collections::BTreeMap;

pub use apply::apply;
pub use baseline::Baseline;
#[cfg(feature = "conformance")]
pub use conformance::{FailOnTest, apply_to_conformance, exit_of_conformance};
pub(crate) use fail::named;
pub use fail::{FailOn, exit};
pub use findings::apply_to_diff;
pub use ignore::{Ignore, Scope};
use jiff::civil::Date;
use serde::Deserialize;

use crate::report::finding::Level;

/// The file name of the policy in the working folder.
pub const FILE: &str = "nri-compat.toml";

/// Returns the current day in UTC, with which expiry dates are compared.
pub fn today() -> Date {
    jiff::Timestamp::now()
        .to_zoned(jiff::tz::TimeZone::UTC)
        .date()
}

/// A policy: `nri-compat.toml`. The default decides nothing.
#[derive(Clone, Debug, Default)]
pub struct Policy {
    /// The file, as shown in messages.
    pub file: String,
    /// The targets if the command line names none.
    pub targets: Vec<String>,
    /// The conditions for exit code 100 if the command line gives none.
    pub fail_on: Vec<FailOn>,
    /// The levels of rules, by id.
    pub rules: BTreeMap<String, RuleLevel>,
    /// Verdicts that do not count, in the order of the file.
    pub ignores: Vec<Ignore>,
}

/// The level that the policy gives to a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(from = "values::LevelWord")]
pub enum RuleLevel {
    /// A level. `error`: its verdicts count whatever `--fail-on` names; `note`: they never count.
    Level(Level),
    /// The verdicts are suppressed.
    Off,
}
