//! The configuration of NRI in the files of containerd and CRI-O.

use std::path::PathBuf;
use std::time::Duration;

use serde::{Deserialize, Deserializer, de};

use super::Builder;
use super::validate::DefaultValidator;

/// The settings of NRI, under the names that containerd and CRI-O have for them and with their
/// defaults. Needs the feature `serde`.
///
/// The table of containerd is `[plugins."io.containerd.nri.v1.nri"]`, and that of CRI-O is
/// `[crio.nri]`:
///
/// ```
/// use nri_adaptation::{Adaptation, Config};
///
/// let config: Config = toml::from_str(r#"
///     plugin_path = "/opt/nri/plugins"
///     plugin_request_timeout = "500ms"
///
///     [default_validator]
///     enable = true
///     required_plugins = ["topology"]
/// "#)?;
/// assert!(config.enabled);
/// assert_eq!(config.request_timeout.as_millis(), 500);
/// let builder = config.apply(Adaptation::builder("my-runtime", "v1.0.0"));
///
/// let config: Config = toml::from_str("enable_nri = false\nnri_listen = '/run/my/nri.sock'")?;
/// assert!(!config.enabled);
/// # drop(builder);
/// # Ok::<(), toml::de::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(from = "Table")]
#[non_exhaustive]
pub struct Config {
    /// False if the runtime should not start an adaptation at all.
    pub enabled: bool,
    /// The socket for plugins that connect on their own; `None` if they may not.
    pub socket: Option<PathBuf>,
    /// The directory of plugins to launch.
    pub plugin_dir: PathBuf,
    /// The directory with the configuration of launched plugins.
    pub config_dir: PathBuf,
    /// The time that a plugin may take to register.
    pub registration_timeout: Duration,
    /// The time that a plugin may take to answer a request.
    pub request_timeout: Duration,
    /// The default validator; `None` if it is off.
    pub validator: Option<DefaultValidator>,
}

impl Default for Config {
    fn default() -> Self {
        Table::default().into()
    }
}

impl Config {
    /// Applies the settings to a builder. Does not look at [`enabled`](Self::enabled).
    #[must_use]
    pub fn apply(self, builder: Builder) -> Builder {
        let mut builder = builder
            .plugin_dir(self.plugin_dir)
            .config_dir(self.config_dir)
            .registration_timeout(self.registration_timeout)
            .request_timeout(self.request_timeout);
        if let Some(socket) = self.socket {
            builder = builder.listen(socket);
        }
        match self.validator {
            Some(validator) => builder.validator(validator),
            None => builder,
        }
    }
}

/// The table as written. Each key has the name of containerd, and that of CRI-O as an alias.
#[derive(Deserialize)]
#[serde(default)]
struct Table {
    disable: bool,
    enable_nri: bool,
    #[serde(alias = "nri_disable_connections")]
    disable_connections: bool,
    #[serde(alias = "nri_listen")]
    socket_path: PathBuf,
    #[serde(alias = "nri_plugin_dir")]
    plugin_path: PathBuf,
    #[serde(alias = "nri_plugin_config_dir")]
    plugin_config_path: PathBuf,
    #[serde(alias = "nri_plugin_registration_timeout", deserialize_with = "duration")]
    plugin_registration_timeout: Duration,
    #[serde(alias = "nri_plugin_request_timeout", deserialize_with = "duration")]
    plugin_request_timeout: Duration,
    default_validator: Validator,
}

/// The table of the default validator. Each key has the name of containerd, and that of CRI-O as an
/// alias.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Validator {
    #[serde(alias = "nri_enable_default_validator")]
    enable: bool,
    #[serde(alias = "nri_validator_reject_oci_hook_adjustment")]
    reject_oci_hook_adjustment: bool,
    #[serde(alias = "nri_validator_reject_runtime_default_seccomp_adjustment")]
    reject_runtime_default_seccomp_adjustment: bool,
    #[serde(alias = "nri_validator_reject_unconfined_seccomp_adjustment")]
    reject_unconfined_seccomp_adjustment: bool,
    #[serde(alias = "nri_validator_reject_custom_seccomp_adjustment")]
    reject_custom_seccomp_adjustment: bool,
    #[serde(alias = "nri_validator_reject_namespace_adjustment")]
    reject_namespace_adjustment: bool,
    #[serde(alias = "nri_validator_reject_sysctl_adjustment")]
    reject_sysctl_adjustment: bool,
    #[serde(alias = "nri_validator_required_plugins")]
    required_plugins: Vec<String>,
    #[serde(alias = "nri_validator_tolerate_missing_plugins_annotation")]
    tolerate_missing_plugins_annotation: String,
}

impl Default for Table {
    /// Returns the defaults of
    /// [containerd](https://github.com/containerd/containerd/blob/v2.2.1/internal/nri/config.go)
    /// and [CRI-O](https://github.com/cri-o/cri-o/blob/v1.35.0/internal/config/nri/nri.go), which
    /// are the same.
    fn default() -> Self {
        Table {
            disable: false,
            enable_nri: true,
            disable_connections: false,
            socket_path: "/var/run/nri/nri.sock".into(),
            plugin_path: "/opt/nri/plugins".into(),
            plugin_config_path: "/etc/nri/conf.d".into(),
            plugin_registration_timeout: Duration::from_secs(5),
            plugin_request_timeout: Duration::from_secs(2),
            default_validator: Validator::default(),
        }
    }
}

impl From<Table> for Config {
    fn from(table: Table) -> Self {
        Config {
            enabled: table.enable_nri && !table.disable,
            socket: (!table.disable_connections).then_some(table.socket_path),
            plugin_dir: table.plugin_path,
            config_dir: table.plugin_config_path,
            registration_timeout: table.plugin_registration_timeout,
            request_timeout: table.plugin_request_timeout,
            validator: table.default_validator.enable.then(|| table.default_validator.into()),
        }
    }
}

impl From<Validator> for DefaultValidator {
    fn from(table: Validator) -> Self {
        DefaultValidator {
            reject_oci_hooks: table.reject_oci_hook_adjustment,
            reject_runtime_default_seccomp: table.reject_runtime_default_seccomp_adjustment,
            reject_unconfined_seccomp: table.reject_unconfined_seccomp_adjustment,
            reject_custom_seccomp: table.reject_custom_seccomp_adjustment,
            reject_namespaces: table.reject_namespace_adjustment,
            reject_sysctls: table.reject_sysctl_adjustment,
            required_plugins: table.required_plugins,
            tolerate_missing_annotation: table.tolerate_missing_plugins_annotation,
        }
    }
}

/// The units of Go's durations, with the longer ones of the same end first, and their nanoseconds.
const UNITS: [(&str, f64); 8] = [
    ("ns", 1.0),
    ("us", 1e3),
    ("\u{b5}s", 1e3),
    ("\u{3bc}s", 1e3),
    ("ms", 1e6),
    ("s", 1e9),
    ("m", 60e9),
    ("h", 3600e9),
];

/// Reads a duration as Go writes it, such as `5s` or `1m30s`.
fn duration<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Duration, D::Error> {
    let text = String::deserialize(deserializer)?;
    let expected = "a duration such as 5s or 1m30s";
    parse(&text).ok_or_else(|| de::Error::invalid_value(de::Unexpected::Str(&text), &expected))
}

fn parse(text: &str) -> Option<Duration> {
    let (mut rest, mut sum) = (text, Duration::ZERO);
    loop {
        let digits = rest.find(|c: char| !c.is_ascii_digit() && c != '.')?;
        let (number, after) = rest.split_at(digits);
        let length = after.find(|c: char| c.is_ascii_digit() || c == '.');
        let (unit, next) = after.split_at(length.unwrap_or(after.len()));
        let (_, nanoseconds) = UNITS.iter().find(|(name, _)| *name == unit)?;
        let count: f64 = number.parse().ok()?;
        let part = Duration::try_from_secs_f64(count * nanoseconds / 1e9).ok()?;
        sum = sum.checked_add(part)?;
        rest = next;
        if rest.is_empty() {
            return Some(sum);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn containerd_and_cri_o_write_the_same_settings() {
        let containerd: Config = toml::from_str(
            r#"
            disable = false
            disable_connections = true
            plugin_config_path = "/c"
            plugin_path = "/p"
            plugin_registration_timeout = "1m30s"
            plugin_request_timeout = "1.5s"
            socket_path = "/s"
            [default_validator]
            enable = true
            reject_oci_hook_adjustment = true
            reject_sysctl_adjustment = true
            required_plugins = ["10-a"]
            tolerate_missing_plugins_annotation = "key"
            "#,
        )
        .unwrap();
        let crio: Config = toml::from_str(
            r#"
            enable_nri = true
            nri_disable_connections = true
            nri_plugin_config_dir = "/c"
            nri_plugin_dir = "/p"
            nri_plugin_registration_timeout = "90s"
            nri_plugin_request_timeout = "1500ms"
            nri_listen = "/s"
            [default_validator]
            nri_enable_default_validator = true
            nri_validator_reject_oci_hook_adjustment = true
            nri_validator_reject_sysctl_adjustment = true
            nri_validator_required_plugins = ["10-a"]
            nri_validator_tolerate_missing_plugins_annotation = "key"
            "#,
        )
        .unwrap();
        assert_eq!(containerd, crio);
        let validator = crio.validator.unwrap();
        assert!(validator.reject_oci_hooks && validator.reject_sysctls);
        assert_eq!((crio.enabled, crio.socket), (true, None));
        assert_eq!(crio.registration_timeout, Duration::from_secs(90));
    }

    #[test]
    fn an_empty_table_has_the_defaults_of_runtimes() {
        let config: Config = toml::from_str("").unwrap();
        assert_eq!(config, Config::default());
        assert_eq!(config.socket, Some("/var/run/nri/nri.sock".into()));
        assert_eq!(config.validator, None);
    }

    #[test]
    fn a_duration_has_a_unit_and_a_limit() {
        for text in ["", "5", "s", "5x", "1s5", "-1s", "1e9s", "999999999999999999999h"] {
            assert_eq!(parse(text), None, "{text}");
        }
        assert_eq!(parse("1h1ns").unwrap(), Duration::new(3600, 1));
    }
}
