//! The words by which bills of materials are recognised.

/// The words near the beginning of a bill of materials, and the name of its format with an article,
/// if the word tells.
pub(crate) const MATERIAL_WORDS: [(&str, &str); 10] = [
    ("\"bomFormat\"", "a CycloneDX"),
    ("cyclonedx.org/", "a CycloneDX"),
    ("spdxVersion", "an SPDX"),
    ("SPDXVersion", "an SPDX"),
    ("\"SPDXID\"", "an SPDX"),
    ("spdx.org/rdf/", "an SPDX"),
    ("\"artifacts\"", "a syft"),
    ("\"ArtifactName\"", "a trivy"),
    ("\"purl\"", "a"),
    ("\"components\"", "a"),
];
