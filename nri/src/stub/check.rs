//! Checks of what handlers answer, so that a mistake shows in the plugin's own log.

use prost::Message;

use super::shared::Shared;
use crate::adjust::{Adjustment, Changes, Invalid, Updates};
use crate::api::{
    CreateContainerResponse, StopContainerResponse, SynchronizeResponse, UpdateContainerResponse,
};
use crate::plugin::Subject;
use crate::{Error, Result};

/// What the stub does about an answer that the runtime would reject, or that conflicts with itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CheckAnswers {
    /// Sends it, without a check.
    Off,
    /// Names every problem in a warning, and sends it.
    #[default]
    Warn,
    /// Answers with an error that names every problem instead.
    Refuse,
}

impl<P> Shared<P> {
    /// Checks the answer to an RPC.
    ///
    /// # Errors
    ///
    /// The problems of the answer, if such answers are to be refused.
    pub(super) fn check_answer(&self, rpc: &str, subject: &Subject, answer: &[u8]) -> Result<()> {
        if self.check_answers == CheckAnswers::Off || answer.is_empty() {
            return Ok(());
        }
        let Err(invalid) = check(rpc, answer)? else {
            return Ok(());
        };
        if self.check_answers == CheckAnswers::Refuse {
            return Err(Error::from(invalid));
        }
        let (pod, container) = (subject.pod(), subject.container());
        for problem in invalid.problems() {
            tracing::warn!(
                pod,
                container,
                help = problem.help(),
                "invalid answer to {rpc}{subject}: {problem}"
            );
        }
        Ok(())
    }
}

/// Checks an answer with the checks of its builder. Answers that change nothing pass.
fn check(rpc: &str, answer: &[u8]) -> Result<Result<(), Invalid>> {
    Ok(match rpc {
        "CreateContainer" => {
            let response = CreateContainerResponse::decode(answer)?;
            let adjustment = Adjustment {
                adjust: response.adjust.unwrap_or_default(),
                update: response.update,
                evict: response.evict,
            };
            adjustment.check()
        }
        "UpdateContainer" => {
            let UpdateContainerResponse { update, evict } =
                UpdateContainerResponse::decode(answer)?;
            Changes { update, evict }.check()
        }
        "StopContainer" => Updates::from(StopContainerResponse::decode(answer)?.update).check(),
        "Synchronize" => Updates::from(SynchronizeResponse::decode(answer)?.update).check(),
        _ => Ok(()),
    })
}
