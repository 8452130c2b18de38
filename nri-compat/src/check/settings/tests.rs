//! Configurations, and the findings about them.

use std::path::Path;

use super::*;
use crate::configuration::ReadingRelease;

/// Returns the findings about the files of a configuration as lines: rule, place and text.
fn findings(runtime: &str, release: Option<(&str, &str)>, texts: &[&str]) -> Vec<String> {
    let history = crate::data::history().expect("the tables are built in");
    let table = crate::data::configuration().expect("the table is built in");
    let version = |text: &str| semver::Version::parse(text).expect("a version");
    let reading = release.map(|(runtime_version, nri)| ReadingRelease {
        version: version(runtime_version),
        nri: Some(version(nri)),
    });
    let names = ["/main.toml", "/two.toml", "/three.toml"];
    let files: Vec<SettingsFile> = names
        .iter()
        .zip(texts)
        .map(|(name, text)| {
            SettingsFile::parse(&Place::from_path(Path::new(name)), text, true).expect("it is TOML")
        })
        .collect();
    let main = Place::from_path(Path::new("/main.toml"));
    let configuration = RuntimeConfiguration {
        title: if runtime == "cri-o" { "CRI-O" } else { "containerd" },
        known: table.runtime(runtime).expect("it is known"),
        main: &main,
        files: &files,
        release: reading.as_ref(),
    };
    let found = judge(&configuration, history);
    let required = found.required.iter().filter_map(|one| one.missing(&[], true));
    let folders = found.folders.into_iter().map(|folder| folder.missing);
    let all = found.incidents.into_iter().chain(folders).chain(required);
    all.map(|one| {
        let rule = one.rule.trim_start_matches("CONFIG_");
        format!("{rule} {} {}", one.place, one.detail)
    })
    .collect()
}

const NRI: &str = "version = 3\n[plugins.'io.containerd.nri.v1.nri']\n";

/// Returns the findings about settings in NRI's table of containerd 2.4.2.
fn of_table(settings: &str) -> Vec<String> {
    findings("containerd", Some(("2.4.2", "0.12.3")), &[&format!("{NRI}{settings}")])
}

#[test]
fn settings_that_are_fine_give_no_finding() {
    for settings in [
        "",
        "disable = false\nplugin_path = '/opt/nri/plugins'\nplugin_config_path = '/etc/nri/conf.d'",
        "Disable = false\nPLUGIN_REQUEST_TIMEOUT = '2000ms'",
        "[plugins.'io.containerd.nri.v1.nri'.default_validator]\nenable = false\nrequired_plugins = []",
    ] {
        assert_eq!(of_table(settings), [""; 0], "{settings}");
    }
    let other = "version = 2\n[plugins.'io.containerd.grpc.v1.cri']\nignore_deprecation_warnings = ['io.containerd.deprecation/cni-bin-dir']\n";
    assert_eq!(findings("containerd", None, &[other]), [""; 0]);
}

#[test]
fn settings_that_are_ignored_are_named() {
    for (settings, expected) in [
        (
            "plugin_pth = '/x'",
            "KEY_UNKNOWN /main.toml:3 containerd has no setting `plugin_pth` for NRI, and ignores it; did you mean `plugin_path`?",
        ),
        (
            "required_plugins = ['a']",
            "KEY_UNKNOWN /main.toml:3 containerd has no setting `required_plugins` for NRI, and ignores it; it is `default_validator.required_plugins` below [plugins.\"io.containerd.nri.v1.nri\"]",
        ),
        (
            "[plugins.'io.containerd.nri.v1.nri.default_validator']\nenable = true\nrequired_plugins = ['a']",
            "TABLE_QUOTING /main.toml:4 [plugins.\"io.containerd.nri.v1.nri.default_validator\"] is another table than NRI's, because of its quotes: containerd ignores `enable`, `required_plugins`",
        ),
        (
            "[plugins.io.containerd.nri.v1.nri]\ndisable = true",
            "TABLE_QUOTING /main.toml:4 [plugins.io.containerd.nri.v1.nri] is another table",
        ),
        (
            "['plugins.io.containerd.nri.v1.nri']\ndisable = true",
            "TABLE_QUOTING /main.toml:4 [\"plugins.io.containerd.nri.v1.nri\"] is another table",
        ),
        (
            "[plugins.nri]\ndisable = true",
            "TABLE_UNKNOWN /main.toml:4 [plugins.nri] is not the table of NRI: containerd ignores `disable`",
        ),
        (
            "[plugins.'io.containerd.grpc.v1.nri']\ndisable = true",
            "TABLE_UNKNOWN /main.toml:4 [plugins.\"io.containerd.grpc.v1.nri\"] is not",
        ),
        ("[nri]\nenable = true", "TABLE_UNKNOWN /main.toml:4 [nri] is not the table of NRI"),
        (
            "plugin_request_timeout = '300'",
            "DURATION_WITHOUT_UNIT /main.toml:3 `plugin_request_timeout = \"300\"` has no unit: the runtime does not start",
        ),
        (
            "plugin_request_timeout = 300",
            "DURATION_WITHOUT_UNIT /main.toml:3 `plugin_request_timeout = 300` has no unit: the runtime does not start, or takes it as nanoseconds",
        ),
        ("disable = 'no'", "VALUE_INVALID /main.toml:3 `disable = \"no\"` is not true or false"),
        (
            "[plugins.'io.containerd.cri.v1.runtime']\nignore_deprecation_warnings = ['x', 'io.containerd.deprecation/nri-plugin-interface']",
            "DEPRECATION_HIDDEN /main.toml:4 the runtime does not warn about plugins that io.containerd.deprecation/nri-plugin-interface is about",
        ),
    ] {
        let found = of_table(settings);
        assert!(found.len() == 1 && found[0].starts_with(expected), "{settings}: {found:#?}");
    }
}

#[test]
fn settings_that_count_are_explained() {
    for (settings, expected) in [
        (
            "disable = true\nplugin_request_timeout = '9s'",
            "NRI_OFF /main.toml:3 NRI is off: `disable = true`",
        ),
        (
            "disable_connections = true",
            "CONNECTIONS_DISABLED /main.toml:3 only plugins in the folder of the runtime run",
        ),
        (
            "plugin_request_timeout = '5m'",
            "TIME_LIMIT /main.toml:3 a plugin that does not answer holds up each event of each pod for 300 s instead of 2 s",
        ),
        (
            "plugin_registration_timeout = '100ms'",
            "TIME_LIMIT /main.toml:3 a plugin that does not register within 100 ms is refused; the default is 5 s",
        ),
        ("plugin_path = '/x'", "FOLDER_MISSING /main.toml:3 the folder /x does not exist"),
        (
            "default_validator.required_plugins = ['a']",
            "VALIDATOR_OFF /main.toml:3 `required_plugins` has no effect",
        ),
        (
            "default_validator = { enable = true, required_plugins = ['a'] }",
            "REQUIRED_PLUGIN_MISSING /main.toml:3 `a` is required, and no plugin that was found has this name",
        ),
    ] {
        let found = of_table(settings);
        assert!(found.len() == 1 && found[0].starts_with(expected), "{settings}: {found:#?}");
    }
    let disabled = "version = 2\ndisabled_plugins = ['io.containerd.nri.v1.nri']\n";
    let found = findings("containerd", None, &[disabled]);
    assert_eq!(found, ["NRI_OFF /main.toml:2 NRI is off: `disabled_plugins` names its plugin"]);
}

#[test]
fn defaults_and_settings_depend_on_the_release() {
    let old = "version = 2\n";
    let at = |release, nri, text| findings("containerd", Some((release, nri)), &[text]);
    assert_eq!(
        at("1.7.27", "0.8.0", old),
        ["NRI_OFF /main.toml NRI is off by default in containerd 1.7.27, and no file turns it on"]
    );
    assert_eq!(at("2.0.0", "0.8.0", old), [""; 0]);
    assert_eq!(findings("containerd", None, &[old]), [""; 0]);
    let validator = format!("{NRI}default_validator.enable = true\n");
    assert_eq!(
        at("2.1.0", "0.8.0", &validator),
        [
            "KEY_OF_OTHER_RELEASE /main.toml:3 containerd 2.1.0 does not read `enable`: it came with containerd 2.2.0"
        ]
    );
    assert_eq!(findings("containerd", None, &[&validator]), [""; 0]);
    let short = "[plugins.nri]\ndisable = false\n";
    assert_eq!(at("1.7.27", "0.8.0", short), [""; 0]);
    assert!(at("2.0.0", "0.8.0", short)[0].starts_with("TABLE_UNKNOWN"));
}

#[test]
fn later_files_replace_single_settings() {
    let files = [
        format!("{NRI}plugin_request_timeout = '9s'\ndefault_validator.enable = true\n"),
        format!("{NRI}plugin_request_timeout = '2s'\ndefault_validator.required_plugins = ['a']\n"),
        format!("{NRI}default_validator.required_plugins = ['b']\n"),
    ];
    let found = findings("containerd", None, &files.each_ref().map(String::as_str));
    assert_eq!(found.len(), 1, "{found:#?}");
    assert!(found[0].starts_with("REQUIRED_PLUGIN_MISSING /three.toml:3 `b` is required"));
}

#[test]
fn settings_of_cri_o_are_read_alike() {
    let release = Some(("1.36.2", "0.11.0"));
    for (text, expected) in [
        (
            "[crio.nri]\nenable_nri = false\n",
            "NRI_OFF /main.toml:2 NRI is off: `enable_nri = false`",
        ),
        (
            "[crio.runtime]\nenable_nri = true\n",
            "KEY_UNKNOWN /main.toml:2 CRI-O ignores `enable_nri` in [crio.runtime]; it is `enable_nri` below [crio.nri]",
        ),
        ("[crio.nri]\ndisable = true\n", "KEY_UNKNOWN /main.toml:2 CRI-O has no setting `disable`"),
        ("['crio.nri']\nenable_nri = true\n", "TABLE_QUOTING /main.toml:2 [\"crio.nri\"]"),
        ("[nri]\nenable_nri = true\n", "TABLE_UNKNOWN /main.toml:2 [nri]"),
        (
            "[crio.nri]\nnri_config_file = '/x'\n",
            "KEY_OF_OTHER_RELEASE /main.toml:2 CRI-O 1.36.2 does not read `nri_config_file`: CRI-O 1.26 was the last series with it",
        ),
        ("[crio.nri]\nnri_plugin_request_timeout = '300'\n", "DURATION_WITHOUT_UNIT"),
    ] {
        let found = findings("cri-o", release, &[text]);
        assert!(found.len() == 1 && found[0].starts_with(expected), "{text}: {found:#?}");
    }
    assert_eq!(findings("cri-o", release, &["[crio.runtime]\nx = 1\n"]), [""; 0]);
    let old = findings("cri-o", Some(("1.29.0", "0.3.0")), &["[crio.runtime]\n"]);
    assert_eq!(
        old,
        ["NRI_OFF /main.toml NRI is off by default in CRI-O 1.29.0, and no file turns it on"]
    );
}

#[test]
fn settings_of_nri_at_the_top_of_a_file_are_named_and_those_of_containerd_are_not() {
    let top = "version = 2\nplugin_request_timeout = '20s'\nrequired_plugins = ['io.containerd.grpc.v1.cri']\nplugin_dir = ''\n";
    let found = findings("containerd", None, &[top]);
    assert_eq!(
        found,
        [
            "KEY_UNKNOWN /main.toml:2 containerd ignores `plugin_request_timeout` at the top of the file; it is `plugin_request_timeout` below [plugins.\"io.containerd.nri.v1.nri\"]"
        ]
    );
}
