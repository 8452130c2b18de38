//! The [OpenMetrics](https://prometheus.io/docs/specs/om/open_metrics_spec/) text format.

use std::fmt::{self, Display, Write as _};
use std::time::Duration;

use super::Latency;

/// The labels of a sample: names and values.
type Labels<'l> = [(&'l str, &'l str)];

/// Metrics as text, one family after another.
#[derive(Debug, Default)]
pub struct Exposition(String);

impl Exposition {
    /// Starts a family. `kind` is `counter`, `gauge` or `histogram`.
    pub fn family(&mut self, name: &str, kind: &str, help: &str) {
        self.line(format_args!("# TYPE {name} {kind}"));
        if name.ends_with("_seconds") {
            self.line(format_args!("# UNIT {name} seconds"));
        }
        self.line(format_args!("# HELP {name} {help}"));
    }

    /// Adds a sample. The name of a counter ends with `_total` here.
    pub fn sample(&mut self, name: &str, labels: &Labels<'_>, value: impl Display) {
        self.line(format_args!("{name}{} {value}", Braces(labels)));
    }

    /// Adds the samples of a histogram in seconds.
    pub fn histogram(&mut self, name: &str, labels: &Labels<'_>, latency: &Latency) {
        let bucket = format!("{name}_bucket");
        let bounds = latency.buckets().map(|(bound, count)| (Seconds(bound).to_string(), count));
        for (bound, count) in bounds.chain([("+Inf".to_owned(), latency.count())]) {
            let with_bound = [labels, &[("le", bound.as_str())]].concat();
            self.sample(&bucket, &with_bound, count);
        }
        self.sample(&format!("{name}_sum"), labels, Seconds(latency.sum()));
        self.sample(&format!("{name}_count"), labels, latency.count());
    }

    /// Returns the text with its end.
    pub fn finish(mut self) -> String {
        self.line(format_args!("# EOF"));
        self.0
    }

    fn line(&mut self, content: fmt::Arguments<'_>) {
        // Writing to a string does not fail.
        let _ = writeln!(self.0, "{content}");
    }
}

/// Shows labels in braces, with escaped values; nothing without labels.
struct Braces<'l>(&'l Labels<'l>);

impl Display for Braces<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, (name, value)) in self.0.iter().enumerate() {
            let value = value.replace('\\', "\\\\").replace('"', "\\\"");
            let before = if at == 0 { '{' } else { ',' };
            write!(f, "{before}{name}=\"{}\"", value.replace('\n', "\\n"))?;
        }
        f.write_str(if self.0.is_empty() { "" } else { "}" })
    }
}

/// A duration in seconds, exact and without an exponent, with at least one digit after the point.
struct Seconds(Duration);

impl Display for Seconds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let nanos = format!("{:09}", self.0.subsec_nanos());
        let digits = match nanos.trim_end_matches('0') {
            "" => "0",
            digits => digits,
        };
        write!(f, "{}.{digits}", self.0.as_secs())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_are_exact() {
        for (duration, text) in [
            (Duration::ZERO, "0.0"),
            (Duration::from_micros(16), "0.000016"),
            (Duration::from_nanos(16_777_216_000), "16.777216"),
        ] {
            assert_eq!(Seconds(duration).to_string(), text);
        }
    }

    #[test]
    fn values_of_labels_are_escaped() {
        let mut text = Exposition::default();
        text.sample("a", &[("b", "\"\\\n"), ("c", "")], 1);
        assert_eq!(text.finish(), "a{b=\"\\\"\\\\\\n\",c=\"\"} 1\n# EOF\n");
    }
}
