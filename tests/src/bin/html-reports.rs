//! Writes the HTML reports that `.ci/html.sh` opens in a browser: `html-reports FOLDER`.
#![forbid(unsafe_code)]

use std::fs;
use std::path::Path;

use nri_compat::report::template::{Format, render};
use nri_tests::{html_reports, many, reports};

fn main() {
    let folder = std::env::args_os().nth(1).expect("usage: html-reports FOLDER");
    let folder = Path::new(&folder);
    fs::create_dir_all(folder).expect("the folder is writable");
    for (name, report) in reports::all() {
        write(folder, &format!("check-{name}"), &render(&report, Format::Html));
    }
    for (name, report) in html_reports::merged() {
        write(folder, &format!("merge-{name}"), &render(&report, Format::Html));
    }
    for (name, report) in html_reports::diffs() {
        write(folder, &format!("diff-{name}"), &render(&report, Format::Html));
    }
    write(folder, "check-many", &render(many::check(5_000), Format::Html));
    let hostile = many::named(300, html_reports::HOSTILE);
    write(folder, "check-many-hostile", &render(&hostile, Format::Html));
}

fn write(folder: &Path, name: &str, page: &str) {
    fs::write(folder.join(format!("{name}.html")), page).expect("the file is writable");
}
