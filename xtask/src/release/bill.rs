//! Software bills of materials of the programs, in CycloneDX and in SPDX.

use serde_json::{Value, json};

use super::ReleaseBuild;
use super::layout::sha256;
use crate::error::TaskError;
use crate::metadata::{BRIDGE, COMMAND};
use crate::tool::Tool;

/// The formats of `cargo sbom`, and the extension of the file.
const FORMATS: [(&str, &str); 2] =
    [("cyclone_dx_json_1_6", "cdx.json"), ("spdx_json_2_3", "spdx.json")];

impl ReleaseBuild<'_> {
    /// Writes the bills.
    pub(super) fn bills(&self) -> Result<(), TaskError> {
        for package in [COMMAND, BRIDGE] {
            for (format, extension) in FORMATS {
                let bill = self.reproducible(self.bill(package, format)?);
                let name = format!("{package}-{}.{extension}", self.metadata.version);
                let mut text = format!("{bill:#}");
                text.push('\n');
                self.write(&self.out.join(name), text.as_bytes())?;
            }
        }
        Ok(())
    }

    fn bill(&self, package: &str, format: &str) -> Result<Value, TaskError> {
        let arguments = ["sbom", "--cargo-package", package, "--output-format", format];
        let json = Tool::new("cargo", "`source .ci/setup.sh; install_release` installs cargo-sbom")
            .with(|cargo| {
                cargo.args(arguments).current_dir(self.root);
            })
            .output()?;
        serde_json::from_slice(&json)
            .map_err(|source| TaskError::Output { program: "cargo sbom".to_owned(), source })
    }

    /// Replaces times and random ids, and orders all lists, so that the same sources give the same
    /// bill.
    fn reproducible(&self, mut bill: Value) -> Value {
        for package in packages(&mut bill) {
            locate(package);
        }
        correct_ids(&mut bill);
        sort(&mut bill);
        let time = self.metadata.timestamp();
        if let Some(created) = bill.pointer_mut("/creationInfo/created") {
            *created = json!(time);
        }
        if let Some(created) = bill.pointer_mut("/metadata/timestamp") {
            *created = json!(time);
        }
        if let Some(bill) = bill.as_object_mut() {
            // Optional in CycloneDX.
            bill.remove("serialNumber");
            bill.remove("documentNamespace");
        }
        if bill.get("spdxVersion").is_some() {
            let sum = sha256(bill.to_string().as_bytes());
            bill["documentNamespace"] = json!(format!("{}/spdx/{sum}", self.metadata.address));
        }
        bill
    }
}

/// Returns the packages of a bill in SPDX; none in CycloneDX.
fn packages(bill: &mut Value) -> impl Iterator<Item = &mut Value> {
    let packages = bill.get_mut("packages").and_then(Value::as_array_mut);
    packages.into_iter().flatten()
}

/// Replaces the index that cargo names by the address of the crate, because SPDX wants one that can
/// be downloaded.
fn locate(package: &mut Value) {
    let is_index = |location: &str| location.starts_with("registry+");
    let location = package.get("downloadLocation").and_then(Value::as_str);
    if !location.is_some_and(is_index) {
        return;
    }
    let text = |key: &str| package.get(key).and_then(Value::as_str).unwrap_or_default();
    let address = format!(
        "https://crates.io/api/v1/crates/{}/{}/download",
        text("name"),
        text("versionInfo")
    );
    package["downloadLocation"] = json!(address);
}

/// Replaces the underscores in ids of SPDX, which its specification does not allow.
fn correct_ids(value: &mut Value) {
    match value {
        Value::Array(elements) => elements.iter_mut().for_each(correct_ids),
        Value::Object(fields) => fields.values_mut().for_each(correct_ids),
        Value::String(text) if text.starts_with("SPDXRef-") => *text = text.replace('_', "."),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// Orders the elements of all lists by their text.
fn sort(value: &mut Value) {
    match value {
        Value::Array(elements) => {
            elements.iter_mut().for_each(sort);
            elements.sort_by_cached_key(Value::to_string);
        }
        Value::Object(fields) => fields.values_mut().for_each(sort),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packages_of_the_registry_have_an_address() {
        let mut package = json!({
            "name": "a",
            "versionInfo": "1.0.0",
            "downloadLocation": "registry+https://github.com/rust-lang/crates.io-index",
        });
        locate(&mut package);
        assert_eq!(package["downloadLocation"], "https://crates.io/api/v1/crates/a/1.0.0/download");
    }

    #[test]
    fn lists_are_ordered_from_within() {
        let mut value = json!({ "a": [{ "b": [2, 1] }, { "b": [0] }] });
        sort(&mut value);
        assert_eq!(value, json!({ "a": [{ "b": [0] }, { "b": [1, 2] }] }));
    }
}
