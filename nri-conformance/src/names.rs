//! Names of variants.

/// Defines enums whose variants have a name for reports.
macro_rules! names {
    ($(#[$about:meta])* pub enum $type:ident {
        $($(#[$doc:meta])* $variant:ident = $name:literal,)*
    }) => {
        $(#[$about])*
        #[derive(serde::Serialize)]
        #[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(inline))]
        pub enum $type {
            $($(#[$doc])* #[serde(rename = $name)] $variant,)*
        }

        impl $type {
            /// Every variant, in the order of their declaration.
            pub const ALL: &'static [Self] = &[$(Self::$variant),*];

            /// Returns the name, as in files and reports.
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)*
                }
            }
        }

        impl std::fmt::Display for $type {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.as_str())
            }
        }
    };
}
pub(crate) use names;
