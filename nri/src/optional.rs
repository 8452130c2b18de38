//! Optional values: conversions between `Option<i64>`, `Option<OptionalInt64>` and similar types.
//!
//! In a message, an unset value is an omitted wrapper, so that a limit of 0 differs from no limit.
//! The bindings use `Option<OptionalInt64>` for it.
//!
//! ```
//! use nri::api::{LinuxMemory, OptionalInt64};
//! use nri::optional::Optional;
//!
//! let mut memory = LinuxMemory { limit: Some(4096.into()), ..LinuxMemory::default() };
//! assert_eq!(memory.limit.get(), Some(4096));
//! assert_eq!(memory.swap.get(), None);
//!
//! let swap: Option<i64> = Some(8192);
//! memory.swap = Optional::of(swap);
//! assert_eq!(memory.swap, Some(OptionalInt64 { value: 8192 }));
//! memory.swap.set(0);
//! assert_eq!(memory.swap.get(), Some(0));
//! ```

use crate::api::{
    OptionalBool, OptionalFileMode, OptionalInt, OptionalInt32, OptionalInt64,
    OptionalRepeatedString, OptionalString, OptionalUInt32, OptionalUInt64,
};

/// An optional value of a message, such as `Option<OptionalInt64>`.
pub trait Optional: Sized {
    /// The type of the value.
    type Value;

    /// Returns the value, if it is set.
    fn get(&self) -> Option<Self::Value>;

    /// Converts an optional value to the type in the message.
    fn of(value: Option<Self::Value>) -> Self;

    /// Sets the value.
    fn set(&mut self, value: Self::Value) {
        *self = Self::of(Some(value));
    }
}

macro_rules! optional {
    ($($wrapper:ident($value:ty),)*) => {$(
        impl From<$value> for $wrapper {
            fn from(value: $value) -> Self {
                $wrapper { value }
            }
        }

        impl Optional for Option<$wrapper> {
            type Value = $value;

            fn get(&self) -> Option<$value> {
                self.as_ref().map(|wrapper| wrapper.value.clone())
            }

            fn of(value: Option<$value>) -> Self {
                value.map(Into::into)
            }
        }
    )*};
}

optional! {
    OptionalBool(bool),
    OptionalFileMode(u32),
    OptionalInt(i64),
    OptionalInt32(i32),
    OptionalInt64(i64),
    OptionalRepeatedString(Vec<String>),
    OptionalString(String),
    OptionalUInt32(u32),
    OptionalUInt64(u64),
}

impl From<&str> for OptionalString {
    fn from(value: &str) -> Self {
        value.to_owned().into()
    }
}

impl OptionalFileMode {
    /// Returns only the permission bits. The bits above them have Go's numbers, not those of the
    /// kernel.
    pub fn permissions(&self) -> u32 {
        self.value & 0o777
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn permissions_are_the_low_nine_bits() {
        let go_setuid = OptionalFileMode::from(1 << 23 | 0o4755);
        assert_eq!(go_setuid.permissions(), 0o755);
    }
}
