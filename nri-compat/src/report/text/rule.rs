//! The text of `explain`.

use anstyle::Style;

use super::layout::{Page, Palette};
use crate::rules::Rule;

/// Renders one rule of the catalogue.
pub fn rule(rule: &Rule, palette: Palette) -> String {
    let mut page = Page::new(palette);
    page.prose(
        0,
        &format!("{}: ", rule.id),
        palette.strong(),
        &rule.summary,
    );
    page.line("");
    page.prose(2, "", Style::new(), &rule.explanation);
    page.line("");
    let label = |name: &str| format!("{name:<12}");
    page.prose(2, &label("what to do"), palette.strong(), &rule.remedy);
    page.prose(
        2,
        &label("level"),
        palette.level(rule.level),
        rule.level.as_str(),
    );
    let categories = rule.categories.iter().map(|category| category.as_str());
    page.list(2, &label("categories"), palette.strong(), categories);
    if let Some(successor) = &rule.replaced_by {
        page.prose(2, &label("replaced by"), palette.strong(), successor);
    }
    page.finish()
}
