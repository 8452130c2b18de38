//! Options for the generated source.

use syn::Path;

/// Options for the generated source; the [`Builder`](crate::Builder) sets them.
#[derive(Clone)]
pub struct Options {
    pub(crate) client: bool,
    pub(crate) server: bool,
    pub(crate) serde: bool,
    /// True if maps are `BTreeMap`s, which are ordered, instead of `HashMap`s.
    pub(crate) ordered_maps: bool,
    /// Path of `prost` in the user's crate, if it is not `::prost`.
    pub(crate) prost: Option<Path>,
    /// Path of a module with `Status` and `Code`, instead of emitted ones.
    pub(crate) status: Option<Path>,
    /// Rust paths of types and packages that are not generated, by their names in protobuf.
    pub(crate) externs: Vec<(String, Path)>,
    /// Attributes by path of a type, as prost-build matches paths.
    pub(crate) types: Vec<(String, String)>,
    /// Attributes by path of a field.
    pub(crate) fields: Vec<(String, String)>,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            client: true,
            server: true,
            serde: false,
            ordered_maps: false,
            prost: None,
            status: None,
            externs: Vec::new(),
            types: Vec::new(),
            fields: Vec::new(),
        }
    }
}

impl Options {
    /// Returns options that leave out clients and servers.
    pub fn messages_only() -> Options {
        Options { client: false, server: false, ..Options::default() }
    }

    /// Returns the path of `prost`.
    pub(crate) fn prost(&self) -> Path {
        let prost = self.prost.clone();
        prost.unwrap_or_else(|| syn::parse_quote!(::prost))
    }

    /// Generates `BTreeMap` instead of `HashMap` for the maps of messages.
    #[must_use]
    pub fn with_ordered_maps(self) -> Options {
        Options { ordered_maps: true, ..self }
    }
}
