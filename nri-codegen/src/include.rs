//! The macro that includes the generated bindings.

/// Includes the bindings that the build script generated for a version, by the name given to
/// [`Builder::version`](https://docs.rs/nri-codegen/latest/nri_codegen/struct.Builder.html#method.version):
/// `include_bindings!("0.11")`, `include_bindings!("containerd@2.2.1")`. For your own proto, that
/// is the name of its file without `.proto`.
///
/// The items are placed where the macro is, so use a module for each version. Without a version,
/// all versions are included, each in a module named after its revision: `v0_11_0`. A version that
/// the build script does not generate is an error that says which line to add.
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
    ($version:tt) => {
        include!(concat!(env!("OUT_DIR"), "/nri-bindings/select.rs"));
        nri_bindings!($version);
    };
}
