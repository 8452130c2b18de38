//! `vendor/modules.txt`: the packages of NRI that a module uses.
//!
//! [The format](https://go.dev/ref/mod#vendoring): `# MODULE VERSION`, then the packages used, one
//! per line.

use super::nri_module::{self, Package};
use super::{Reader, Unreadable, requirement, text};
use crate::check::content::File;
use crate::sighting::{FileKind, Sighting};

/// The maximum size of the file in bytes; those of the largest projects have a few hundred kilobytes.
const MAX_FILE: u64 = 16 << 20;

const NAME: &str = "go-vendor";

/// The reader of `vendor/modules.txt`.
pub struct GoVendor;

impl Reader for GoVendor {
    fn name(&self) -> &'static str {
        NAME
    }

    fn recognises(&self, file: &File<'_>) -> bool {
        file.name == "modules.txt" && file.head.starts_with(b"# ")
    }

    fn read(&self, file: &File<'_>) -> Result<Vec<Sighting>, Unreadable> {
        let (mut is_plugin, mut is_runtime) = (false, false);
        for line in text::whole(file.content, MAX_FILE)?.lines() {
            match nri_module::package(line.trim()) {
                Some(Package::Stub | Package::Skel) => is_plugin = true,
                Some(Package::Adaptation) => is_runtime = true,
                Some(Package::Api) | None => {}
            }
        }
        // Runtimes test themselves with plugins.
        if !is_plugin || is_runtime {
            return Ok(Vec::new());
        }
        let detail = "vendors a package of NRI for plugins".to_owned();
        Ok(vec![requirement::sighting(
            file,
            FileKind::GoVendor,
            NAME,
            detail,
        )])
    }
}
