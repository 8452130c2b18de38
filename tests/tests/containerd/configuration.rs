//! `nri-compat check` on configurations of runtimes, compared with the configuration that real
//! containerd and CRI-O have after they read the same files.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use fastrand::Rng;
use nri_compat::check::collect::{Collected, Request, collect};
use nri_compat::check::evidence::READERS;
use nri_compat::runtime_release::RuntimeRelease;
use nri_compat::sighting::Incident;
use nri_tests::configuration::{CONTAINERD, CRIO};
use nri_tests::peers;
use tempfile::TempDir;
use toml::{Table, Value};

/// The releases of containerd, and the newest version of the format of their configurations.
const RELEASES: [(&str, u8); 2] = [("v2.2.9", 3), ("v2.4.2", 4)];

/// The release of CRI-O.
const CRIO_RELEASE: &str = "1.36.2";

/// The number of configurations that are generated for each release.
const CASES: u64 = 60;

/// The id of NRI's plugin.
const NRI: &str = "io.containerd.nri.v1.nri";

/// The findings of `check` about a configuration.
struct Findings {
    /// The line about NRI: on or off.
    line: String,
    incidents: Vec<Incident>,
}

impl Findings {
    fn of(file: &Path, runtime: &str, release: &str) -> Self {
        let version = release.trim_start_matches('v').parse().expect("it is a version");
        let request = Request {
            paths: vec![file.to_owned()],
            releases: vec![RuntimeRelease { runtime: runtime.to_owned(), version }],
            ..Request::default()
        };
        let Collected { sightings, summary, skipped, .. } = collect(&request, READERS);
        let broken: Vec<_> =
            skipped.iter().filter(|one| one.reason.contains("not valid")).collect();
        assert!(broken.is_empty(), "{broken:?}");
        let incidents = sightings
            .into_iter()
            .flat_map(|seen| seen.incidents)
            .filter(|one| one.rule.starts_with("CONFIG_"))
            .collect();
        Self { line: summary.looked_at[0].clone(), incidents }
    }

    /// Returns the settings of the findings with these ids, in lower case.
    fn settings(&self, rules: &[&str]) -> BTreeSet<String> {
        let found = self.incidents.iter().filter(|one| rules.contains(&one.rule));
        found.filter_map(|one| one.setting.as_ref()).map(|name| name.to_lowercase()).collect()
    }

    fn has(&self, rule: &str) -> bool {
        self.incidents.iter().any(|one| one.rule == rule)
    }

    /// Returns true if NRI is on.
    fn is_on(&self) -> bool {
        let (on, off) = (self.line.contains("NRI is on"), self.line.contains("NRI is off"));
        assert!(on != off, "{}", self.line);
        on
    }
}

/// The configuration that a runtime has.
struct Dump {
    tables: Table,
    log: String,
}

fn run(command: &mut Command) -> Output {
    let output = command.output().expect("it starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    output
}

fn containerd(release: &str, arguments: &[&str]) -> Dump {
    let output = run(Command::new(peers::containerd(release).join("containerd")).args(arguments));
    let text = String::from_utf8(output.stdout).expect("it is UTF-8");
    Dump {
        tables: toml::from_str(&text).expect("it is TOML"),
        log: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

#[test]
fn the_defaults_of_runtimes_give_no_finding() {
    let folder = tempfile::tempdir().expect("a folder");
    for (release, _) in RELEASES {
        let file = folder.path().join("config.toml");
        let program = peers::containerd(release).join("containerd");
        let printed = run(Command::new(program).args(["config", "default"])).stdout;
        fs::write(&file, printed).expect("it is written");
        let findings = Findings::of(&file, "containerd", release);
        assert_eq!(findings.incidents, [], "{release}");
        assert!(findings.is_on());
    }
    let file = folder.path().join("crio.conf");
    fs::write(&file, "").expect("it is written");
    fs::write(&file, crio_prints(&file)).expect("it is written");
    let findings = Findings::of(&file, "cri-o", CRIO_RELEASE);
    assert_eq!(findings.incidents, []);
    assert!(findings.is_on());
}

#[test]
fn what_containerd_ignores_is_named_and_nothing_else() {
    for (release, format) in RELEASES {
        let defaults = plugin_ids(&containerd(release, &["config", "default"]).tables);
        let mut rng = Rng::with_seed(7);
        let mut ignored = 0;
        for case in 0..CASES {
            let (folder, file, text) = generated(&mut rng, format);
            let dump = containerd(release, &["-c", file.to_str().expect("text"), "config", "dump"]);
            let findings = Findings::of(&file, "containerd", release);
            let context = format!("{release}, case {case}:\n{text}\n{}", dump.log);
            let keys = findings.settings(&["CONFIG_KEY_UNKNOWN", "CONFIG_KEY_OF_OTHER_RELEASE"]);
            // containerd does not read the settings of a plugin that it does not start.
            if !text.contains("disabled_plugins") {
                assert_eq!(keys, ignored_keys(&dump.log), "{context}");
            }
            let tables = findings.settings(&["CONFIG_TABLE_QUOTING", "CONFIG_TABLE_UNKNOWN"]);
            assert_eq!(tables, ignored_tables(&dump, &defaults), "{context}");
            compare_effective(&findings, &dump.tables, &context);
            ignored += keys.len() + tables.len();
            drop(folder);
        }
        assert!(ignored > 40, "only {ignored} were ignored");
    }
}

/// Writes a configuration and up to two files that it imports; returns also their text.
fn generated(rng: &mut Rng, format: u8) -> (TempDir, PathBuf, String) {
    let folder = tempfile::tempdir().expect("a folder");
    let imported = folder.path().join("imported");
    fs::create_dir(&imported).expect("it is created");
    let mut all = String::new();
    for number in 0..rng.u8(..3) {
        let text = format!("version = 2\n{}", CONTAINERD.tables(rng));
        fs::write(imported.join(format!("{number}.toml")), &text).expect("it is written");
        all = format!("{all}# {number}.toml\n{text}");
    }
    let version = rng.u8(2..=format);
    let imports = format!("imports = ['{}/*.toml']", imported.display());
    let disabled =
        if rng.u8(..10) == 0 { format!("disabled_plugins = ['{NRI}']\n") } else { String::new() };
    let text = format!("version = {version}\n{imports}\n{disabled}{}", CONTAINERD.tables(rng));
    let file = folder.path().join("config.toml");
    fs::write(&file, &text).expect("it is written");
    (folder, file, format!("{text}{all}"))
}

fn plugin_ids(tables: &Table) -> BTreeSet<String> {
    let plugins = tables["plugins"].as_table().expect("plugins are a table");
    plugins.keys().cloned().collect()
}

/// Returns the settings of NRI's plugin that containerd warns about, as `check` names them.
fn ignored_keys(log: &str) -> BTreeSet<String> {
    let lines = log.lines().filter(|line| line.contains(&format!("plugin={NRI}")));
    let keys = lines.filter_map(|line| {
        let (_, after) = line.split_once(" key=")?;
        let (key, _) = after.split_once(" plugin=")?;
        let path = key.trim_matches('"').replace(' ', ".");
        Some(format!("plugins.\"{NRI}\".{path}").to_lowercase())
    });
    keys.collect()
}

/// Returns the tables that are those of no plugin and have NRI in their names, as `check` names
/// them.
fn ignored_tables(dump: &Dump, defaults: &BTreeSet<String>) -> BTreeSet<String> {
    let ids = plugin_ids(&dump.tables).into_iter().filter(|id| !defaults.contains(id));
    let names = ids.map(|id| match id.as_str() {
        "io" => format!("plugins.{NRI}"),
        "nri" => "plugins.nri".to_owned(),
        _ => format!("plugins.\"{id}\"").to_lowercase(),
    });
    let top = dump
        .log
        .lines()
        .filter(|line| line.contains("unknown key in TOML\"") && line.contains(" key=nri "));
    names.chain(top.map(|_| "nri".to_owned())).collect()
}

fn compare_effective(findings: &Findings, tables: &Table, context: &str) {
    let disabled = tables["disabled_plugins"].as_array().expect("it is a list");
    // Of a plugin that it does not start, it has only the settings of the files.
    let nri = tables["plugins"].get(NRI).and_then(Value::as_table);
    let is_off = disabled.contains(&NRI.into())
        || nri.is_some_and(|nri| nri["disable"] == Value::Boolean(true));
    assert_eq!(findings.is_on(), !is_off, "{context}");
    assert_eq!(findings.has("CONFIG_NRI_OFF"), is_off, "{context}");
    let (Some(nri), false) = (nri, is_off) else {
        return;
    };
    let validator = &nri["default_validator"];
    let is_validating = validator["enable"] == Value::Boolean(true);
    let required = validator["required_plugins"].as_array().expect("it is a list");
    let missing =
        findings.incidents.iter().filter(|one| one.rule == "CONFIG_REQUIRED_PLUGIN_MISSING");
    let expected = if is_validating { required.len() } else { 0 };
    assert_eq!(missing.count(), expected, "{context}");
    let is_unused =
        !is_validating && validator.as_table().expect("it is a table").values().any(has_effect);
    assert_eq!(findings.has("CONFIG_VALIDATOR_OFF"), is_unused, "{context}");
    let differs = |key: &str, default: &str| nri[key].as_str() != Some(default);
    for (rule, is_expected) in [
        ("CONFIG_CONNECTIONS_DISABLED", nri["disable_connections"] == Value::Boolean(true)),
        (
            "CONFIG_TIME_LIMIT",
            differs("plugin_request_timeout", "2s") || differs("plugin_registration_timeout", "5s"),
        ),
        ("CONFIG_FOLDER_MISSING", differs("plugin_path", "/opt/nri/plugins")),
    ] {
        assert_eq!(findings.has(rule), is_expected, "{rule}: {context}");
    }
}

#[test]
fn what_cri_o_ignores_is_named_and_nothing_else() {
    let mut rng = Rng::with_seed(11);
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("crio.conf");
    fs::write(&file, "").expect("it is written");
    let defaults = crio_settings(&file);
    let (mut kept, mut ignored) = (0, 0);
    for case in 0..CASES / 2 {
        let text = CRIO.tables(&mut rng);
        // Without a table of its own, it is not recognised as a file of CRI-O's.
        fs::write(&file, format!("{text}[crio.image]\n")).expect("it is written");
        let effective = crio_settings(&file);
        let findings = Findings::of(&file, "cri-o", CRIO_RELEASE);
        let changed: BTreeSet<String> = effective
            .iter()
            .filter(|(key, value)| defaults.get(*key) != Some(*value))
            .map(|(key, _)| key.clone())
            .collect();
        let named = findings.settings(&["CONFIG_KEY_UNKNOWN", "CONFIG_KEY_OF_OTHER_RELEASE"]);
        let tables = findings.settings(&["CONFIG_TABLE_QUOTING", "CONFIG_TABLE_UNKNOWN"]);
        let read = unnamed(&text, &named, &tables);
        assert_eq!(read, changed, "case {case}:\n{text}\n{:#?}", findings.incidents);
        (kept, ignored) = (kept + read.len(), ignored + named.len() + tables.len());
    }
    assert!(kept > 20 && ignored > 20, "{kept} were read, {ignored} ignored");
}

/// Returns the names of the settings that no finding names, in lower case. All their values differ
/// from the defaults.
fn unnamed(text: &str, named: &BTreeSet<String>, tables: &BTreeSet<String>) -> BTreeSet<String> {
    let mut table = String::new();
    let mut read = BTreeSet::new();
    for line in text.lines() {
        if let Some(header) = line.strip_prefix('[') {
            table = header.trim_end_matches(']').replace('\'', "\"");
        } else if let Some((key, _)) = line.split_once(" = ") {
            let name = format!("{table}.{key}").to_lowercase();
            let is_about_nri = table != "crio.runtime" || name.contains("nri_");
            if is_about_nri && !named.contains(&name) && !tables.contains(&table) {
                read.insert(key.to_lowercase());
            }
        }
    }
    read
}

/// Returns the configuration that CRI-O prints, in which it comments out the defaults.
fn crio_prints(file: &Path) -> String {
    let folder = file.with_file_name("drop-ins");
    let mut command = Command::new(peers::crio().join("crio"));
    command.arg("-c").arg(file).arg("-d").arg(folder).arg("config");
    String::from_utf8(run(&mut command).stdout).expect("it is UTF-8")
}

/// Returns true if a setting of the default validator has an effect.
fn has_effect(value: &Value) -> bool {
    match value {
        Value::Boolean(is_on) => *is_on,
        Value::Array(names) => !names.is_empty(),
        _ => false,
    }
}

/// Returns the settings for NRI that CRI-O has after it read a file, without their tables.
fn crio_settings(file: &Path) -> Table {
    let printed = crio_prints(file);
    let begin = printed.find("[crio.nri]").expect("it has the table");
    let end = printed.find("[crio.stats]").expect("the next table");
    let is_setting =
        |line: &&str| ["nri_", "enable_nri", "\t", "]"].iter().any(|start| line.starts_with(start));
    let lines: Vec<&str> = printed[begin..end]
        .lines()
        .map(|line| line.strip_prefix("# ").unwrap_or(line))
        .filter(is_setting)
        .collect();
    toml::from_str(&lines.join("\n")).expect("it is TOML")
}
