//! Parses `nri-compat.toml` to a [`Policy`]. Anything unknown is an error with its line.

use std::collections::BTreeMap;
use std::path::Path;

use nri_schema::near;
use serde::Deserialize;
use toml::Spanned;

use super::values::{RuleId, Text, one_or_many};
use super::{FILE, FailOn, Ignore, Policy, RuleLevel, Scope, keys, read};
use crate::error::{Error, ErrorKind};

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
        let text = read::text(path, MAX_POLICY, ErrorKind::Policy)?;
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
            source.error(at, error.message())
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
        let ignore = Ignore {
            line: self.line(ignore.span().start),
            ..ignore.into_inner()
        };
        match problem(&ignore) {
            Some(problem) => Err(self.ignore_error(ignore.line, problem)),
            None => Ok(ignore),
        }
    }

    /// Returns the error of `toml` or serde with this message: with file, line and key, and with
    /// similar names as help if it is about a name.
    fn error(&self, at: usize, message: &str) -> Error {
        let place = format!("{}:{}", self.file, self.line(at));
        let new = |fact: &str| Error::new(ErrorKind::Policy, format!("{place}: {fact}"));
        let key = keys::at(self.text, at).map(|key| format!("`{key}`: "));
        let key = key.unwrap_or_default();
        if let Some(Unknown { kind, name, known }) = Unknown::parse(message) {
            let key = if kind == "key" { "" } else { &key };
            let near = near::names(name, known.iter().copied());
            return new(&format!("{key}unknown {kind} `{name}`")).with_help(if near.is_empty() {
                format!("one of {}", known.join(", "))
            } else {
                format!("did you mean {}?", near.join(", "))
            });
        }
        if let Some(Mismatch { found, expected }) = Mismatch::parse(message) {
            return new(&format!("{key}expected {expected}, found {found}"));
        }
        if message == "wanted string or table" {
            return new(&format!("{key}expected a string"));
        }
        match message.split_once("; ") {
            Some((fact, help)) => new(&format!("{key}{fact}")).with_help(help),
            None => new(&format!("{key}{message}")),
        }
    }

    /// Returns the error of an ignore as a whole.
    fn ignore_error(&self, line: usize, problem: &str) -> Error {
        Error::new(
            ErrorKind::Policy,
            format!("{}:{line}: {problem}", self.file),
        )
    }

    fn line(&self, at: usize) -> usize {
        let before = self.text.as_bytes().iter().take(at);
        before.filter(|&&byte| byte == b'\n').count() + 1
    }
}

/// An unknown name in an error of serde: ``unknown field `a`, expected one of `b`, `c` ``.
struct Unknown<'m> {
    kind: &'m str,
    name: &'m str,
    known: Vec<&'m str>,
}

impl<'m> Unknown<'m> {
    fn parse(message: &'m str) -> Option<Self> {
        let (kind, rest) = message.strip_prefix("unknown ")?.split_once(" `")?;
        let (name, known) = rest.split_once("`, expected ")?;
        Some(Self {
            kind: match kind {
                "field" => "key",
                "variant" => "value",
                kind => kind,
            },
            name,
            known: known.split('`').skip(1).step_by(2).collect(),
        })
    }
}

/// A value of the wrong type in an error of serde: ``invalid type: integer `1`, expected a string``.
struct Mismatch<'m> {
    found: &'m str,
    expected: &'m str,
}

impl<'m> Mismatch<'m> {
    fn parse(message: &'m str) -> Option<Self> {
        let wrong = message.strip_prefix("invalid type: ");
        let wrong = wrong.or_else(|| message.strip_prefix("invalid value: "))?;
        let (found, expected) = wrong.rsplit_once(", expected ")?;
        Some(Self {
            found: in_toml(found),
            expected: in_toml(expected),
        })
    }
}

/// Returns the name that TOML has for a type of serde.
fn in_toml(name: &str) -> &str {
    match name {
        "sequence" | "a sequence" => "a list",
        "map" | "a map" | "struct Ignore" => "a table",
        "string or table" => "a string",
        name => name,
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
    fn errors_have_a_line_and_similar_names() {
        for (text, message, help) in [
            (
                "\ntarget = 'a'",
                "p.toml:2: unknown key `target`",
                "did you mean targets?",
            ),
            (
                "fail-on = 'removd'",
                "p.toml:1: `fail-on`: unknown value `removd`",
                "did you mean removed?",
            ),
            (
                "[rules]\nCHECK_ONE_SHOTT = 'note'",
                "p.toml:2: unknown rule `CHECK_ONE_SHOTT`",
                "CHECK_ONE_SHOT",
            ),
            (
                "[rules]\nCHECK_ONE_SHOT = 'fatal'",
                "p.toml:2: `rules.CHECK_ONE_SHOT`: unknown value `fatal`",
                "one of error, warning, note, off",
            ),
            (
                "[[ignore]]\nplugin = '*'\nreasn = 'x'",
                "p.toml:3: unknown key `reasn`",
                "did you mean reason?",
            ),
            (
                "[[ignore]]\nrule = 'NRI_EVENT_REMOVEDD'\nreason = 'x'",
                "p.toml:2: `ignore.rule`: unknown rule `NRI_EVENT_REMOVEDD`",
                "did you mean NRI_EVENT_REMOVED",
            ),
            (
                "[[ignore]]\nplugin = '*'\nreason = 'x'\nexpires = '2027-01-01'",
                "p.toml:4: `ignore.expires`: not a date",
                "no quotes",
            ),
        ] {
            let error = Policy::parse("p.toml", text).expect_err(text);
            assert_eq!(error.to_string(), message);
            assert!(
                error.help().is_some_and(|found| found.contains(help)),
                "{text}: {error:?}"
            );
        }
    }

    #[test]
    fn errors_about_missing_keys_and_wrong_types_have_a_line() {
        for (text, message) in [
            (
                "[[ignore]]\nplugin = '*'",
                "p.toml:1: an ignore without a `reason`",
            ),
            (
                "[[ignore]]\nplugin = '*'\nreason = ' '",
                "p.toml:3: `ignore.reason`: an empty string",
            ),
            (
                "[[ignore]]\nreason = 'x'",
                "p.toml:1: an ignore without a `plugin`, `element` or `rule`",
            ),
            (
                "ignore = 'x'",
                "p.toml:1: `ignore`: expected a list, found string \"x\"",
            ),
            (
                "rules = 1",
                "p.toml:1: `rules`: expected a table, found integer `1`",
            ),
            (
                "\nfail-on = true",
                "p.toml:2: `fail-on`: expected a string or a list of strings, found boolean `true`",
            ),
            (
                "[[ignore]]\nreason = 'x'\nrule = ['CHECK_ONE_SHOT']",
                "p.toml:3: `ignore.rule`: expected a string, found a list",
            ),
            (
                "[[ignore]]\nreason = 'x'\nexpires = 2027-02-30",
                "p.toml:3: `ignore.expires`: invalid date, expected day between 01 and 28",
            ),
            (
                "[rules]\nCHECK_ONE_SHOT = 3",
                "p.toml:2: `rules.CHECK_ONE_SHOT`: expected a string",
            ),
            (
                "targets = [1]",
                "p.toml:1: `targets`: expected a string, found integer `1`",
            ),
        ] {
            let error = Policy::parse("p.toml", text).expect_err(text);
            assert_eq!(error.to_string(), message);
        }
        let error = Policy::parse("p.toml", "[[ignore]]\nreason = 'x'\nexpires = 2027-13-45");
        let error = error.expect_err("no such month").to_string();
        assert!(error.starts_with("p.toml:3: `ignore.expires`: "), "{error}");
        let error = Policy::parse("p.toml", "\n\ntargets = ").expect_err("no TOML");
        assert!(error.to_string().starts_with("p.toml:3: "), "{error}");
        let error = Policy::parse("p.toml", "[[ignore]]\nplugin = '[a'\nreason = 'x'");
        let error = error.expect_err("no pattern");
        assert!(
            error.to_string().starts_with("p.toml:2: `ignore.plugin`: "),
            "{error}"
        );
    }
}
