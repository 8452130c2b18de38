//! Parses `nri-compat.toml` to a [`Policy`]. Anything unknown is an error with its line.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Deserialize;
use toml::Spanned;

use super::values::{RuleId, Text, one_or_many};
use super::{FILE, FailOn, Ignore, Policy, RuleLevel, Scope};
use crate::error::{Error, ErrorKind};
use crate::text_file;

/// The maximum size of a policy in bytes.
const MAX_POLICY: u64 = 1 << 20;

impl Policy {
    /// Reads the policy from `path`, or from `nri-compat.toml` in the current directory; returns an
    /// empty one if the latter does not exist.
    ///
    /// # Errors
    ///
    /// Returns an error if the file cannot be read or is not a policy.
    pub fn load(path: Option<&Path>) -> Result<Self, Error> {
        let path = match path {
            Some(path) => path,
            None if Path::new(FILE).exists() => Path::new(FILE),
            None => return Ok(Self::default()),
        };
        let text = text_file::read(path, MAX_POLICY, ErrorKind::Policy)?;
        Self::parse(&path.display().to_string(), &text)
    }

    /// Parses the text of a policy; `file` is its name in messages.
    ///
    /// # Errors
    ///
    /// Returns an error if it is not TOML, or has a key, a rule or a value that does not exist,
    /// with file, line and similar names.
    pub fn parse(file: &str, text: &str) -> Result<Self, Error> {
        let source = Source { file, text };
        let document: Document = toml::from_str(text).map_err(|error| {
            let at = error.span().map_or(0, |span| span.start);
            source.error(source.line(at), error.message())
        })?;
        let ignores = document.ignore.into_iter();
        Ok(Self {
            file: file.to_owned(),
            targets: document
                .targets
                .into_iter()
                .map(|Text(text)| text)
                .collect(),
            fail_on: document.fail_on,
            rules: document
                .rules
                .into_iter()
                .map(|(RuleId(id), level)| (id, level))
                .collect(),
            ignores: ignores
                .map(|ignore| source.ignore(ignore))
                .collect::<Result<_, _>>()?,
        })
    }
}

/// The keys of a policy.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Document {
    #[serde(default, deserialize_with = "one_or_many")]
    targets: Vec<Text>,
    #[serde(default, deserialize_with = "one_or_many")]
    fail_on: Vec<FailOn>,
    #[serde(default)]
    rules: BTreeMap<RuleId, RuleLevel>,
    #[serde(default)]
    ignore: Vec<Spanned<Ignore>>,
}

/// The text of a policy, for the lines of errors.
struct Source<'t> {
    file: &'t str,
    text: &'t str,
}

impl Source<'_> {
    /// Adds the line of an ignore, and checks it as a whole.
    fn ignore(&self, ignore: Spanned<Ignore>) -> Result<Ignore, Error> {
        let line = self.line(ignore.span().start);
        let ignore = Ignore {
            line,
            ..ignore.into_inner()
        };
        match problem(&ignore) {
            Some(problem) => Err(self.error(line, problem)),
            None => Ok(ignore),
        }
    }

    fn error(&self, line: usize, problem: &str) -> Error {
        let message = format!("{}:{line}: {problem}", self.file);
        Error::new(ErrorKind::Policy, message)
    }

    fn line(&self, at: usize) -> usize {
        let before = self.text.as_bytes().iter().take(at);
        before.filter(|&&byte| byte == b'\n').count() + 1
    }
}

/// Returns the problem of an ignore as a whole, if any.
fn problem(ignore: &Ignore) -> Option<&'static str> {
    let is_about_plugins = ignore.plugin.is_some() || ignore.target.is_some();
    if ignore.reason.is_empty() {
        Some("an ignore without a `reason`")
    } else if ignore.test.is_some() && ignore.scope() != Scope::Conformance {
        Some("an ignore with a `test`, but without the id of a statement as its `rule`")
    } else if ignore.scope() == Scope::Diff && is_about_plugins {
        Some(
            "an ignore for findings of `diff` with a `plugin` or `target`, which such findings do not have",
        )
    } else if ignore.plugin.is_none() && ignore.element.is_none() && ignore.rule.is_none() {
        Some("an ignore without a `plugin`, `element` or `rule`")
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::finding::Level;

    const WHOLE: &str = "
targets = ['containerd@2.4', 'cri-o@1.36']
fail-on = ['removed', 'unknown']

[rules]
CHECK_ONE_SHOT = 'note'

[[ignore]]
plugin = '10-*'
rule = 'CHECK_ONE_SHOT'
target = 'containerd@2.4'
reason = 'replaced in the next image'
expires = 2027-03-31
";

    #[test]
    fn a_whole_policy_is_read() {
        let policy = Policy::parse("p.toml", WHOLE).expect("a policy");
        assert_eq!(policy.targets, ["containerd@2.4", "cri-o@1.36"]);
        assert_eq!(policy.fail_on, [FailOn::Removed, FailOn::Unknown]);
        assert_eq!(
            policy.rules["CHECK_ONE_SHOT"],
            RuleLevel::Level(Level::Note)
        );
        let [ignore] = policy.ignores.as_slice() else {
            panic!("one ignore, not {:?}", policy.ignores);
        };
        assert_eq!(ignore.line, 8);
        assert_eq!(ignore.shown(), "10-* CHECK_ONE_SHOT containerd@2.4");
        assert_eq!(
            ignore.expires.map(|day| day.to_string()).as_deref(),
            Some("2027-03-31")
        );
    }

    #[test]
    fn a_string_is_accepted_in_place_of_a_list() {
        let policy = Policy::parse("p.toml", "fail-on = 'never'\n").expect("a policy");
        assert_eq!(policy.fail_on, [FailOn::Never]);
    }

    #[test]
    fn errors_have_a_line_and_say_what_is_known() {
        let cases = [
            (
                "\ntarget = 'a'",
                "2: unknown field `target`, expected one of `targets`",
            ),
            (
                "fail-on = 'removd'",
                "1: unknown variant `removd`, expected one of ",
            ),
            (
                "[rules]\nCHECK_ONE_SHOTT = 'note'",
                "2: unknown rule `CHECK_ONE_SHOTT`; did you mean CHECK_ONE_SHOT",
            ),
            (
                "[rules]\nCHECK_ONE_SHOT = 'fatal'",
                "2: unknown variant `fatal`, expected one of `error`",
            ),
            (
                "[[ignore]]\nplugin = '*'\nreasn = 'x'",
                "3: unknown field `reasn`, expected one of `",
            ),
            (
                "[[ignore]]\nrule = 'NRI_EVENT_REMOVEDD'\nreason = 'x'",
                "2: unknown rule `NRI_EVENT_REMOVEDD`; did you mean NRI_EVENT_REMOVED",
            ),
            (
                "[[ignore]]\nplugin = '*'\nreason = 'x'\nexpires = '2027-01-01'",
                "4: not a date; a date has no quotes",
            ),
            (
                "[[ignore]]\nplugin = '*'",
                "1: an ignore without a `reason`",
            ),
            (
                "[[ignore]]\nplugin = '*'\nreason = ' '",
                "3: an empty string",
            ),
            (
                "[[ignore]]\nreason = 'x'",
                "1: an ignore without a `plugin`, `element` or `rule`",
            ),
            (
                "ignore = 'x'",
                "1: invalid type: string \"x\", expected a sequence",
            ),
            ("rules = 1", "1: invalid type: integer `1`, expected a map"),
            (
                "\nfail-on = true",
                "2: invalid type: boolean `true`, expected a string or a list",
            ),
            (
                "[[ignore]]\nreason = 'x'\nrule = ['A']",
                "3: invalid type: sequence, expected a string",
            ),
            (
                "[[ignore]]\nreason = 'x'\nexpires = 2027-02-30",
                "3: invalid date",
            ),
            ("[[ignore]]\nreason = 'x'\nexpires = 2027-13-45", "3: "),
            ("[rules]\nCHECK_ONE_SHOT = 3", "2: "),
            (
                "targets = [1]",
                "1: invalid type: integer `1`, expected a string",
            ),
            ("\n\ntargets = ", "3: "),
            ("[[ignore]]\nplugin = '[a'\nreason = 'x'", "2: "),
        ];
        for (text, expected) in cases {
            let error = Policy::parse("p.toml", text).expect_err(text).to_string();
            let expected = format!("p.toml:{expected}");
            assert!(error.starts_with(&expected), "{error}\n{expected}");
        }
    }
}
