//! `nri-compat diff FROM TO`.

use std::borrow::Cow;

use clap::ValueEnum;
use nri_schema::compile::Imports;

use super::{decisions, output};
use crate::check::target::ReleaseName;
use crate::diff;
use crate::error::Error;
use crate::exit::Exit;
use crate::policy::{self, Baseline, Policy};
use crate::report::diff::DiffReport;
use crate::report::finding::{Category, Level};
use crate::report::template::{Format, render};
use crate::report::{json, sarif};

/// Compares two protocol versions: what changed, what breaks and for whom, what became deprecated.
///
/// FROM and TO each name a release (v0.12.5, v0.11, latest), the release that a runtime links
/// (containerd@2.2.1, cri-o@1.33, containerd://2.4.2+unknown), a .proto file, a folder of protos, a
/// FileDescriptorSet, a revision in git (HEAD~1:pkg/api/api.proto, .git#ref=main), or - for standard
/// input.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The version to start from.
    from: String,
    /// The version to compare with; older than FROM for a downgrade.
    to: String,
    /// Folder in which imports are looked up, or PREFIX=FOLDER if imports have PREFIX/ before the
    /// path in the folder.
    #[arg(short = 'I', long = "import", value_name = "FOLDER")]
    imports: Vec<String>,
    /// Like -I, for imports of FROM only.
    #[arg(long, value_name = "FOLDER")]
    from_import: Vec<String>,
    /// Like -I, for imports of TO only.
    #[arg(long, value_name = "FOLDER")]
    to_import: Vec<String>,
    /// Category of the protobuf rules to run, as in `buf breaking`: the compatibility to keep.
    #[arg(long, value_enum, default_value_t = CategoryArg::File, ignore_case = true)]
    category: CategoryArg,
    /// The least serious level that makes the exit code 100.
    #[arg(long, value_enum, default_value_t = FailOn::Error, value_name = "LEVEL")]
    fail_on: FailOn,
    /// Output format.
    #[arg(long, value_enum, default_value_t = DiffFormat::Text)]
    format: DiffFormat,
    #[command(flatten)]
    decisions: decisions::Args,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum CategoryArg {
    /// Generated code, per file.
    #[value(name = "FILE")]
    File,
    /// Generated code, per package.
    #[value(name = "PACKAGE")]
    Package,
    /// The binary or the JSON encoding.
    #[value(name = "WIRE_JSON")]
    WireJson,
    /// The binary encoding.
    #[value(name = "WIRE")]
    Wire,
}

/// Format of a diff report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum DiffFormat {
    /// For people.
    Text,
    /// For machines; described by a JSON Schema.
    Json,
    /// For pull requests and release notes.
    Markdown,
    /// For browsers: one self-contained file with a picture of the pairings.
    Html,
    /// For spreadsheets: one row per finding.
    Csv,
    /// Annotations of GitHub Actions.
    Github,
    /// Test results for CI systems.
    Junit,
    /// For code scanning: SARIF 2.1.0.
    Sarif,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum FailOn {
    /// Something breaks.
    Error,
    /// Something breaks for some peers, or will.
    Warning,
    /// Any finding.
    Note,
    /// No finding changes the exit code.
    Never,
}

pub(super) fn run(args: &Args) -> Result<Exit, Error> {
    let imports = [&args.from_import, &args.to_import].map(|own| {
        let mut imports = Imports::added_with("-I FOLDER");
        let folders = own.iter().chain(&args.imports);
        folders.for_each(|folder| imports.add(folder));
        imports
    });
    let decisions = args.decisions.read()?;
    let mut report = diff::diff_with(
        &spec(&args.from),
        &spec(&args.to),
        imports.each_ref(),
        args.category.into(),
    )?;
    let apply = |report: &mut DiffReport, policy: &Policy, baseline: Option<&Baseline>| {
        policy::apply_to_diff(report, policy, baseline, policy::today());
    };
    decisions.apply(&mut report, apply, Baseline::of_diff)?;
    output::print(&match args.format {
        DiffFormat::Text => output::text(&report),
        DiffFormat::Json => json::render(&report),
        DiffFormat::Markdown => render(&report, Format::Markdown),
        DiffFormat::Html => render(&report, Format::Html),
        DiffFormat::Csv => render(&report, Format::Csv),
        DiffFormat::Github => render(&report, Format::Github),
        DiffFormat::Junit => render(&report, Format::Junit),
        DiffFormat::Sarif => sarif::diff(&report),
    })?;
    Ok(exit(report.worst(), args.fail_on))
}

/// Returns the tables' name of a release that a machine reports (`containerd://2.4.2+unknown`), and
/// anything else unchanged. A pre-release is not converted to the release that follows it.
fn spec(named: &str) -> Cow<'_, str> {
    // The address of a git repository ends with `#KEY=VALUE`.
    let is_of_node = named.contains("://") && !named.contains('#');
    let release = ReleaseName::parse(named).filter(|_| is_of_node);
    // Otherwise it is the address of something else.
    let has_version =
        |release: &ReleaseName| release.version.starts_with(|c: char| c.is_ascii_digit());
    match release.filter(|release| !release.is_prerelease() && has_version(release)) {
        Some(release) => release.spec().into(),
        None => named.into(),
    }
}

fn exit(worst: Option<Level>, fail_on: FailOn) -> Exit {
    let threshold = match fail_on {
        FailOn::Error => Level::Error,
        FailOn::Warning => Level::Warning,
        FailOn::Note => Level::Note,
        FailOn::Never => return Exit::Clean,
    };
    Exit::of(worst.is_some_and(|worst| worst >= threshold))
}

impl From<CategoryArg> for Category {
    fn from(arg: CategoryArg) -> Self {
        match arg {
            CategoryArg::File => Self::File,
            CategoryArg::Package => Self::Package,
            CategoryArg::WireJson => Self::WireJson,
            CategoryArg::Wire => Self::Wire,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn releases_are_accepted_as_nodes_report_them() {
        assert_eq!(spec("containerd://2.4.2+unknown"), "containerd@2.4.2");
        assert_eq!(spec("cri-o://1.33.4-3.rhaos4.20"), "cri-o@1.33.4");
        for other in [
            "containerd://2.4.0-rc.1",
            "containerd@2.4.2",
            "HEAD~1:api.proto",
            "v0.12.0",
            "https://example.com/api.proto",
        ] {
            assert_eq!(spec(other), other);
        }
    }

    #[test]
    fn only_findings_at_the_level_or_above_fail() {
        let warned = Some(Level::Warning);
        assert_eq!(exit(warned, FailOn::Error), Exit::Clean);
        assert_eq!(exit(warned, FailOn::Warning), Exit::Findings);
        assert_eq!(exit(warned, FailOn::Note), Exit::Findings);
        assert_eq!(exit(warned, FailOn::Never), Exit::Clean);
        assert_eq!(exit(None, FailOn::Note), Exit::Clean);
    }
}
