//! The types that handlers return, and how each is checked before it is sent.

use crate::adjust::{Adjustment, Invalid, Updates, Verdict};
use crate::plugin::Subscription;

/// The answer of a handler.
pub trait Checked {
    /// Checks for problems that the runtime would reject.
    ///
    /// # Errors
    ///
    /// Returns [`Invalid`] with every problem found.
    fn check(&self) -> Result<(), Invalid>;
}

macro_rules! checked {
    ($($answer:ty)*) => {$(
        impl Checked for $answer {
            fn check(&self) -> Result<(), Invalid> {
                <$answer>::check(self)
            }
        }
    )*};
}

/// Types without fields that could be invalid.
macro_rules! always_valid {
    ($($answer:ty)*) => {$(
        impl Checked for $answer {
            fn check(&self) -> Result<(), Invalid> {
                Ok(())
            }
        }
    )*};
}

checked!(Adjustment Updates);
always_valid!(() Subscription Verdict);
