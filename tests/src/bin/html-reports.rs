//! Writes the HTML reports that `.ci/html.sh` opens in a browser: `html-reports FOLDER`.
#![forbid(unsafe_code)]

use std::fs;
use std::path::Path;

use nri_compat::history;
use nri_compat::report::html;
use nri_tests::{html_reports, many, reports, session_reports};

fn main() {
    let folder = std::env::args_os()
        .nth(1)
        .expect("usage: html-reports FOLDER");
    let folder = Path::new(&folder);
    fs::create_dir_all(folder).expect("the folder is writable");
    for (name, report) in reports::all() {
        write(folder, &format!("check-{name}"), &html::check(&report));
    }
    for (name, report) in html_reports::merged() {
        write(folder, &format!("merge-{name}"), &html::merge(&report));
    }
    for (name, report) in html_reports::diffs() {
        write(folder, &format!("diff-{name}"), &html::diff(&report));
    }
    for (name, report) in session_reports::conformance() {
        write(
            folder,
            &format!("conformance-{name}"),
            &html::conformance(&report),
        );
    }
    for (name, report) in session_reports::probes() {
        write(folder, &name.replace('_', "-"), &html::probe(&report));
    }
    write(folder, "check-many", &html::check(&many::check(5_000)));
    let hostile = many::named(300, html_reports::HOSTILE);
    write(folder, "check-many-hostile", &html::check(&hostile));
    history(folder).expect("the tables fit together");
}

/// Writes the tables of releases.
fn history(folder: &Path) -> Result<(), nri_compat::error::Error> {
    write(folder, "versions", &html::versions(&history::versions()?));
    let all = history::runtimes(None)?;
    write(folder, "runtimes", &html::runtimes(&all));
    let one = history::runtime("containerd@2.4.2")?;
    write(folder, "runtime", &html::runtime(&one));
    Ok(())
}

fn write(folder: &Path, name: &str, page: &str) {
    fs::write(folder.join(format!("{name}.html")), page).expect("the file is writable");
}
