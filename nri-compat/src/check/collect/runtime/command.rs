//! Finds the configuration that the command line of a runtime names.

use std::path::Path;

/// A configuration named on a command line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Named {
    /// The runtime's id in the tables.
    pub(super) runtime: &'static str,
    /// The file, as named there.
    pub(super) file: String,
}

/// A program, and the ways to name the configuration of its runtime.
struct Program {
    name: &'static str,
    runtime: &'static str,
    /// Options whose value is the configuration.
    options: &'static [&'static str],
    /// Environment variables whose value is the configuration.
    variables: &'static [&'static str],
    /// A suffix for the value: distributions name a data folder.
    below: &'static str,
}

/// Programs that are or include runtimes.
const PROGRAMS: &[Program] = &[
    Program {
        name: "containerd",
        runtime: "containerd",
        options: &["--config", "-c"],
        variables: &[],
        below: "",
    },
    Program {
        name: "crio",
        runtime: "cri-o",
        options: &["--config", "-c"],
        variables: &["CONTAINER_CONFIG"],
        below: "",
    },
    Program {
        name: "k3s",
        runtime: "containerd",
        options: &["--data-dir", "-d"],
        variables: &["K3S_DATA_DIR"],
        below: "agent/etc/containerd/config.toml",
    },
    Program {
        name: "rke2",
        runtime: "containerd",
        options: &["--data-dir", "-d"],
        variables: &["RKE2_DATA_DIR"],
        below: "agent/etc/containerd/config.toml",
    },
];

/// Returns the configuration that a command line with these environment variables names; `None` if
/// it is not that of a runtime, or names none.
pub(super) fn named(words: &[String], environment: &[(String, String)]) -> Option<Named> {
    // The program may be preceded by a tool such as `env` or `nice`.
    let (at, program) = words.iter().enumerate().find_map(|(at, word)| {
        let name = Path::new(word).file_name()?.to_str()?;
        let known = PROGRAMS.iter().find(|program| program.name == name)?;
        Some((at, known))
    })?;
    let options = words.iter().skip(at + 1);
    let value = option(options, program.options).or_else(|| variable(program, environment))?;
    let file = match program.below {
        "" => value,
        below => format!("{}/{below}", value.trim_end_matches('/')),
    };
    Some(Named {
        runtime: program.runtime,
        file,
    })
}

/// Returns the value of the last of these options: `--config X`, `--config=X`, `-c X`, `-cX`, `-c=X`.
fn option<'w>(words: impl Iterator<Item = &'w String>, names: &[&str]) -> Option<String> {
    let mut words = words.peekable();
    let mut value = None;
    while let Some(word) = words.next() {
        let Some(rest) = names.iter().find_map(|name| rest(word, name)) else {
            continue;
        };
        let own = rest.strip_prefix('=').unwrap_or(rest);
        if !own.is_empty() {
            value = Some(own.to_owned());
        } else if let Some(next) = words.peek() {
            value = Some((*next).clone());
        }
    }
    value
}

/// Returns the part of a word after the name of an option.
fn rest<'w>(word: &'w str, name: &str) -> Option<&'w str> {
    let rest = word.strip_prefix(name)?;
    let is_long = name.starts_with("--");
    (!is_long || rest.is_empty() || rest.starts_with('=')).then_some(rest)
}

fn variable(program: &Program, environment: &[(String, String)]) -> Option<String> {
    let named = |(name, _): &&(String, String)| program.variables.contains(&name.as_str());
    environment
        .iter()
        .rfind(named)
        .map(|(_, value)| value.clone())
}

#[cfg(test)]
mod tests {
    use super::*;

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
            ("containerd -c/a.toml", Some("/a.toml")),
            ("nice -n 5 /opt/bin/containerd -c /a.toml", Some("/a.toml")),
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
            ("containerd --configuration /a.toml", None),
            ("containerd-shim --config /a.toml", None),
            ("dockerd --config /a.toml", None),
            ("", None),
        ] {
            let words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
            let file = named(&words, &[]).map(|named| named.file);
            assert_eq!(file.as_deref(), expected, "{line}");
        }
        let environment = [("CONTAINER_CONFIG".to_owned(), "/e.conf".to_owned())];
        let named = named(&["crio".to_owned()], &environment).unwrap();
        assert_eq!((named.runtime, named.file.as_str()), ("cri-o", "/e.conf"));
    }
}
