//! The macro that takes what the build script generated.

/// Includes the bindings that the build script generated for a version, under the name it was asked for there:
/// `include_bindings!("0.11")`, `include_bindings!("containerd@2.2.1")`; for a proto of your own, the name of its file
/// without `.proto`.
///
/// The items stand where the macro does, so give each version a module. Without a version, all of them come, each in
/// a module after its revision: `v0_11_0`.
///
/// ```ignore
/// pub mod v0_11 {
///     nri_codegen::include_bindings!("0.11");
/// }
///
/// pub mod nri {
///     nri_codegen::include_bindings!();
/// }
/// ```
#[macro_export]
macro_rules! include_bindings {
    () => {
        include!(concat!(env!("OUT_DIR"), "/nri-bindings/mod.rs"));
    };
    ($version:literal) => {
        include!(concat!(env!("OUT_DIR"), "/nri-bindings/", $version, ".rs"));
    };
}
