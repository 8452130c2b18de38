//! The table that a setting belongs to, as the runtime reads its path.

use super::RuntimeConfiguration;
use super::document::{Setting, SettingsFile};

/// The table of plugins in containerd's configuration.
const PLUGINS: &str = "plugins";

/// The name of NRI's plugin in version 1 of containerd's configuration, and of tables that people
/// make up.
const SHORT: &str = "nri";

/// The first major release of containerd that does not read NRI's settings under the short name.
const NO_SHORT_NAME: u64 = 2;

/// The place of a setting for NRI.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Placement {
    /// Below the table of NRI, with its path there: `default_validator.enable`.
    Nri(String),
    /// In a table that differs from NRI's only by its quotes; the parts of the right path.
    Quoted(Vec<String>),
    /// In a table that looks like NRI's, with the number of parts of its name.
    Lookalike(usize),
    /// In another table of the runtime, with the path that it has below that of NRI.
    Misplaced(String),
}

/// Reads the paths of settings as a runtime does.
#[derive(Clone, Copy, Debug)]
pub(super) struct PathReader<'c> {
    pub(super) configuration: &'c RuntimeConfiguration<'c>,
}

impl<'c> PathReader<'c> {
    pub(super) fn new(configuration: &'c RuntimeConfiguration<'c>) -> Self {
        Self { configuration }
    }

    /// Returns the path of NRI's table.
    pub(super) fn table(&self) -> &'c [String] {
        &self.configuration.known.table
    }

    /// Returns true for containerd, whose tables of plugins have ids.
    pub(super) fn has_plugins(&self) -> bool {
        self.table().first().is_some_and(|first| first == PLUGINS)
    }

    /// Returns true if a file has a setting for NRI, also at a wrong place.
    pub(super) fn has_nri(&self, file: &SettingsFile) -> bool {
        file.settings.iter().any(|setting| self.placement(setting, file).is_some())
    }

    /// Returns the place of a setting; `None` if it is not about NRI.
    pub(super) fn placement(&self, setting: &Setting, file: &SettingsFile) -> Option<Placement> {
        let path = &setting.path;
        if let Some(below) = self.below_table(path) {
            return Some(Placement::Nri(below));
        }
        if self.is_short_name(path, file) {
            return Some(Placement::Nri(path.get(2..).unwrap_or_default().join(".")));
        }
        if let Some(right) = self.requoted(path) {
            return Some(Placement::Quoted(right));
        }
        if let Some(parts) = self.lookalike(path) {
            return Some(Placement::Lookalike(parts));
        }
        self.misplaced(path).map(Placement::Misplaced)
    }

    /// Returns the path below NRI's table. Ids of plugins are compared exactly, all other names
    /// without case.
    fn below_table(&self, path: &[String]) -> Option<String> {
        let table = self.table();
        let (own, below) = path.split_at_checked(table.len())?;
        let is_same = |(at, (name, wanted)): (usize, (&String, &String))| {
            name == wanted || !(self.has_plugins() && at == 1) && name.eq_ignore_ascii_case(wanted)
        };
        let is_table = own.iter().zip(table).enumerate().all(is_same);
        (is_table && !below.is_empty()).then(|| below.join("."))
    }

    /// Returns true for a setting below the short name, if the release may read that: containerd 1
    /// does, in files of version 1 that do not have the full name.
    fn is_short_name(&self, path: &[String], file: &SettingsFile) -> bool {
        let has_full_name =
            || file.settings.iter().any(|setting| self.below_table(&setting.path).is_some());
        let release = self.configuration.release;
        self.has_plugins()
            && path.len() > 2
            && is(&path[0], PLUGINS)
            && path[1] == SHORT
            && file.version.is_none_or(|version| version < 2)
            && release.is_none_or(|release| release.version.major < NO_SHORT_NAME)
            && !has_full_name()
    }

    /// Returns the right path of a setting whose tables have the right names, but other quotes.
    fn requoted(&self, path: &[String]) -> Option<Vec<String>> {
        let table = self.table();
        let rest = joined(path)?.strip_prefix(&joined(table)?)?.strip_prefix('.')?.to_owned();
        let below = rest.split('.').map(str::to_owned);
        Some(table.iter().cloned().chain(below).collect())
    }

    /// Returns the number of parts of a table's name if that looks like a name for NRI: one of them
    /// is `nri`, and it is where the runtime has its tables, or at the top.
    fn lookalike(&self, path: &[String]) -> Option<usize> {
        let has_short = |part: &String| part.split('.').any(|word| is(word, SHORT));
        let tables = path.get(..path.len().checked_sub(1)?)?;
        if tables.first().is_some_and(has_short) {
            return Some(1);
        }
        let is_below_own = tables.first().is_some_and(|first| is(first, &self.table()[0]));
        (is_below_own && tables.get(1).is_some_and(has_short)).then_some(2)
    }

    /// Returns the path below NRI's table that a setting should have, which is elsewhere: in
    /// another table of CRI-O, whose keys have NRI in their names, or at the top of a file of
    /// containerd, which has none of the keys of NRI's table there.
    fn misplaced(&self, path: &[String]) -> Option<String> {
        let (key, tables) = path.split_last()?;
        let has_name = |known: &&str| {
            let last = if self.has_plugins() { Some(*known) } else { known.rsplit('.').next() };
            last.is_some_and(|last| is(last, key))
        };
        let is_candidate = if self.has_plugins() {
            tables.is_empty()
        } else {
            tables.first().is_some_and(|first| is(first, &self.table()[0]))
        };
        let mut known = self.configuration.known.keys();
        known.find(|known| is_candidate && has_name(known)).map(str::to_owned)
    }
}

/// Returns a path as one text, in which quotes make no difference.
fn joined(path: &[String]) -> Option<String> {
    (!path.is_empty()).then(|| path.join("."))
}

/// Compares names without case.
pub(super) fn is(name: &str, wanted: &str) -> bool {
    name.eq_ignore_ascii_case(wanted)
}
