/// An answer that is an error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Status {
    /// What kind of error.
    pub code: Code,
    /// What went wrong, for people.
    pub message: ::prost::alloc::string::String,
}

impl Status {
    /// Returns a status of this code.
    pub fn new(
        code: Code,
        message: impl ::core::convert::Into<::prost::alloc::string::String>,
    ) -> Status {
        Status {
            code,
            message: message.into(),
        }
    }
}

impl ::core::fmt::Display for Status {
    fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
        ::core::write!(f, "{} (code {})", self.message, self.code.0)
    }
}

impl ::core::error::Error for Status {}
