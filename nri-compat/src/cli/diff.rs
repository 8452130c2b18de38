//! `nri-compat diff FROM TO`.

use std::borrow::Cow;

use nri_schema::compile::Imports;

use super::values::{Choice, formats_of, one_of};
use super::{decisions, output};
use crate::check::target::ReleaseName;
use crate::diff;
use crate::error::Error;
use crate::exit::Exit;
use crate::policy;
use crate::report::diff::DiffReport;
use crate::report::finding::{Category, Level};
use crate::report::template::Format;

/// Compares two protocol versions: what changed, what breaks and for whom, what became deprecated.
///
/// FROM and TO each name a release (v0.12.5, v0.11, latest), the release that a runtime links
/// (containerd@2.2.1, cri-o@1.33, containerd://2.4.2+unknown), a .proto file, a folder of protos, a
/// FileDescriptorSet, a revision in git (HEAD~1:pkg/api/api.proto, .git#ref=main), or - for
/// standard input.
#[derive(Debug, clap::Args)]
pub(super) struct DiffArgs {
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
    #[arg(long, value_parser = one_of(CATEGORIES), default_value = "FILE", ignore_case = true)]
    category: Category,
    /// The least serious level that makes the exit code 100.
    #[arg(long, value_parser = one_of(FAIL_ON), default_value = "error", value_name = "LEVEL")]
    fail_on: LeastLevel,
    /// Output format.
    #[arg(long, value_parser = formats_of::<&DiffReport>(), default_value = "text")]
    format: Format,
    #[command(flatten)]
    decisions: decisions::DecisionsArgs,
}

/// The categories of the protobuf rules.
const CATEGORIES: &[Choice<Category>] = &[
    ("FILE", "Generated code, per file", Category::File),
    ("PACKAGE", "Generated code, per package", Category::Package),
    ("WIRE_JSON", "The binary or the JSON encoding", Category::WireJson),
    ("WIRE", "The binary encoding", Category::Wire),
];

/// The least serious level that makes the exit code 100, if any does.
type LeastLevel = Option<Level>;

const FAIL_ON: &[Choice<LeastLevel>] = &[
    ("error", "Something breaks", Some(Level::Error)),
    ("warning", "Something breaks for some peers, or will", Some(Level::Warning)),
    ("note", "Any finding", Some(Level::Note)),
    ("never", "No finding changes the exit code", None),
];

pub(super) fn run(args: &DiffArgs) -> Result<Exit, Error> {
    let imports = [&args.from_import, &args.to_import].map(|own| {
        let mut imports = Imports::added_with("-I FOLDER");
        let folders = own.iter().chain(&args.imports);
        folders.for_each(|folder| imports.add(folder));
        imports
    });
    let decisions = args.decisions.read()?;
    let mut report =
        diff::diff_with(&spec(&args.from), &spec(&args.to), imports.each_ref(), args.category)?;
    decisions.apply(&mut report, policy::apply_to_diff)?;
    output::print_report(&report, args.format)?;
    Ok(Exit::at(report.worst(), args.fail_on))
}

/// Returns the tables' name of a release that a machine reports (`containerd://2.4.2+unknown`), and
/// anything else unchanged. A pre-release is not converted to the release that follows it.
fn spec(named: &str) -> Cow<'_, str> {
    // The address of a git repository ends with `#KEY=VALUE`.
    let is_of_node = named.contains("://") && !named.contains('#');
    let parsed = ReleaseName::parse(named).filter(|_| is_of_node);
    // Otherwise it is the address of something else.
    let has_version =
        |release: &ReleaseName| release.version.starts_with(|c: char| c.is_ascii_digit());
    match parsed.filter(|release| !release.is_prerelease() && has_version(release)) {
        Some(release) => release.spec().into(),
        None => named.into(),
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
}
