//! Checks answers of handlers, so that mistakes show up in the log of the plugin.

use super::check_answers::CheckAnswers;
use super::tools::Tools;
use crate::adjust::Invalid;
use crate::plugin::{Answer, Body, Subject};
use crate::{Error, Result};

impl Tools {
    /// Returns the response to send, and logs the problems that the check of the answer has found.
    ///
    /// # Errors
    ///
    /// Returns the problems of the answer, if answers with problems are refused.
    pub(crate) fn accept(&self, rpc: &str, subject: &Subject, answer: Answer) -> Result<Body> {
        match (answer.invalid, self.check_answers) {
            (None, _) | (Some(_), CheckAnswers::Off) => {}
            (Some(invalid), CheckAnswers::Warn) => warn(rpc, subject, &invalid),
            (Some(invalid), CheckAnswers::Refuse) => return Err(Error::from(invalid)),
        }
        Ok(answer.response)
    }
}

fn warn(rpc: &str, subject: &Subject, invalid: &Invalid) {
    let (pod, container) = (subject.pod(), subject.container());
    for problem in invalid.problems() {
        tracing::warn!(
            pod,
            container,
            help = problem.help(),
            "invalid answer to {rpc}{subject}: {problem}"
        );
    }
}
