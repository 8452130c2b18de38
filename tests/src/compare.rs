//! Compares our breaking findings with buf's, on the same two folders of protos.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use nri_compat::diff::breaking;
use nri_compat::report::finding::{Category, Finding};
use nri_schema::Schema;

use crate::buf::{Annotation, Buf};
use crate::{accepted, compile};

/// The four categories of buf, as both tools name them.
pub const CATEGORIES: [Category; 4] =
    [Category::File, Category::Package, Category::WireJson, Category::Wire];

/// An annotation with the number of times by which we (positive) or buf (negative) have it more
/// often.
pub type Difference = (Annotation, i32);

/// Returns a finding in buf's terms.
pub fn annotation(finding: &Finding) -> Annotation {
    let (file, line, column) = match &finding.location {
        Some(place) => (place.file.clone(), place.line, place.column),
        None => (String::new(), 1, 1),
    };
    Annotation { file, line, column, rule: finding.rule.to_owned() }
}

/// A folder of protos or a descriptor set, compiled.
pub struct Side {
    /// The path of its protos or of its set.
    pub path: PathBuf,
    schema: Schema,
}

impl Side {
    /// Compiles every proto in a folder.
    ///
    /// # Errors
    ///
    /// Returns the errors of the compiler or of the schema's checks.
    pub fn new(folder: &Path) -> Result<Self, String> {
        let schema = compile::folder(folder)?;
        Ok(Self { path: folder.to_owned(), schema })
    }

    /// Reads a descriptor set.
    ///
    /// # Errors
    ///
    /// Returns an error if the file cannot be read or is not a schema.
    pub fn set(path: &Path) -> Result<Self, String> {
        let bytes = std::fs::read(path).map_err(|error| format!("{}: {error}", path.display()))?;
        let schema = Schema::decode(&bytes).map_err(|error| error.to_string())?;
        Ok(Self { path: path.to_owned(), schema })
    }

    /// Returns our findings for a change from this schema to `to`.
    pub fn breaking(&self, to: &Self, categories: &[Category]) -> Vec<Finding> {
        breaking(&self.schema, &to.schema, categories)
    }
}

/// Runs both tools and returns the differences that are not accepted, and the number of annotations
/// that they share.
///
/// # Errors
///
/// Returns an error if buf refuses either side.
pub fn compare(
    buf: &Buf,
    from: &Side,
    to: &Side,
    categories: &[Category],
) -> Result<(Vec<Difference>, usize), String> {
    let ours = from.breaking(to, categories);
    let names: Vec<_> = categories.iter().map(|category| category.as_str()).collect();
    let lines = buf.breaking(&from.path, &to.path, &names)?;
    let accepted = accepted::all();
    let theirs =
        lines.into_iter().filter(|printed| !accepted.iter().any(|known| known.is(printed)));
    Ok(differences(ours.iter().map(annotation), theirs.map(|printed| printed.annotation)))
}

fn differences(
    ours: impl Iterator<Item = Annotation>,
    theirs: impl Iterator<Item = Annotation>,
) -> (Vec<Difference>, usize) {
    let mut counts = BTreeMap::<Annotation, i32>::new();
    for annotation in ours {
        *counts.entry(annotation).or_default() += 1;
    }
    let mut shared = 0;
    for annotation in theirs {
        let count = counts.entry(annotation).or_default();
        shared += usize::from(*count > 0);
        *count -= 1;
    }
    (counts.into_iter().filter(|(_, count)| *count != 0).collect(), shared)
}

/// Returns the differences as text, one per line.
pub fn text(differences: &[Difference]) -> String {
    let line = |(annotation, count): &Difference| {
        let Annotation { file, line, column, rule } = annotation;
        let who = if *count > 0 { "ours" } else { "buf's" };
        format!("{} only {who}: {file}:{line}:{column} {rule}\n", count.abs())
    };
    differences.iter().map(line).collect()
}
