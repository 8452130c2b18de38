//! The Markdown report of `replay`.

use nri_conformance::record::Replayed;

use super::{code, prose};
use crate::report::count::counted;
use crate::report::visible;

/// Renders the answer of `replay` as Markdown.
pub fn replay(replayed: &Replayed) -> String {
    let mut text = format!(
        "### Replay of {} to {}\n\n",
        code(&visible(&replayed.recorded_plugin)),
        code(&visible(&replayed.plugin))
    );
    let count = |number: u64, noun| counted(usize::try_from(number).unwrap_or(usize::MAX), noun);
    let differences = replayed.differences.len() as u64 + replayed.more_differences;
    text.push_str(&format!(
        "{}, {} compared, {}\n",
        count(replayed.requests, "request"),
        count(replayed.compared, "answer"),
        count(differences, "difference")
    ));
    for difference in &replayed.differences {
        let line = prose(&visible(&difference.to_string()));
        text.push_str(&format!("\n- {line}"));
    }
    if replayed.more_differences > 0 {
        text.push_str(&format!("\n- and {} more", replayed.more_differences));
    }
    if differences > 0 {
        text.push('\n');
    }
    text
}
