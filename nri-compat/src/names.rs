//! The names of the variants of enums.

/// Gives each variant the name that every format uses.
macro_rules! names {
    ($($type:ident { $($variant:ident = $name:literal,)* })*) => {
        $(
            impl $type {
                /// Every variant, in the order of their declaration.
                pub const ALL: [Self; [$($name),*].len()] = [$(Self::$variant),*];

                /// Returns the name used in every format.
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
        )*
    };
}
pub(crate) use names;
