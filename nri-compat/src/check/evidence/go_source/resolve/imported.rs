//! Packages that a program imports, and that use a stub, too.

use std::collections::BTreeSet;
use std::rc::Rc;

use super::super::nri;
use super::super::world::{Destination, Package, World};
use super::{Handled, Resolver};

/// The maximum number of packages whose imports are read.
const MAX_PACKAGES: usize = 5000;

/// Returns the packages at hand that a package imports, directly or not, and that import NRI's
/// stub. Packages of modules that are not local are not searched.
pub(super) fn with_stub(world: &World<'_>, package: &Package) -> Result<Vec<Rc<Package>>, String> {
    let imports = package.files.iter().flat_map(|file| &file.imports);
    let mut waiting: Vec<String> = imports.map(|import| import.path.clone()).collect();
    let (mut seen, mut found) = (BTreeSet::new(), Vec::new());
    while let Some(path) = waiting.pop() {
        let Destination::Folder(folder) = world.locate(&path) else {
            continue;
        };
        if !world.is_local(&path) || folder == package.folder || !seen.insert(path) {
            continue;
        }
        if seen.len() > MAX_PACKAGES {
            return Err(format!("it imports more than {MAX_PACKAGES} packages"));
        }
        let imports = world.imports(&folder);
        let is_stub = |path: &String| nri::is_stub(path) && nri::is_by_name(path);
        if imports.iter().any(is_stub) {
            found.push(world.package(&folder, None));
        }
        waiting.extend(imports);
    }
    Ok(found)
}

impl Resolver<'_, '_> {
    /// Returns the events that imported packages handle with values that they pass to a stub.
    pub(super) fn imported_uses(&self, packages: &[Rc<Package>]) -> Handled {
        let mut all = Handled::default();
        for package in packages {
            let mut used = self.uses(package);
            // A package that only names types of the stub need not be whole.
            if used.uses.is_empty() && package.incomplete.is_none() {
                continue;
            }
            let imports = package.files.iter().flat_map(|file| &file.imports);
            let is_copy = |path: &str| nri::is_stub(path) && !nri::is_own(path);
            if let Some(copy) = imports
                .map(|import| &import.path)
                .find(|path| is_copy(path))
            {
                let folder = self.shown(&package.folder);
                let why = format!("{folder}: uses a copy of the stub, {copy}");
                used.unresolved.insert(why);
            }
            used.uses.clear();
            all.add(used);
        }
        all
    }
}
