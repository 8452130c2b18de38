//! Parses `nri-compat.toml` to a [`Policy`]. Anything unknown is an error with its line.

mod ignores;

use std::collections::BTreeMap;
use std::path::Path;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::{FILE, FailOn, Policy, RuleLevel, read};
use crate::error::{Error, ErrorKind};
use crate::near::near;
use crate::report::finding::Level;
use crate::rules;
use crate::statements;

/// The maximum size of a policy in bytes.
const MAX_POLICY: u64 = 1 << 20;

const KEYS: [&str; 4] = ["targets", "fail-on", "rules", "ignore"];
const LEVELS: [&str; 4] = ["error", "warning", "note", "off"];

type Table<'t> = DeTable<'t>;
type Value<'t> = Spanned<DeValue<'t>>;

impl Policy {
    /// Reads the policy from `path`, or from `nri-compat.toml` in the working folder; returns an
    /// empty one if that does not exist.
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
        let reader = Reader { file, text };
        let document = DeTable::parse(text).map_err(|error| {
            let at = error.span().map_or(0, |span| span.start);
            reader.wrong(at, error.message())
        })?;
        reader.policy(document.get_ref())
    }
}

/// A reader with the text, for the lines of errors.
struct Reader<'t> {
    file: &'t str,
    text: &'t str,
}

impl Reader<'_> {
    fn policy(&self, table: &Table<'_>) -> Result<Policy, Error> {
        self.known(table, &KEYS)?;
        Ok(Policy {
            file: self.file.to_owned(),
            targets: self
                .strings(table, "targets")?
                .into_iter()
                .map(|(_, text)| text)
                .collect(),
            fail_on: self.fail_on(table)?,
            rules: self.rules(table)?,
            ignores: self.ignores(table)?,
        })
    }

    fn fail_on(&self, table: &Table<'_>) -> Result<Vec<FailOn>, Error> {
        let words = self.strings(table, "fail-on")?;
        words
            .iter()
            .map(|(at, word)| {
                let found = FailOn::ALL.into_iter().find(|one| one.as_str() == word);
                found.ok_or_else(|| {
                    self.unknown(*at, "verdict", word, FailOn::ALL.map(FailOn::as_str))
                })
            })
            .collect()
    }

    fn rules(&self, table: &Table<'_>) -> Result<BTreeMap<String, RuleLevel>, Error> {
        let Some(value) = table.get("rules") else {
            return Ok(BTreeMap::new());
        };
        let DeValue::Table(rules) = value.get_ref() else {
            return Err(self.wrong(
                value.span().start,
                "`rules` is not a table of rule ids and levels",
            ));
        };
        rules
            .iter()
            .map(|(id, level)| {
                self.rule(id.span().start, id.get_ref())?;
                let word = self.string(level, id.get_ref())?;
                Ok((
                    id.get_ref().to_string(),
                    self.level(level.span().start, &word)?,
                ))
            })
            .collect()
    }

    fn level(&self, at: usize, word: &str) -> Result<RuleLevel, Error> {
        Ok(match word {
            "error" => RuleLevel::Level(Level::Error),
            "warning" => RuleLevel::Level(Level::Warning),
            "note" => RuleLevel::Level(Level::Note),
            "off" => RuleLevel::Off,
            _ => return Err(self.unknown(at, "level", word, LEVELS)),
        })
    }

    /// Rejects what is neither a rule nor a statement of the contract.
    fn rule(&self, at: usize, id: &str) -> Result<(), Error> {
        if rules::get(id).is_some() || statements::contains(id) {
            Ok(())
        } else {
            Err(self.unknown(at, "rule", id, rules::ids().chain(statements::ids())))
        }
    }

    /// Rejects keys that are not in the list.
    fn known(&self, table: &Table<'_>, keys: &[&'static str]) -> Result<(), Error> {
        let unknown = |key: &&Spanned<_>| !keys.contains(&AsRef::<str>::as_ref(key.get_ref()));
        match table.keys().find(unknown) {
            Some(key) => {
                Err(self.unknown(key.span().start, "key", key.get_ref(), keys.iter().copied()))
            }
            None => Ok(()),
        }
    }

    fn optional(&self, table: &Table<'_>, key: &str) -> Result<Option<String>, Error> {
        table
            .get(key)
            .map(|value| self.string(value, key))
            .transpose()
    }

    fn string(&self, value: &Value<'_>, key: &str) -> Result<String, Error> {
        match value.get_ref() {
            DeValue::String(text) if !text.trim().is_empty() => Ok(text.trim().to_owned()),
            _ => Err(self.wrong(
                value.span().start,
                &format!("`{key}` is not a string, or an empty one"),
            )),
        }
    }

    /// Returns a string or a list of strings, each with its position; empty if the key is missing.
    fn strings(&self, table: &Table<'_>, key: &str) -> Result<Vec<(usize, String)>, Error> {
        let located = |value: &Value<'_>| Ok((value.span().start, self.string(value, key)?));
        match table.get(key) {
            None => Ok(Vec::new()),
            Some(value) => match value.get_ref() {
                DeValue::Array(all) => all.iter().map(located).collect(),
                _ => Ok(vec![located(value)?]),
            },
        }
    }

    fn unknown<'k>(
        &self,
        at: usize,
        what: &str,
        found: &str,
        known: impl IntoIterator<Item = &'k str>,
    ) -> Error {
        let error = self.wrong(at, &format!("unknown {what} `{found}`"));
        let known: Vec<&str> = known.into_iter().collect();
        let names = near(found, known.iter().copied());
        match (names.is_empty(), what) {
            (false, _) => error.with_help(format!("did you mean {}?", names.join(", "))),
            (true, _) => error.with_help(format!("one of {}", known.join(", "))),
        }
    }

    fn wrong(&self, at: usize, what: &str) -> Error {
        let place = format!("{}:{}", self.file, self.line(at));
        Error::new(ErrorKind::Policy, format!("{place}: {what}"))
    }

    fn line(&self, at: usize) -> usize {
        let before = self.text.as_bytes().iter().take(at);
        before.filter(|&&byte| byte == b'\n').count() + 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
    fn one_word_does_for_a_list_of_one() {
        let policy = Policy::parse("p.toml", "fail-on = 'never'\n").expect("a policy");
        assert_eq!(policy.fail_on, [FailOn::Never]);
    }

    #[test]
    fn what_is_wrong_has_its_line_and_what_is_near() {
        for (text, message, help) in [
            (
                "\ntarget = 'a'",
                "p.toml:2: unknown key `target`",
                "did you mean targets?",
            ),
            (
                "fail-on = 'removd'",
                "p.toml:1: unknown verdict `removd`",
                "did you mean removed?",
            ),
            (
                "[rules]\nCHECK_ONE_SHOTT = 'note'",
                "p.toml:2: unknown rule `CHECK_ONE_SHOTT`",
                "CHECK_ONE_SHOT",
            ),
            (
                "[rules]\nCHECK_ONE_SHOT = 'fatal'",
                "p.toml:2: unknown level `fatal`",
                "one of error, warning, note, off",
            ),
            (
                "[[ignore]]\nplugin = '*'\nreasn = 'x'",
                "p.toml:3: unknown key `reasn`",
                "did you mean reason?",
            ),
            (
                "[[ignore]]\nrule = 'NRI_EVENT_REMOVEDD'\nreason = 'x'",
                "p.toml:2: unknown rule `NRI_EVENT_REMOVEDD`",
                "did you mean NRI_EVENT_REMOVED",
            ),
            (
                "[[ignore]]\nplugin = '*'\nreason = 'x'\nexpires = '2027-01-01'",
                "p.toml:4: `expires` is not a date",
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
    fn what_is_missing_or_of_the_wrong_shape_has_its_line() {
        for (text, message) in [
            (
                "[[ignore]]\nplugin = '*'",
                "p.toml:1: an ignore without a `reason`",
            ),
            (
                "[[ignore]]\nplugin = '*'\nreason = ' '",
                "p.toml:3: `reason` is not a string, or an empty one",
            ),
            (
                "[[ignore]]\nreason = 'x'",
                "p.toml:1: an ignore with neither `plugin` nor `rule`",
            ),
            (
                "ignore = 'x'",
                "p.toml:1: `ignore` is not a list of tables: [[ignore]]",
            ),
            (
                "rules = 1",
                "p.toml:1: `rules` is not a table of rule ids and levels",
            ),
            (
                "targets = [1]",
                "p.toml:1: `targets` is not a string, or an empty one",
            ),
        ] {
            let error = Policy::parse("p.toml", text).expect_err(text);
            assert_eq!(error.to_string(), message);
        }
        let error = Policy::parse("p.toml", "\n\ntargets = ").expect_err("no TOML");
        assert!(error.to_string().starts_with("p.toml:3: "), "{error}");
        let error = Policy::parse("p.toml", "[[ignore]]\nplugin = '[a'\nreason = 'x'");
        let error = error.expect_err("no pattern");
        assert!(error.to_string().starts_with("p.toml:2: "), "{error}");
    }
}
