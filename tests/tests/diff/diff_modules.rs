//! Protocols compared as they lie in their published Go modules: containerd's API and CRI. What
//! they import comes from other modules, through `-I`.

use std::path::{Path, PathBuf};
use std::process::Command;

use nri_compat::diff::diff_with;
use nri_compat::report::diff::DiffReport;
use nri_compat::report::finding::Category;
use nri_schema::compile::Imports;
use nri_tests::peers::run;

const CONTAINERD: &str = "github.com/containerd/containerd/api";
const CRI: &str = "k8s.io/cri-api";
const GOGO: &str = "github.com/gogo/protobuf";

/// A file that containerd's API imports, and no Go module has.
const STATUS: &str = "syntax = \"proto3\";
package google.rpc;
import \"google/protobuf/any.proto\";
message Status { int32 code = 1; string message = 2; repeated google.protobuf.Any details = 3; }
";

/// Downloads a module; returns its folder.
fn module(path: &str, version: &str) -> PathBuf {
    let mut go = Command::new("go");
    let answer = run(go.args(["mod", "download", "-json"]).arg(format!("{path}@{version}")));
    let answer: serde_json::Value = serde_json::from_str(&answer).unwrap();
    PathBuf::from(answer["Dir"].as_str().expect("a folder"))
}

fn compare(from: &Path, to: &Path, import: &str) -> Result<DiffReport, String> {
    let mut imports = Imports::new();
    imports.add(import);
    let [from, to] = [from, to].map(|path| path.to_str().expect("text"));
    diff_with(from, to, [&imports, &imports], Category::File).map_err(|error| error.to_string())
}

/// Returns the error of a comparison with an empty folder of imports.
fn without_imports(from: &Path, to: &Path) -> String {
    let empty = tempfile::tempdir().unwrap();
    compare(from, to, empty.path().to_str().unwrap()).unwrap_err()
}

/// Returns the rules of all findings.
fn rules(report: &DiffReport) -> Vec<&str> {
    report.findings.iter().map(|finding| finding.rule).collect()
}

#[test]
fn the_api_of_containerd() {
    let folder = tempfile::tempdir().unwrap();
    let google = folder.path().join("google/rpc");
    std::fs::create_dir_all(&google).unwrap();
    std::fs::write(google.join("status.proto"), STATUS).unwrap();
    let (old, new) = (module(CONTAINERD, "v1.10.0"), module(CONTAINERD, "v1.12.0"));
    let import = folder.path().to_str().unwrap();
    let report = compare(&old, &new, import).unwrap();
    assert_eq!(rules(&report), [""; 0]);
    assert!(!rules(&compare(&new, &old, import).unwrap()).is_empty());
    let error = without_imports(&old, &new);
    assert!(error.contains("import 'google/rpc/status.proto' not found"), "{error}");
}

#[test]
fn cri() {
    let folder = |version| module(CRI, version).join("pkg/apis/runtime/v1");
    let (old, new) = (folder("v0.31.2"), folder("v0.37.0"));
    let import = format!("{GOGO}={}", module(GOGO, "v1.3.2").display());
    let report = compare(&old, &new, &import).unwrap();
    assert!(rules(&report).contains(&"FIELD_SAME_TYPE"), "{:?}", report.findings);
    let error = without_imports(&old, &new);
    assert!(error.contains("gogoproto/gogo.proto' not found"), "{error}");
}
