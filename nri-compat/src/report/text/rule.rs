//! The text of `explain`.

use anstyle::Style;

use super::layout::Page;
use super::width::Look;
use crate::report::finding::Category;
use crate::rules::Rule;

/// Renders one rule of the catalogue.
pub fn rule(rule: &Rule, look: impl Into<Look>) -> String {
    let mut page = Page::new(look.into());
    let palette = page.palette;
    page.prose(0, &format!("{}: ", rule.id), palette.strong, rule.summary);
    page.gap();
    page.prose(2, "", Style::new(), rule.explanation);
    page.gap();
    let label = |name: &str| format!("{name:<12}");
    page.prose(2, &label("what to do"), palette.strong, rule.remedy);
    page.prose(
        2,
        &label("level"),
        palette.level(rule.level),
        rule.level.as_str(),
    );
    let categories = rule.categories.iter().map(|category| category.as_str());
    page.list(2, &label("categories"), palette.strong, categories);
    if let Some(successor) = rule.replaced_by {
        page.prose(2, &label("replaced by"), palette.strong, successor);
    }
    page.finish()
}

/// Lists rules by category, each under its first category.
pub fn rules(rules: &[&Rule], look: impl Into<Look>) -> String {
    let mut page = Page::new(look.into());
    let palette = page.palette;
    let mut first = true;
    for category in Category::ALL {
        let of_category = rules
            .iter()
            .filter(|rule| rule.categories.first() == Some(&category));
        let of_category: Vec<_> = of_category.collect();
        if of_category.is_empty() {
            continue;
        }
        if !std::mem::take(&mut first) {
            page.gap();
        }
        page.prose(
            0,
            &format!("{category}: "),
            palette.strong,
            category.about(),
        );
        for rule in of_category {
            page.prose(
                2,
                &format!("{}: ", rule.id),
                palette.level(rule.level),
                rule.summary,
            );
        }
    }
    page.finish()
}
