//! Descriptions for package managers that fetch the archives: templates in `deploy/packages`,
//! filled with the version, the address and the sums.

use std::fs;
use std::path::Path;

use super::chart::sorted;
use super::elsewhere;
use super::layout::sha256;
use super::{PROCESSORS, Processor, ReleaseBuild};
use crate::error::{TaskError, reading};

impl ReleaseBuild<'_> {
    /// Fills every template whose archives were built.
    pub(super) fn fill_templates(&self) -> Result<(), TaskError> {
        let values = self.values()?;
        for path in sorted(&self.root.join("deploy/packages"))? {
            let template = fs::read_to_string(&path).map_err(reading(&path))?;
            let filled = fill(&template, &values)
                .map_err(|name| TaskError::Placeholder { path: path.clone(), name })?;
            let name = path.file_name().unwrap_or_default();
            self.write(&self.out.join(name), filled.as_bytes())?;
        }
        Ok(())
    }

    /// Returns the values by name.
    fn values(&self) -> Result<Vec<(String, String)>, TaskError> {
        let metadata = &self.metadata;
        let own = [
            ("VERSION", &metadata.version),
            ("ADDRESS", &metadata.address),
            ("DOWNLOADS", &metadata.downloads()),
            ("DESCRIPTION", &metadata.description),
            ("LICENSE", &metadata.license),
            ("MAINTAINER", &metadata.maintainer),
        ];
        let mut values = Vec::from(own.map(|(name, value)| (name.to_owned(), value.clone())));
        let elsewhere = elsewhere::PLATFORMS.map(|(platform, _)| platform.to_owned());
        for platform in PROCESSORS.map(Processor::platform).into_iter().chain(elsewhere) {
            let archive = format!("{}.tar.gz", self.archive_name(&platform));
            let name = format!("SHA256_{}", platform.to_uppercase().replace('-', "_"));
            values.push((name, sum(&self.out.join(archive))?));
        }
        Ok(values)
    }
}

/// Returns the sum of an archive, or a text that no package manager takes for one if it was not
/// built.
fn sum(archive: &Path) -> Result<String, TaskError> {
    if !archive.exists() {
        return Ok("not-built".to_owned());
    }
    let content = fs::read(archive).map_err(reading(archive))?;
    Ok(sha256(&content))
}

/// Replaces each `@NAME@`.
///
/// # Errors
///
/// Returns the first name without a value.
fn fill(template: &str, values: &[(String, String)]) -> Result<String, String> {
    let mut filled = template.to_owned();
    for (name, value) in values {
        filled = filled.replace(&format!("@{name}@"), value);
    }
    match unknown(&filled) {
        Some(name) => Err(name.to_owned()),
        None => Ok(filled),
    }
}

/// Returns the name of a placeholder that is left.
fn unknown(text: &str) -> Option<&str> {
    // Every other part is between two signs.
    text.lines().find_map(|line| line.split('@').skip(1).step_by(2).find(|part| is_name(part)))
}

/// Returns true if a text may be the name of a placeholder.
fn is_name(part: &str) -> bool {
    let is_of_name = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_';
    !part.is_empty() && part.chars().all(is_of_name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placeholders_need_a_value() {
        let values = [("VERSION".to_owned(), "0.1.0".to_owned())];
        let filled = fill("v@VERSION@ by a@example.com", &values);
        assert_eq!(filled, Ok("v0.1.0 by a@example.com".to_owned()));
        assert_eq!(fill("v@VERSIONS@", &values), Err("VERSIONS".to_owned()));
    }
}
