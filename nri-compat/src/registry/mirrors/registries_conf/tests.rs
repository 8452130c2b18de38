//! Tests of `registries.conf`.

use super::super::shown;
use super::*;

/// A home folder with configuration files, isolated from the machine.
struct Home(tempfile::TempDir);

impl Home {
    fn with(files: &[(&str, &str)]) -> Self {
        let home = tempfile::tempdir().unwrap();
        let folder = home.path().join(".config/containers");
        std::fs::create_dir_all(folder.join("registries.conf.d")).unwrap();
        for (name, text) in files {
            std::fs::write(folder.join(name), text).unwrap();
        }
        Self(home)
    }

    fn servers(&self, image: &str) -> Result<Vec<String>, Error> {
        let home = self.0.path().to_str().unwrap();
        let image = Reference::parse(image).unwrap();
        let all = servers(&image, &Environment::from([("HOME", home)]))?;
        Ok(all.map(|all| shown(&all)).unwrap_or_default())
    }
}

const WIDE: &str = r#"
    unqualified-search-registries = ["docker.io"]
    [[registry]]
    location = "r.example"
    [[registry.mirror]]
    location = "wide.example/"
    [[registry]]
    prefix = "r.example/team"
    location = "moved.example/x"
    mirror-by-digest-only = true
    [[registry.mirror]]
    location = "mirror.example:5000/cache"
    insecure = true
    [[registry]]
    prefix = "*.bad.example"
    blocked = true
    [[registry]]
    prefix = "*.any.example"
    [[registry.mirror]]
    location = "tags.example"
    pull-from-mirror = "tag-only"
    [[registry.mirror]]
    location = "digests.example"
    pull-from-mirror = "digest-only"
    [[registry.mirror]]
    location = "all.example"
    pull-from-mirror = "all"
    [[registry]]
    prefix = "*.moved.example/old"
    location = "new.example"
    [[registry]]
    prefix = "docker.io/library"
    location = "hub.example/official"
    [[registry]]
    prefix = "r.example/one/image:v1"
    location = "pinned.example/image"
"#;

#[test]
fn only_the_longest_prefix_applies() {
    let home = Home::with(&[("registries.conf", WIDE)]);
    let digest = format!("sha256:{}", "0".repeat(64));
    let at = |image: &str| home.servers(&image.replace('D', &digest)).unwrap();
    assert_eq!(
        at("r.example/a"),
        ["wide.example/v2/a/x", "r.example/v2/a/x"]
    );
    assert_eq!(at("r.example/team/a"), ["moved.example/v2/x/a/x"]);
    assert_eq!(
        at("r.example/team/a@D"),
        ["mirror.example:5000/v2/cache/a/x", "moved.example/v2/x/a/x"]
    );
    assert_eq!(at("r.example/teams/a")[0], "wide.example/v2/teams/a/x");
    let tags = [
        "tags.example/v2/a/x",
        "all.example/v2/a/x",
        "x.any.example/v2/a/x",
    ];
    assert_eq!(at("x.any.example/a:v1"), tags);
    let digests = [
        "digests.example/v2/a/x",
        "all.example/v2/a/x",
        "x.any.example/v2/a/x",
    ];
    assert_eq!(at("x.any.example/a:v1@D"), digests);
    assert_eq!(at("any.example/a"), [""; 0]);
    assert_eq!(at("x.moved.example/old/a/b"), ["new.example/v2/a/b/x"]);
    assert_eq!(at("x.moved.example/new"), [""; 0]);
    assert_eq!(at("plugin"), ["hub.example/v2/official/plugin/x"]);
    assert_eq!(at("r.example/one/image:v1"), ["pinned.example/v2/image/x"]);
    assert_eq!(
        at("r.example/one/image:v2")[0],
        "wide.example/v2/one/image/x"
    );
    let blocked = home.servers("x.bad.example/a").unwrap_err();
    assert_eq!(blocked.kind(), ErrorKind::Denied);
    assert!(
        blocked.to_string().contains("(prefix `*.bad.example`)"),
        "{blocked}"
    );
}

#[test]
fn drop_ins_replace_entries_in_the_order_of_their_names() {
    let entry = |location: &str| {
        format!("[[registry]]\nprefix = \"r.example\"\nlocation = \"{location}\"\n")
    };
    let mut files = vec![
        ("registries.conf.d/20-b.conf", entry("b.example")),
        ("registries.conf.d/10-a.conf", entry("a.example")),
        ("registries.conf.d/30-c.conf.bak", entry("c.example")),
        (
            "registries.conf.d/15-other.conf",
            "[aliases]\n\"a\" = \"b.example/a\"\n".to_owned(),
        ),
    ];
    for _ in 0..2 {
        let all: Vec<_> = files
            .iter()
            .map(|(name, text)| (*name, text.as_str()))
            .collect();
        assert_eq!(
            Home::with(&all).servers("r.example/a").unwrap(),
            ["b.example/v2/a/x"]
        );
        files.push(("registries.conf", entry("main.example")));
    }
    files.push(("registries.conf.d/99-z.conf", "[[registry]\n".to_owned()));
    let all: Vec<_> = files
        .iter()
        .map(|(name, text)| (*name, text.as_str()))
        .collect();
    let error = Home::with(&all).servers("r.example/a").unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Configuration);
    assert!(error.to_string().contains("99-z.conf"), "{error}");
}

#[test]
fn variables_name_the_file_and_the_folder() {
    let home = Home::with(&[
        ("other.conf", "[[registry]]\nlocation = \"r.example\"\n"),
        (
            "registries.conf.d/a.conf",
            "[[registry]]\nprefix = \"s.example\"\nlocation = \"t.example\"\n",
        ),
    ]);
    let folder = home.0.path().join(".config/containers");
    let (file, drop_ins) = (folder.join("other.conf"), folder.join("registries.conf.d"));
    let at = |file: &Path, image: &str| {
        let environment = Environment::from([
            ("CONTAINERS_REGISTRIES_CONF", file.to_str().unwrap()),
            ("CONTAINERS_REGISTRIES_CONF_DIR", drop_ins.to_str().unwrap()),
        ]);
        servers(&Reference::parse(image).unwrap(), &environment)
    };
    assert_eq!(
        shown(&at(&file, "r.example/a").unwrap().unwrap()),
        ["r.example/v2/a/x"]
    );
    assert_eq!(
        shown(&at(&file, "s.example/a").unwrap().unwrap()),
        ["t.example/v2/a/x"]
    );
    let error = at(&folder.join("missing.conf"), "r.example/a")
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("missing.conf: CONTAINERS_REGISTRIES_CONF names no file"),
        "{error}"
    );
}

#[test]
fn entries_without_a_usable_location_are_errors() {
    for (entry, why) in [
        ("", "neither a prefix nor a location"),
        ("prefix = \"r.example\"", "has no location"),
        ("location = \"https://r.example\"", "has a scheme"),
        (
            "prefix = \"r.example\"\nlocation = \"mirror\"",
            "does not start with a host",
        ),
        (
            "prefix = \"r.example\"\nlocation = \"m.example/A\"",
            "is not a host with a path",
        ),
        (
            "prefix = \"r.example/a\"\nlocation = \"m.example/a:v1\"",
            "has a tag",
        ),
        (
            "location = \"r.example\"\n[[registry.mirror]]\nlocation = \"\"",
            "is not a host",
        ),
        (
            "location = \"r.example\"\n[[registry.mirror]]\nlocation = \"m.example\"\npull-from-mirror = \"never\"",
            "unknown variant",
        ),
    ] {
        let home = Home::with(&[("registries.conf", &format!("[[registry]]\n{entry}\n"))]);
        let error = home.servers("r.example/a").expect_err(entry);
        assert_eq!(error.kind(), ErrorKind::Configuration);
        assert!(error.to_string().contains(why), "{entry}: {error}");
    }
}
