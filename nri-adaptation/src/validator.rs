//! Validators that belong to the runtime.

use nri::api::ValidateContainerAdjustmentRequest;

use super::validate::DefaultValidator;

/// Judges merged adjustments in the runtime's own process, before the plugins that validate.
///
/// [`DefaultValidator`] is one.
pub trait Validator: Send + Sync + 'static {
    /// Accepts or rejects an adjustment.
    ///
    /// # Errors
    ///
    /// Returns why the adjustment is rejected, which fails the request.
    fn validate(&self, request: &ValidateContainerAdjustmentRequest) -> Result<(), String>;
}

impl Validator for DefaultValidator {
    fn validate(&self, request: &ValidateContainerAdjustmentRequest) -> Result<(), String> {
        DefaultValidator::validate(self, request).map_err(|rejection| rejection.to_string())
    }
}
