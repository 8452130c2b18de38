//! The text report of `replay`.

use anstyle::Style;
use nri_conformance::record::Replayed;

use super::layout::Page;
use super::width::Look;
use crate::report::count::counted;
use crate::report::finding::Level;
use crate::report::visible;

/// Renders the answer of `replay` as text.
pub fn replay(replayed: &Replayed, look: impl Into<Look>) -> String {
    let mut page = Page::new(look.into());
    let error = page.palette.level(Level::Error);
    for difference in &replayed.differences {
        let text = visible(&difference.to_string());
        page.prose(0, "differs: ", error, &text);
    }
    if replayed.more_differences > 0 {
        let more = format!("and {} more", replayed.more_differences);
        page.line(0, "", Style::new(), &more);
    }
    if replayed.redacted && !replayed.is_same() {
        let text = "the recording is redacted: the plugin got `<redacted>` for values of variables and \
                    annotations, and may answer differently because of it; to compare such answers, \
                    record with --no-redact";
        page.prose(0, "note: ", page.palette.level(Level::Note), text);
    }
    page.gap();
    let plugins = format!(
        "recorded {}, replayed to {}",
        visible(&replayed.recorded_plugin),
        visible(&replayed.plugin)
    );
    page.prose(0, "", Style::new(), &plugins);
    page.prose(0, "", Style::new(), &summary(replayed));
    page.finish()
}

fn summary(replayed: &Replayed) -> String {
    let count = |number: u64, noun| counted(usize::try_from(number).unwrap_or(usize::MAX), noun);
    let differences = replayed.differences.len() as u64 + replayed.more_differences;
    let mut facts = vec![
        count(replayed.requests, "request"),
        format!("{} compared", count(replayed.compared, "answer")),
        count(differences, "difference"),
    ];
    for (number, reason) in skipped(replayed) {
        facts.push(format!("{number} {reason}"));
    }
    let seconds = replayed.elapsed.as_secs_f64();
    format!("{}; took {seconds:.3} s", facts.join(", "))
}

/// Returns the number of requests that were not sent for each reason, without zeros.
fn skipped(replayed: &Replayed) -> Vec<(u64, &'static str)> {
    let skipped = replayed.skipped;
    let all = [
        (skipped.unsubscribed, "not subscribed to"),
        (skipped.repeated, "repeated as StateChange"),
        (skipped.withheld, "withheld from the recording"),
        (skipped.after_end, "after the end of the plugin"),
    ];
    all.into_iter().filter(|(number, _)| *number > 0).collect()
}
