//! Generated configurations of runtimes: settings for NRI, right and wrong.

use std::fmt::Write as _;

use fastrand::Rng;

/// A runtime whose configurations are generated.
#[derive(Clone, Copy, Debug)]
pub struct Spelling {
    /// The tables in which settings are put, the two that the runtime reads for NRI first.
    pub tables: &'static [&'static str],
    /// The names of settings for the main table, with values that differ from the defaults.
    pub settings: &'static [(&'static str, &'static [&'static str])],
    /// The names of settings for the table of the default validator.
    pub validator: &'static [(&'static str, &'static [&'static str])],
}

/// Truth values.
const TRUTH: &[&str] = &["true", "false"];

/// Durations as they are written in different ways.
const DURATIONS: &[&str] = &["'2s'", "'5s'", "'300s'", "'5m'", "'2000ms'", "'0.5s'"];

/// Lists of names.
const NAMES: &[&str] = &["['a']", "['b', '10-c']", "[]"];

/// Paths.
const PATHS: &[&str] = &["'/srv/nri'", "'/opt/nri/plugins'"];

/// The configuration of containerd.
pub const CONTAINERD: Spelling = Spelling {
    tables: &[
        "plugins.'io.containerd.nri.v1.nri'",
        "plugins.'io.containerd.nri.v1.nri'.default_validator",
        "plugins.'io.containerd.nri.v1.nri.default_validator'",
        "plugins.io.containerd.nri.v1.nri",
        "plugins.nri",
        "plugins.'io.containerd.grpc.v1.nri'",
        "plugins.'IO.containerd.nri.v1.nri'",
        "nri",
    ],
    settings: &[
        ("disable", TRUTH),
        ("disable_connections", TRUTH),
        ("plugin_path", PATHS),
        ("plugin_request_timeout", DURATIONS),
        ("plugin_registration_timeout", DURATIONS),
        ("plugin_pth", PATHS),
        ("enable", TRUTH),
        ("required_plugins", NAMES),
        ("enable_nri", TRUTH),
    ],
    validator: &[
        ("enable", TRUTH),
        ("required_plugins", NAMES),
        ("reject_oci_hook_adjustment", TRUTH),
        ("reject_sysctl_adjustment", TRUTH),
        ("reject_sysctls", TRUTH),
        ("disable", TRUTH),
    ],
};

/// The configuration of CRI-O.
pub const CRIO: Spelling = Spelling {
    tables: &[
        "crio.nri",
        "crio.nri.default_validator",
        "crio.'nri.default_validator'",
        "'crio.nri'",
        "crio.runtime",
        "nri",
    ],
    settings: &[
        ("enable_nri", &["false"]),
        ("nri_disable_connections", &["true"]),
        ("nri_plugin_dir", &["'/srv/nri'"]),
        ("nri_plugin_request_timeout", &["'300s'", "'1m30s'"]),
        ("nri_plugin_registration_timeout", &["'300s'"]),
        ("nri_config_file", PATHS),
        ("disable", &["true"]),
        ("nri_validator_required_plugins", &["['a']"]),
    ],
    validator: &[
        ("nri_enable_default_validator", &["true"]),
        ("nri_validator_required_plugins", &["['a']"]),
        ("nri_validator_reject_oci_hook_adjustment", &["true"]),
        ("required_plugins", &["['a']"]),
        ("nri_validator_reject_sysctl_adjustment", &["true"]),
    ],
};

impl Spelling {
    /// Returns a few tables with settings, each table and each setting at most once.
    #[must_use]
    pub fn tables(&self, rng: &mut Rng) -> String {
        let mut text = String::new();
        for table in self.tables {
            let is_own = *table == self.tables[0] || *table == self.tables[1];
            if rng.u8(..100) >= if is_own { 60 } else { 12 } {
                continue;
            }
            let known = if table.contains("validator") { self.validator } else { self.settings };
            let mut settings = String::new();
            for (key, values) in known {
                if rng.u8(..100) < 30 {
                    let value = values[rng.usize(..values.len())];
                    let _ = writeln!(settings, "{} = {value}", cased(key, rng));
                }
            }
            // A table without settings has nothing that could be ignored.
            if !settings.is_empty() {
                let _ = write!(text, "[{table}]\n{settings}");
            }
        }
        text
    }
}

/// Returns a name, sometimes in another case, which makes no difference to runtimes.
fn cased(key: &str, rng: &mut Rng) -> String {
    match rng.u8(..6) {
        0 => key.to_uppercase(),
        1 => key[..1].to_uppercase() + &key[1..],
        _ => key.to_owned(),
    }
}
