use super::*;

fn parsed(cli: &Cli<'_>, arguments: &[&str]) -> Result<Option<Flags>> {
    cli.parse_from(arguments.iter().map(OsString::from), |name, _| Ok(name == "own"))
}

#[test]
fn each_flag_is_read() {
    let cli = Cli::new("A plugin.").with_config();
    let line = "--socket /s --name=n --index 07 --own --config /c --verbose";
    let arguments: Vec<_> = line.split(' ').collect();
    let flags = parsed(&cli, &arguments).unwrap().unwrap();
    let expected = Flags {
        socket: Some("/s".into()),
        name: Some("n".to_owned()),
        index: Some("07".to_owned()),
        config: Some("/c".into()),
        http: None,
        verbose: true,
    };
    assert_eq!(flags, expected);
}

#[test]
fn unknown_flags_and_missing_values_are_errors() {
    let cli = Cli::new("A plugin.");
    for arguments in [&["--config", "/c"][..], &["--other"], &["--name"], &["x"]] {
        let error = parsed(&cli, arguments).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Config, "{arguments:?}");
        assert_eq!(error.help(), Some("--help lists the flags"));
    }
}

#[test]
fn the_help_lists_the_flags_that_there_are() {
    let cli = Cli::new("A plugin.").with_help("      --own           do more\n");
    assert_eq!(parsed(&cli, &["-h"]).unwrap(), None);
    let text = cli.text();
    let start = "A plugin.\n\nFlags, all optional:\n      --own";
    assert!(text.starts_with(start), "{text}");
    assert!(!text.contains("--config"), "{text}");
    assert_eq!(text.contains("--http"), cfg!(feature = "http"), "{text}");
    assert!(cli.with_config().text().contains("--config"));
}

#[test]
fn the_configuration_is_read_and_the_file_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("config");
    let mut flags = Flags::default();
    assert_eq!(flags.read_config().unwrap(), None);
    flags.config = Some(path.clone());
    let error = format!("{:#}", flags.read_config().unwrap_err());
    let expected = format!("cannot read the configuration {}: ", path.display());
    assert!(error.starts_with(&expected), "{error}");
    std::fs::write(&path, "a: 1").unwrap();
    assert_eq!(flags.read_config().unwrap().as_deref(), Some("a: 1"));
}
