//! The file with metrics that `check` and `logs` write in addition to the report.

use std::fs::Permissions;
use std::io::{self, BufWriter, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use crate::error::{Error, ErrorKind};
use crate::report::check::CheckReport;
use crate::report::openmetrics;

/// Writes the report to a file as OpenMetrics, and replaces the file as a whole, because the collector of a node exporter
/// may read it at any time.
///
/// # Errors
///
/// Returns an error if the file cannot be written.
pub(super) fn write(path: &Path, report: &CheckReport) -> Result<(), Error> {
    let written = replace(path, report);
    written.map_err(Error::cannot_write(path, ErrorKind::Output))
}

fn replace(path: &Path, report: &CheckReport) -> io::Result<()> {
    let folder = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty());
    let file = tempfile::Builder::new()
        .prefix(".nri-compat-")
        // The collector runs as another user.
        .permissions(Permissions::from_mode(0o644))
        .tempfile_in(folder.unwrap_or(Path::new(".")))?;
    let mut out = BufWriter::new(file);
    openmetrics::write_check(report, &mut out)?;
    out.flush()?;
    out.into_inner()?.persist(path)?;
    Ok(())
}
