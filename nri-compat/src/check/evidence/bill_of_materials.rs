//! Bills of materials that list NRI: CycloneDX and SPDX, as JSON.

use memchr::memmem;
use serde::Deserialize;

use super::nri_module::MODULE;
use super::{Reader, Unreadable, requirement, text};
use crate::check::content::File;
use crate::sighting::{FileKind, Sighting};
use crate::skipped::SkipKind;

/// The maximum size of the file in bytes; those of large images have some ten megabytes.
const MAX_FILE: u64 = 64 << 20;

const NAME: &str = "bill-of-materials";

/// The keys by which the formats are recognised.
const KEYS: [&[u8]; 2] = [b"\"bomFormat\"", b"\"spdxVersion\""];

/// The reader of bills of materials.
pub(super) struct BillOfMaterials;

#[derive(Default, Deserialize)]
#[serde(default)]
struct Document {
    /// The parts in CycloneDX.
    components: Vec<Part>,
    /// The dependencies between parts in CycloneDX.
    dependencies: Vec<Dependencies>,
    /// The thing that CycloneDX describes.
    metadata: Metadata,
    /// The parts in SPDX.
    packages: Vec<Part>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Metadata {
    component: Part,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Part {
    name: String,
    #[serde(rename = "bom-ref")]
    reference: String,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Dependencies {
    #[serde(rename = "ref")]
    reference: String,
    depends_on: Vec<String>,
}

impl Reader for BillOfMaterials {
    fn name(&self) -> &'static str {
        NAME
    }

    fn recognises(&self, file: &File<'_>) -> bool {
        file.head.trim_ascii_start().starts_with(b"{")
            && KEYS
                .iter()
                .any(|key| memmem::find(&file.head, key).is_some())
    }

    fn read(&self, file: &File<'_>) -> Result<Vec<Sighting>, Unreadable> {
        let text = text::whole(file.content, MAX_FILE)?;
        let document: Document = serde_json::from_str(&text)
            .map_err(|error| Unreadable::new(SkipKind::Broken, format!("not valid: {error}")))?;
        if !document.depends_on_nri() {
            return Ok(Vec::new());
        }
        let detail = format!("lists {MODULE}");
        Ok(vec![requirement::sighting(
            file,
            FileKind::Other,
            NAME,
            detail,
        )])
    }
}

impl Document {
    /// Returns true if NRI is listed. If the document says what its subject depends on, NRI must be among that: others
    /// only depend on it through something else.
    fn depends_on_nri(&self) -> bool {
        let parts = self.components.iter().chain(&self.packages);
        let mut listed = parts.filter(|part| part.name == MODULE);
        let Some(nri) = listed.next() else {
            return false;
        };
        let subject = &self.metadata.component.reference;
        let mut all = self.dependencies.iter();
        match all.find(|one| !subject.is_empty() && one.reference == *subject) {
            Some(direct) => direct.depends_on.contains(&nri.reference),
            None => true,
        }
    }
}
