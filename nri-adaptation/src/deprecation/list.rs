//! Deprecations as a list, rendered the way `ctr deprecations list` does.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use nri::api::Event;

use super::{Deprecated, Deprecations, PluginId, make_room};

/// The id under which containerd lists plugins that use a deprecated interface.
const ID: &str = "io.containerd.deprecation/nri-plugin-interface";

/// Keeps every record and renders them as JSON or as a table. Clones share the list.
///
/// ```
/// use nri_adaptation::DeprecationList;
///
/// let list = DeprecationList::default();
/// // Adaptation::builder("my-runtime", "1.0").deprecations(list.clone())
/// assert_eq!(list.table(), "ID    LAST OCCURRENCE    MESSAGE\n");
/// assert_eq!(list.json(), "[]");
/// ```
#[derive(Clone, Debug, Default)]
pub struct DeprecationList(Arc<Mutex<Records>>);

type Records = HashMap<(PluginId, &'static str, Event), Deprecated>;

impl DeprecationList {
    /// Returns the records, by plugin, interface and event.
    pub fn records(&self) -> Vec<Deprecated> {
        let records = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut records: Vec<_> = records.values().cloned().collect();
        records.sort_by(|a, b| {
            let key = |record: &Deprecated| (record.plugin.clone(), record.interface, record.event);
            key(a).cmp(&key(b))
        });
        records
    }

    /// Renders the records as a JSON array.
    ///
    /// `id`, `message` and `lastOccurrence` are what `ctr deprecations list --format json` has; the other keys
    /// name the plugin and the event, which containerd does not.
    pub fn json(&self) -> String {
        let records: Vec<String> = self.records().iter().map(object).collect();
        format!("[{}]", records.join(","))
    }

    /// Renders the records as a table with the columns of `ctr deprecations list`.
    pub fn table(&self) -> String {
        let records = self.records();
        // All ids are the same, and all times have the same length.
        let last = records.iter().map(|it| rfc3339(it.last_occurrence));
        let last: Vec<String> = last.collect();
        let first = last.first().map_or(0, |_| ID.len());
        let second = last.first().map_or(0, String::len);
        let (id, time) = ("ID", "LAST OCCURRENCE");
        let mut table = format!("{id:first$}    {time:second$}    MESSAGE\n");
        for (record, time) in records.iter().zip(last) {
            // Writing to a string does not fail.
            let _ = writeln!(table, "{ID}    {time}    {}", message(record));
        }
        table
    }

    fn put(&self, record: &Deprecated) {
        let mut records = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let key = (record.plugin.clone(), record.interface, record.event);
        if !records.contains_key(&key) {
            make_room(&mut records);
        }
        records.insert(key, record.clone());
    }
}

impl Deprecations for DeprecationList {
    fn first_use(&self, record: &Deprecated) {
        self.put(record);
    }

    fn used_again(&self, record: &Deprecated) {
        self.put(record);
    }
}

fn message(record: &Deprecated) -> String {
    let Deprecated {
        plugin, details, ..
    } = record;
    let breaks = if record.breaks_on_reference {
        ", breaks on the reference runtime"
    } else {
        ""
    };
    format!("NRI plugin uses a deprecated interface. (plugin {plugin} {details}{breaks})")
}

fn object(record: &Deprecated) -> String {
    let event = record.event.as_str_name();
    let version = record.nri_version.as_deref();
    let members = [
        ("id", string(ID)),
        ("message", string(&message(record))),
        ("lastOccurrence", string(&rfc3339(record.last_occurrence))),
        ("firstOccurrence", string(&rfc3339(record.first_occurrence))),
        ("count", record.count.to_string()),
        ("plugin", string(&record.plugin.to_string())),
        ("index", string(&record.plugin.index)),
        ("interface", string(record.interface)),
        ("event", string(event)),
        ("details", string(&record.details)),
        ("nriVersion", version.map_or("null".to_owned(), string)),
        ("plannedRemoval", string(record.planned_removal)),
        ("breaksOnReference", record.breaks_on_reference.to_string()),
    ];
    let members = members.map(|(key, value)| format!("\"{key}\":{value}"));
    format!("{{{}}}", members.join(","))
}

/// Returns a JSON string.
fn string(text: &str) -> String {
    let mut json = String::with_capacity(text.len() + 2);
    json.push('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => json.extend(['\\', c]),
            // Writing to a string does not fail.
            c if c.is_control() => drop(write!(json, "\\u{:04x}", u32::from(c))),
            c => json.push(c),
        }
    }
    json.push('"');
    json
}

/// Formats a time in UTC with nanoseconds, such as `2026-03-18T20:15:04.861795837Z`.
///
/// Times before 1970 are shown as 1970.
fn rfc3339(time: SystemTime) -> String {
    let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    let (days, seconds) = (since.as_secs() / 86_400, since.as_secs() % 86_400);
    let (year, month, day) = civil(days);
    let (hour, minute, second) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    let nanos = since.subsec_nanos();
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{nanos:09}Z")
}

/// Returns year, month and day of a day counted from 1970-01-01, in the Gregorian calendar.
fn civil(days: u64) -> (u64, u64, u64) {
    // Years start in March here, so the leap day is the last one.
    let days = days + 719_468;
    let era = days / 146_097;
    let day_of_era = days % 146_097;
    let year_of_era =
        (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month + 2) / 5 + 1;
    let (month, carry) = if month < 10 {
        (month + 3, 0)
    } else {
        (month - 9, 1)
    };
    (era * 400 + year_of_era + carry, month, day)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn record(name: &str) -> Deprecated {
        Deprecated {
            plugin: PluginId {
                index: "10".to_owned(),
                name: name.to_owned(),
            },
            interface: "StateChange",
            event: Event::RunPodSandbox,
            instead: "RunPodSandbox",
            details: "does not implement a dedicated RunPodSandbox RPC call".to_owned(),
            nri_version: None,
            planned_removal: "containerd 2.7",
            breaks_on_reference: false,
            first_occurrence: UNIX_EPOCH,
            last_occurrence: UNIX_EPOCH + Duration::from_secs(1),
            count: 2,
        }
    }

    #[test]
    fn the_table_has_the_columns_of_ctr() {
        let list = DeprecationList::default();
        list.first_use(&record("old"));
        list.used_again(&record("old"));
        assert_eq!(
            list.table(),
            "ID                                                LAST OCCURRENCE                   MESSAGE\n\
             io.containerd.deprecation/nri-plugin-interface    1970-01-01T00:00:01.000000000Z    NRI plugin uses a \
             deprecated interface. (plugin 10-old does not implement a dedicated RunPodSandbox RPC call)\n"
        );
    }

    #[test]
    fn json_can_be_parsed_whatever_the_name() {
        let list = DeprecationList::default();
        list.first_use(&record("a\"\\\u{7}ä\n"));
        let parsed: serde_json::Value = serde_json::from_str(&list.json()).unwrap();
        assert_eq!(parsed[0]["plugin"], "10-a\"\\\u{7}ä\n");
        assert_eq!(
            parsed[0]["lastOccurrence"],
            "1970-01-01T00:00:01.000000000Z"
        );
        assert_eq!(parsed[0]["count"], 2);
        assert_eq!(parsed[0]["nriVersion"], serde_json::Value::Null);
    }

    #[test]
    fn known_days_are_found() {
        for (seconds, shown) in [
            (0, "1970-01-01T00:00:00.000000001Z"),
            (951_782_399, "2000-02-28T23:59:59.000000001Z"),
            (951_782_400, "2000-02-29T00:00:00.000000001Z"),
            (951_868_800, "2000-03-01T00:00:00.000000001Z"),
            (1_773_864_904, "2026-03-18T20:15:04.000000001Z"),
            (4_107_542_399, "2100-02-28T23:59:59.000000001Z"),
            (4_107_542_400, "2100-03-01T00:00:00.000000001Z"),
        ] {
            assert_eq!(rfc3339(UNIX_EPOCH + Duration::new(seconds, 1)), shown);
        }
    }
}
