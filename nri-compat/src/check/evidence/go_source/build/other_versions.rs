//! Replacements of versions of NRI that the module does not require itself.

use super::super::super::go_mod::GoMod;
use super::super::super::nri_module::{self, MODULE};
use super::{Choice, unknown};

/// Returns a choice for a replacement of a newer NRI than the required one by another kind of stub:
/// another module may select that version.
pub(super) fn of<'m>(by: &str, files: impl IntoIterator<Item = &'m GoMod>) -> Option<Choice> {
    let files: Vec<&GoMod> = files.into_iter().collect();
    let required = files.iter().filter_map(|file| file.requirement.as_ref());
    let required = &required
        .max_by_key(|required| nri_module::parse(&required.version))?
        .version;
    let mut replacements = files.iter().flat_map(|file| &file.replacements);
    let other = replacements.find(|other| {
        let is_newer = |old: &String| nri_module::parse(old) > nri_module::parse(required);
        let same = other.path == MODULE
            && other.version.as_deref().map(nri_module::interface)
                == Some(nri_module::interface(required));
        other.module == MODULE && other.old.as_ref().is_some_and(is_newer) && !same
    })?;
    let old = other.old.as_deref().unwrap_or_default();
    let why = format!(
        "{by}: {} replaces NRI {old}, which another module may select instead of {required}",
        other.path
    );
    Some(Choice {
        by: by.to_owned(),
        interface: unknown(why),
        version: None,
    })
}
