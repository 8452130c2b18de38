//! The option to check answers.

/// The reaction of the stub to an answer that the runtime would reject, or that conflicts with
/// itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CheckAnswers {
    /// Sends the answer without checking it.
    Off,
    /// Logs every problem as a warning, and sends the answer.
    #[default]
    Warn,
    /// Answers with an error that names every problem.
    Refuse,
}
