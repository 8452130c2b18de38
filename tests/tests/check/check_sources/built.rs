use std::process::Command;

use nri_tests::peers::{self, run};

use super::*;

#[test]
fn no_row_is_ok_where_the_program_is_not() {
    let mut wrong = Vec::new();
    for row in table("hostile-sources.toml").iter().filter(|row| row.build) {
        let folder = tempfile::tempdir().unwrap();
        row.write(folder.path());
        let programs = folder.path().join("programs");
        fs::create_dir(&programs).unwrap();
        let mut go = Command::new("go");
        go.current_dir(folder.path())
            .args([
                "build",
                "-trimpath",
                "-buildvcs=false",
                "-ldflags=-s -w",
                "-tags",
                &row.tags,
            ])
            .arg("-o")
            .arg(&programs)
            .arg("./...")
            .env("CGO_ENABLED", "0");
        let output = go.output().expect("go is installed");
        if !output.status.success() {
            let stderr = String::from_utf8_lossy(&output.stderr);
            wrong.push(format!("{}: does not build: {stderr}", row.name));
            continue;
        }
        let built = answer(&check(vec![programs]));
        let proven = row.answer != "unknown";
        if built != row.answer && proven || built == "nothing" {
            wrong.push(format!(
                "{}: sources {}, program {built}",
                row.name, row.answer
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Runs a command line of the Go toolchain.
fn shell(folder: &Path, line: &str) -> Result<(), String> {
    let mut shell = Command::new("sh");
    let output = shell
        .current_dir(folder)
        .args(["-c", line])
        .output()
        .expect("a shell");
    if output.status.success() {
        return Ok(());
    }
    Err(String::from_utf8_lossy(&output.stderr).into_owned())
}

/// Returns the commands in a remedy.
fn commands(report: &CheckReport) -> String {
    let verdicts = report.subjects.iter().flat_map(|subject| &subject.verdicts);
    let mut remedies = verdicts.filter(|verdict| verdict.outcome == Outcome::Deprecated);
    let remedy = &remedies.next().expect("a verdict").remedy;
    remedy.rsplit("run: ").next().unwrap_or_default().to_owned()
}

#[test]
fn every_remedy_works() {
    let mut wrong = Vec::new();
    for row in table("remedies.toml") {
        let folder = tempfile::tempdir().unwrap();
        row.write(folder.path());
        for line in &row.before {
            shell(folder.path(), line).unwrap_or_else(|e| panic!("{}: {line}: {e}", row.name));
        }
        let before = check(row.paths(folder.path()));
        if answer(&before) != row.answer {
            wrong.push(format!("{}: {} at first", row.name, answer(&before)));
            continue;
        }
        let line = commands(&before);
        if let Err(why) = shell(&folder.path().join(&row.run), &line) {
            wrong.push(format!("{}: {line}: {why}", row.name));
            continue;
        }
        let after = check(row.paths(folder.path()));
        if answer(&after) != "ok" {
            let verdicts: Vec<_> = after.subjects.iter().map(|one| &one.verdicts).collect();
            wrong.push(format!("{}: {line}: then {verdicts:#?}", row.name));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Published {
    module: Vec<Module>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Module {
    path: String,
    version: String,
    packages: Vec<String>,
}

impl Module {
    /// Downloads the sources; their folder.
    fn folder(&self) -> PathBuf {
        let mut go = Command::new("go");
        let answer = run(go
            .args(["mod", "download", "-json"])
            .arg(format!("{}@{}", self.path, self.version)));
        let answer: serde_json::Value = serde_json::from_str(&answer).unwrap();
        PathBuf::from(answer["Dir"].as_str().expect("a folder"))
    }

    /// Builds a package, unless that is done already; its program.
    fn program(&self, sources: &Path, package: &str) -> PathBuf {
        let name = format!("{}@{}", self.path.replace('/', "_"), self.version);
        let folder = peers::folder("published").join(name);
        fs::create_dir_all(&folder).unwrap();
        let program = folder
            .canonicalize()
            .unwrap()
            .join(package.rsplit('/').next().unwrap());
        if !program.is_file() {
            let mut go = Command::new("go");
            go.current_dir(sources)
                .args([
                    "build",
                    "-trimpath",
                    "-buildvcs=false",
                    "-ldflags=-s -w",
                    "-o",
                ])
                .arg(&program)
                .arg(format!("./{package}"))
                .env("CGO_ENABLED", "0");
            run(&mut go);
        }
        program
    }
}

#[test]
fn published_sources_are_what_their_programs_are() {
    let text = fs::read_to_string(crate_folder().join("real-sources.toml")).unwrap();
    let published: Published = toml::from_str(&text).unwrap();
    let mut wrong = Vec::new();
    for module in &published.module {
        let folder = module.folder();
        for package in &module.packages {
            let sources = answer(&check(vec![folder.join(package)]));
            let program = answer(&check(vec![module.program(&folder, package)]));
            if sources != "unknown" && sources != program {
                wrong.push(format!(
                    "{}/{package}: sources {sources}, program {program}",
                    module.path
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
