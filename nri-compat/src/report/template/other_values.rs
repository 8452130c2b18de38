//! The values that templates of `merge`, `conformance` and small reports see: the JSON document, with little or nothing in
//! addition.

use minijinja::context;
use minijinja::value::{Serde, Value};

use super::Templated;
use super::check_values::pool;
use crate::report::finding::Category;
use crate::report::merge::{MergeReport, MergedCluster, MergedPool};
use crate::rules::Rule;

plain! {
    Rule => "rule",
}

impl Templated for &[&Rule] {
    const NAME: &'static str = "rules";

    /// Returns the rules by category, each under its first category.
    fn context(self) -> Value {
        let of_category = |category: Category| {
            let rules = self.iter();
            let rules = rules.filter(|rule| rule.categories.first() == Some(&category));
            let rules: Vec<&&Rule> = rules.collect();
            let (name, about) = (category.as_str(), category.about());
            (!rules.is_empty())
                .then(|| context! { name, about, rules => Value::from(Serde(rules)) })
        };
        let categories: Vec<Value> = Category::ALL.into_iter().filter_map(of_category).collect();
        context! { categories }
    }
}

impl Templated for &MergeReport {
    const NAME: &'static str = "merge";

    fn context(self) -> Value {
        let targets = self.targets().into_iter().map(|name| {
            let counts = Value::from(Serde(self.counts_under(name)));
            context! { name, counts }
        });
        let plugins = self.plugins.iter();
        let plugins = plugins.map(|plugin| context! { label => plugin.label(), ..Serde(plugin) });
        context! {
            targets => targets.collect::<Vec<Value>>(),
            plugins => plugins.collect::<Vec<Value>>(),
            clusters => self.clusters.iter().map(cluster).collect::<Vec<Value>>(),
            ..Serde(self),
        }
    }
}

fn cluster(cluster: &MergedCluster) -> Value {
    let merged = |one: &MergedPool| context! { reported => one.reported, ..pool(&one.pool) };
    let pools: Vec<Value> = cluster.pools.iter().map(merged).collect();
    context! { pools, ..Serde(cluster) }
}

#[cfg(feature = "conformance")]
mod session {
    use nri_conformance::contract::{self, Part, Statement};

    use super::*;
    use crate::report::conformance::{ConformanceReport, JudgedTest, StatementsReport};
    use crate::report::probe::ProbeReport;
    use crate::report::replay::ReplayReport;

    plain! {
        ReplayReport<'_> => "replay",
    }

    impl Templated for &ProbeReport {
        const NAME: &'static str = "probe";

        fn context(self) -> Value {
            context! { place => self.place.clone(), ..Serde(self) }
        }
    }

    impl Templated for &Statement {
        const NAME: &'static str = "statement";

        fn context(self) -> Value {
            context! { status_about => self.status.about(), ..Serde(self) }
        }
    }

    impl Templated for &StatementsReport<'_> {
        const NAME: &'static str = "statements";

        /// Returns the statements by part of the contract.
        fn context(self) -> Value {
            let of_part = |part: Part| {
                let statements = self.statements.iter();
                let statements = statements.filter(|statement| statement.part() == part);
                let statements: Vec<_> = statements.collect();
                let (letter, title) = (part.letter.to_string(), part.title);
                (!statements.is_empty()).then(
                    || context! { letter, title, statements => Value::from(Serde(statements)) },
                )
            };
            let parts: Vec<Value> = Part::ALL.into_iter().filter_map(of_part).collect();
            context! { parts }
        }
    }

    impl Templated for &ConformanceReport {
        const NAME: &'static str = "conformance";

        fn context(self) -> Value {
            let statements = contract::all().iter();
            let statements = statements.filter_map(|one| statement(self, one));
            context! {
                place => &self.place,
                statements => statements.collect::<Vec<Value>>(),
                ..Serde(self),
            }
        }
    }

    /// Returns a statement with its tests; `None` without tests.
    fn statement(report: &ConformanceReport, statement: &Statement) -> Option<Value> {
        let tests = report.results.iter();
        let tests = tests.filter(|test| test.statement == statement.id);
        let tests: Vec<Value> = tests.map(test).collect();
        (!tests.is_empty()).then(|| context! { tests, ..Serde(statement) })
    }

    fn test(test: &JudgedTest) -> Value {
        let violation = test.violation.as_ref();
        let section = match test.suppressed {
            Some(_) => "suppressed".into(),
            None => Value::from(Serde(test.result)),
        };
        context! {
            level => test.level.as_str(),
            section,
            // Equal for violations that differ only in the revision.
            key => format!("{} {}", test.test, test.detail),
            sent => violation.map(|failure| &failure.sent),
            got => violation.map(|failure| &failure.got),
            expected => violation.map(|failure| &failure.expected),
            ..Serde(test),
        }
    }
}
