//! Reads what the command line of a runtime says about its configuration.

use std::path::Path;

use super::Nri;
use super::words::words;

/// The settings on a command line that decide which plugins a runtime starts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Named {
    /// The runtime's id in the tables.
    pub(super) runtime: &'static str,
    /// The configuration file; `None` for the default.
    pub(super) file: Option<String>,
    /// The folder of its drop-in files; `None` for the default.
    pub(super) drop_ins: Option<String>,
    /// The settings for NRI, which take precedence over those in files.
    pub(super) nri: Nri,
}

/// A program that is or includes a runtime.
struct Program {
    name: &'static str,
    runtime: &'static str,
    settings: &'static [Setting],
}

/// A setting, and the ways to make it.
struct Setting {
    kind: Kind,
    /// The names of options, without dashes.
    options: &'static [&'static str],
    /// The names of environment variables; options take precedence.
    variables: &'static [&'static str],
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// The configuration file.
    File,
    /// The data folder of a distribution that includes containerd.
    RancherData,
    /// The folder of drop-in files.
    DropIns,
    /// The plugin folder.
    PluginDir,
    /// The folder with the configuration of plugins.
    ConfigDir,
    /// Whether NRI is on: an option without a value.
    Enabled,
}

/// The path of containerd's configuration in the data folder of k3s and RKE2.
const RANCHER_CONFIG: &str = "agent/etc/containerd/config.toml";

/// Known programs. Sources: `containerd --help`,
/// [crio(8)](https://github.com/cri-o/cri-o/blob/main/docs/crio.8.md), `k3s agent --help`,
/// `rke2 agent --help`.
const PROGRAMS: &[Program] = &[
    Program {
        name: "containerd",
        runtime: "containerd",
        settings: &[Setting {
            kind: Kind::File,
            options: &["config", "c"],
            variables: &[],
        }],
    },
    Program {
        name: "crio",
        runtime: "cri-o",
        settings: &[
            Setting {
                kind: Kind::File,
                options: &["config", "c"],
                variables: &["CONTAINER_CONFIG"],
            },
            Setting {
                kind: Kind::DropIns,
                options: &["config-dir", "d"],
                variables: &["CONTAINER_CONFIG_DIR"],
            },
            Setting {
                kind: Kind::PluginDir,
                options: &["nri-plugin-dir"],
                variables: &[],
            },
            Setting {
                kind: Kind::ConfigDir,
                options: &["nri-plugin-config-dir"],
                variables: &[],
            },
            Setting {
                kind: Kind::Enabled,
                options: &["enable-nri"],
                variables: &[],
            },
        ],
    },
    Program {
        name: "k3s",
        runtime: "containerd",
        settings: &[Setting {
            kind: Kind::RancherData,
            options: &["data-dir", "d"],
            variables: &["K3S_DATA_DIR"],
        }],
    },
    Program {
        name: "rke2",
        runtime: "containerd",
        settings: &[Setting {
            kind: Kind::RancherData,
            options: &["data-dir", "d"],
            variables: &["RKE2_DATA_DIR"],
        }],
    },
];

/// Returns the settings of a command line with these environment variables; `None` if it is not
/// that of a runtime, or leaves all defaults.
pub(super) fn named(all: &[String], environment: &[(String, String)]) -> Option<Named> {
    program(all, environment).or_else(|| {
        // A line for a shell is one word: `sh -c "exec containerd --config X"`.
        let mut lines = all.iter().filter(|word| word.contains(' '));
        lines.find_map(|line| program(&words(line), environment))
    })
}

fn program(all: &[String], environment: &[(String, String)]) -> Option<Named> {
    // The program may be preceded by a tool such as `env` or `nice`.
    let (at, program) = all.iter().enumerate().find_map(|(at, word)| {
        let name = Path::new(word).file_name()?.to_str()?;
        let known = PROGRAMS.iter().find(|program| program.name == name)?;
        Some((at, known))
    })?;
    let options = all.get(at + 1..).unwrap_or_default();
    let mut named = Named::new(program.runtime);
    for setting in program.settings {
        let value = option(options, setting).or_else(|| variable(setting, environment));
        if let Some(value) = value {
            named.set(setting.kind, value);
        }
    }
    (named != Named::new(program.runtime)).then_some(named)
}

impl Named {
    fn new(runtime: &'static str) -> Self {
        Self {
            runtime,
            file: None,
            drop_ins: None,
            nri: Nri::default(),
        }
    }

    /// Returns the settings of k3s or RKE2 with this data folder.
    pub(super) fn rancher(data: &str) -> Self {
        let file = format!("{}/{RANCHER_CONFIG}", data.trim_end_matches('/'));
        Self {
            file: Some(file),
            ..Self::new("containerd")
        }
    }

    fn set(&mut self, kind: Kind, value: String) {
        match kind {
            Kind::File => self.file = Some(value),
            Kind::RancherData => *self = Self::rancher(&value),
            Kind::DropIns => self.drop_ins = Some(value),
            Kind::PluginDir => self.nri.plugin_dir = Some(value),
            Kind::ConfigDir => self.nri.config_dir = Some(value),
            Kind::Enabled => self.nri.enabled = flag(&value),
        }
    }

    /// Reports whether it has settings other than the file.
    pub(super) fn has_more(&self) -> bool {
        self.drop_ins.is_some() || self.nri != Nri::default()
    }

    /// Returns all its paths.
    pub(super) fn paths(&mut self) -> impl Iterator<Item = &mut String> {
        [
            &mut self.file,
            &mut self.drop_ins,
            &mut self.nri.plugin_dir,
            &mut self.nri.config_dir,
        ]
        .into_iter()
        .flatten()
    }
}

/// Returns the value of the last option for a setting. As in Go's `flag` package, options have one
/// dash or two, and their value follows as a word or after `=`.
fn option(words: &[String], setting: &Setting) -> Option<String> {
    let mut words = words.iter();
    let mut value = None;
    while let Some(word) = words.next() {
        let (name, own) = match word.split_once('=') {
            Some((name, own)) => (name, Some(own)),
            None => (word.as_str(), None),
        };
        let Some(name) = name.strip_prefix("--").or_else(|| name.strip_prefix('-')) else {
            continue;
        };
        if setting.options.contains(&name) {
            value = match own {
                Some(own) => non_empty(own),
                None if setting.kind == Kind::Enabled => Some("true".to_owned()),
                None => words.next().cloned(),
            };
        }
    }
    value
}

fn non_empty(value: &str) -> Option<String> {
    (!value.is_empty()).then(|| value.to_owned())
}

/// Returns a truth value as Go's `strconv.ParseBool` reads it.
fn flag(value: &str) -> Option<bool> {
    match value {
        "1" | "t" | "T" | "true" | "TRUE" | "True" => Some(true),
        "0" | "f" | "F" | "false" | "FALSE" | "False" => Some(false),
        _ => None,
    }
}

fn variable(setting: &Setting, environment: &[(String, String)]) -> Option<String> {
    let named = |(name, _): &&(String, String)| setting.variables.contains(&name.as_str());
    let (_, value) = environment.iter().rfind(named)?;
    non_empty(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str, environment: &[(&str, &str)]) -> Option<Named> {
        let owned = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
        let environment: Vec<_> = environment.iter().map(owned).collect();
        named(&words(line), &environment)
    }

    #[test]
    fn options_name_the_configuration_in_every_spelling() {
        for (line, expected) in [
            ("/usr/bin/containerd --config /a.toml", Some("/a.toml")),
            (
                "containerd --config=/a.toml --log-level debug",
                Some("/a.toml"),
            ),
            ("containerd -c /a.toml", Some("/a.toml")),
            ("containerd -c=/a.toml", Some("/a.toml")),
            ("containerd -config /a.toml", Some("/a.toml")),
            ("containerd -config=/a.toml", Some("/a.toml")),
            ("nice -n 5 /opt/bin/containerd -c /a.toml", Some("/a.toml")),
            (
                "sh -c \"exec containerd -c '/a b.toml'\"",
                Some("/a b.toml"),
            ),
            (
                "containerd --config /a.toml --config /b.toml",
                Some("/b.toml"),
            ),
            ("/usr/bin/crio --config /c.conf", Some("/c.conf")),
            (
                "/usr/local/bin/k3s server -d /data",
                Some("/data/agent/etc/containerd/config.toml"),
            ),
            (
                "rke2 agent --data-dir=/d/",
                Some("/d/agent/etc/containerd/config.toml"),
            ),
            ("containerd", None),
            ("containerd --config", None),
            ("containerd --config= --log-level debug", None),
            ("containerd --configuration /a.toml", None),
            ("containerd-shim --config /a.toml", None),
            ("dockerd --config /a.toml", None),
            ("", None),
        ] {
            let file = read(line, &[]).and_then(|named| named.file);
            assert_eq!(file.as_deref(), expected, "{line}");
        }
    }

    #[test]
    fn cri_o_takes_settings_for_nri_from_its_command_line() {
        let line =
            "crio -d /drop --nri-plugin-dir /p --nri-plugin-config-dir=/c --enable-nri=false";
        let named = read(line, &[("CONTAINER_CONFIG_DIR", "/other")]).unwrap();
        assert_eq!(
            (named.file, named.drop_ins),
            (None, Some("/drop".to_owned()))
        );
        let nri = Nri {
            plugin_dir: Some("/p".to_owned()),
            config_dir: Some("/c".to_owned()),
            enabled: Some(false),
        };
        assert_eq!(named.nri, nri);
        let named = read("crio --enable-nri --log debug", &[]).unwrap();
        assert_eq!((named.nri.enabled, named.file), (Some(true), None));
        let environment = [
            ("CONTAINER_CONFIG", "/e.conf"),
            ("CONTAINER_CONFIG_DIR", "/d"),
        ];
        let named = read("crio", &environment).unwrap();
        assert_eq!(named.runtime, "cri-o");
        assert_eq!(named.file.as_deref(), Some("/e.conf"));
        assert_eq!(named.drop_ins.as_deref(), Some("/d"));
    }
}
