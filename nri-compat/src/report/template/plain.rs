//! The values that templates of small reports see: the JSON document, with little or nothing in addition.

use minijinja::context;
use minijinja::value::{Serde, Value};

use super::Templated;
use crate::report::finding::Category;
use crate::report::history::{RuntimeReport, RuntimesReport, VersionsReport};
use crate::rules::Rule;

/// Implements `Templated` for reports whose templates see the JSON document alone.
macro_rules! plain {
    ($($report:ty => $name:literal,)*) => {
        $(impl Templated for &$report {
            const NAME: &'static str = $name;

            fn context(self) -> Value {
                Serde(self).into()
            }
        })*
    };
}

plain! {
    VersionsReport => "versions",
    RuntimesReport => "runtimes",
    RuntimeReport => "runtime",
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

#[cfg(feature = "conformance")]
mod session {
    use nri_conformance::contract::{Part, Statement};

    use super::*;
    use crate::report::probe::ProbeReport;
    use crate::report::replay::ReplayReport;
    use crate::report::statement::StatementsReport;

    impl Templated for &ProbeReport {
        const NAME: &'static str = "probe";

        fn context(self) -> Value {
            context! { place => self.place.clone(), ..Serde(self) }
        }
    }

    impl Templated for &ReplayReport<'_> {
        const NAME: &'static str = "replay";

        fn context(self) -> Value {
            context! { redacted => self.0.redacted, ..Serde(self) }
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
                let (letter, title) = (part.letter().to_string(), part.title());
                (!statements.is_empty()).then(
                    || context! { letter, title, statements => Value::from(Serde(statements)) },
                )
            };
            let parts: Vec<Value> = Part::ALL.into_iter().filter_map(of_part).collect();
            context! { parts }
        }
    }
}
