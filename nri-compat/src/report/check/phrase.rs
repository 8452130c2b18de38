//! Facts of a check report as short phrases, for every human-readable format.

use super::{CheckReport, CheckTarget, Inputs, Subject, Summary, Suppression, Verdict};
use crate::report::count::counted;
use crate::sighting::{Built, FileKind, Occurrences, Role};

impl Built {
    /// Returns `NRI v0.11.0`, `NRI v0.12.0 or newer`, or `NRI older than v0.12.0`; `None` if
    /// unknown.
    pub fn phrase(&self) -> Option<String> {
        let range = match (&self.at_least, &self.below) {
            (Some(low), Some(high)) => Some(format!("{low} or newer, older than {high}")),
            (Some(low), None) => Some(format!("{low} or newer")),
            (None, Some(high)) => Some(format!("older than {high}")),
            (None, None) => None,
        };
        match (&self.version, range) {
            (Some(version), _) => Some(format!("NRI {version}")),
            (None, Some(range)) => Some(format!("NRI {range}")),
            (None, None) => None,
        }
    }
}

impl Occurrences {
    /// Returns `seen 12 times, first … last …`.
    pub fn phrase(&self) -> String {
        let times = match self.count {
            1 => "once".to_owned(),
            count => format!("{count} times"),
        };
        match (&self.first, &self.last) {
            (Some(first), Some(last)) if first != last => {
                format!("seen {times}, from {first} to {last}")
            }
            (Some(at), _) | (None, Some(at)) => format!("seen {times}, at {at}"),
            (None, None) => format!("seen {times}"),
        }
    }
}

impl Suppression {
    /// Returns `suppressed by the baseline`, with the reason if there is one.
    pub fn phrase(&self) -> String {
        let by = if self.by_baseline {
            "baseline"
        } else {
            "policy"
        };
        match self.reason.as_str() {
            "" => format!("suppressed by the {by}"),
            reason => format!("suppressed by the {by}: {reason}"),
        }
    }
}

impl Verdict {
    /// Returns the dates and confidence: `since v0.12.0; planned removal: containerd 2.7;
    /// confidence: high`.
    pub fn facts(&self) -> String {
        let since = self.since.as_ref().map(|since| format!("since {since}"));
        let removal = self.planned_removal.as_ref();
        let removal = removal.map(|removal| format!("planned removal: {removal}"));
        let confidence = Some(format!("confidence: {}", self.confidence.as_str()));
        let facts: Vec<String> = [since, removal, confidence].into_iter().flatten().collect();
        facts.join("; ")
    }
}

impl Subject {
    /// Describes a subject other than a plugin: `runtime, go binary, NRI v0.12.2`.
    pub fn nature(&self) -> String {
        if let (Role::None, FileKind::Other | FileKind::Manifest, Some(why)) =
            (self.role, self.kind, self.evidence.first())
        {
            return why.detail.clone();
        }
        let built = self.nri.phrase();
        let role = match self.role.as_str() {
            "none" => None,
            role => Some(role.to_owned()),
        };
        let facts = [role, Some(self.kind.as_str().replace('_', " ")), built];
        let facts: Vec<String> = facts.into_iter().flatten().collect();
        facts.join(", ")
    }
}

impl CheckTarget {
    /// Returns the name with its NRI release and remarks: `containerd@2.4.2 (NRI v0.12.3)`.
    pub fn phrase(&self) -> String {
        match self.notes() {
            Some(notes) => format!("{} ({notes})", self.name),
            None => self.name.clone(),
        }
    }

    /// Returns the NRI release and remarks: `NRI v0.12.3`; `None` if the name is sufficient.
    pub fn notes(&self) -> Option<String> {
        let notes = [
            self.linked_phrase(),
            self.assumed_phrase(),
            self.given_phrase(),
            self.default_phrase(),
        ];
        let notes: Vec<String> = notes.into_iter().flatten().collect();
        (!notes.is_empty()).then(|| notes.join("; "))
    }

    fn linked_phrase(&self) -> Option<String> {
        let nri = self.nri.as_str();
        if self.planned {
            return Some(format!("planned; treated as NRI {nri}, the newest known"));
        }
        let repeats = self.name == format!("nri@{}", nri.trim_start_matches('v'));
        (!nri.is_empty() && !repeats).then(|| format!("NRI {nri}"))
    }

    fn assumed_phrase(&self) -> Option<String> {
        let assumed = self.assumed.as_ref()?;
        Some(format!("not in the tables, treated as {assumed}"))
    }

    fn given_phrase(&self) -> Option<String> {
        let given = self.given.as_ref()?;
        Some(format!(
            "from `{given}`; a distribution's build may link another NRI"
        ))
    }

    fn default_phrase(&self) -> Option<String> {
        let note = "newest known release; set with --target";
        self.by_default.then(|| note.to_owned())
    }
}

impl CheckReport {
    /// Returns the targets after a label, `target: nri@0.12.5 (…)`; `None` if there are none.
    pub fn targets_phrase(&self) -> Option<(&'static str, String)> {
        let targets: Vec<String> = self.targets.iter().map(CheckTarget::phrase).collect();
        let label = match targets.len() {
            0 => return None,
            1 => "target: ",
            _ => "targets: ",
        };
        Some((label, targets.join(", ")))
    }
}

impl Inputs {
    /// Returns the counts other than zero, in brackets.
    fn phrase(&self) -> String {
        let counts = self.named().into_iter().filter(|(_, count)| *count > 0);
        let counts = counts.map(|(name, count)| match name {
            "evidence" => format!("{count} with evidence"),
            "without_nri" => format!("{count} without NRI"),
            "empty" | "unreadable" => format!("{count} {name}"),
            name => {
                let name = name.replace('_', " ");
                counted(
                    usize::try_from(count).unwrap_or(usize::MAX),
                    name.trim_end_matches('s'),
                )
            }
        });
        let counts: Vec<String> = counts.collect();
        if counts.is_empty() {
            return String::new();
        }
        format!(" ({})", counts.join(", "))
    }
}

impl Summary {
    /// Returns the places that were checked. Usual places without a configuration are only counted;
    /// JSON lists them.
    fn places(&self) -> String {
        let mut places = self.looked_at.clone();
        let absent = self.without_configuration.len();
        if absent > 0 {
            places.push(format!(
                "{} without a configuration",
                counted(absent, "usual place")
            ));
        }
        places.join(", ")
    }

    /// Returns the places that were checked, the number of files in them, and the duration.
    pub fn phrase(&self) -> String {
        let places = if self.looked_at.is_empty() {
            "nothing".to_owned()
        } else {
            self.places()
        };
        let amount = |count: u64, noun| counted(usize::try_from(count).unwrap_or(usize::MAX), noun);
        let workloads = self.workloads.map_or_else(String::new, |count| {
            format!(
                ", {} examined, {}",
                amount(count.examined, "workload"),
                amount(count.candidates, "candidate")
            )
        });
        format!(
            "checked {places}: {}{}, {}{workloads}, {}, {} skipped, in {}{}",
            amount(self.files, "file"),
            self.inputs.phrase(),
            bytes(self.bytes),
            amount(self.plugins, "plugin"),
            self.skipped,
            seconds(self.millis),
            self.not_looked_for_phrase(),
        )
    }
}

/// Formats a number of bytes: `512 B`, `3.4 MiB`.
pub fn bytes(count: u64) -> String {
    let units = ["KiB", "MiB", "GiB", "TiB"];
    if count < 1024 {
        return format!("{count} B");
    }
    let mut amount = count as f64 / 1024.0;
    let mut unit = units[0];
    for larger in &units[1..] {
        if amount < 1023.95 {
            break;
        }
        amount /= 1024.0;
        unit = larger;
    }
    format!("{amount:.1} {unit}")
}

/// Formats a duration: `12 ms`, `3.4 s`.
fn seconds(millis: u64) -> String {
    match millis {
        0..1000 => format!("{millis} ms"),
        _ => format!("{}.{} s", millis / 1000, millis % 1000 / 100),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_a_fitting_unit() {
        assert_eq!(bytes(1023), "1023 B");
        assert_eq!(bytes(1024), "1.0 KiB");
        assert_eq!(bytes(1024 * 1024 - 1), "1.0 MiB");
        assert_eq!(bytes(u64::MAX), "16777216.0 TiB");
        assert_eq!(
            (seconds(999), seconds(61_250)),
            ("999 ms".into(), "61.2 s".into())
        );
    }

    #[test]
    fn counts_of_one_are_singular_and_zero_counts_are_left_out() {
        let inputs = Inputs {
            archives: 1,
            empty: 2,
            other_files: 3,
            ..Inputs::default()
        };
        assert_eq!(inputs.phrase(), " (3 other files, 2 empty, 1 archive)");
    }

    #[test]
    fn usual_places_without_a_configuration_are_counted() {
        let summary = Summary {
            looked_at: vec!["/opt/nri".into()],
            without_configuration: vec!["/a".into(), "/b".into()],
            ..Summary::default()
        };
        assert_eq!(
            summary.places(),
            "/opt/nri, 2 usual places without a configuration"
        );
    }

    #[test]
    fn a_target_shows_what_was_assumed() {
        let target = CheckTarget {
            name: "containerd@2.7".into(),
            nri: "v0.12.5".into(),
            planned: true,
            ..CheckTarget::default()
        };
        assert_eq!(
            target.phrase(),
            "containerd@2.7 (planned; treated as NRI v0.12.5, the newest known)"
        );
        let target = CheckTarget {
            name: "nri@0.12.5".into(),
            nri: "v0.12.5".into(),
            by_default: true,
            ..CheckTarget::default()
        };
        assert_eq!(
            target.phrase(),
            "nri@0.12.5 (newest known release; set with --target)"
        );
        let target = CheckTarget {
            name: "containerd@2.4.3".into(),
            given: Some("containerd://2.4.3+azure".into()),
            nri: "v0.12.3".into(),
            assumed: Some("2.4.2".into()),
            ..CheckTarget::default()
        };
        assert_eq!(
            target.phrase(),
            "containerd@2.4.3 (NRI v0.12.3; not in the tables, treated as 2.4.2; from \
                 `containerd://2.4.3+azure`; a distribution's build may link another NRI)"
        );
    }
}
