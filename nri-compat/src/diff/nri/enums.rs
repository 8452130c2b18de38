//! Enum values that one side sends and the other does not know.

use super::semantics::EVENT;
use nri_schema::model::Enum;

use super::{Context, Sink};

pub(super) fn check(cx: &Context<'_>, sink: &mut Sink) {
    let before = cx.from.enums();
    for new in cx.to.enums() {
        let name = cx.to.relative(&new.full_name);
        let same = |old: &&&Enum| cx.from.relative(&old.full_name) == name;
        if let (Some(old), true) = (before.iter().find(same), name != EVENT) {
            values(cx, name, old, new, sink);
        }
    }
}

fn values(cx: &Context<'_>, name: &str, old: &Enum, new: &Enum, sink: &mut Sink) {
    let (rule, who) = if cx.flows_to.answers.contains(name) {
        ("NRI_ENUM_VALUE_UNKNOWN_TO_OLDER_RUNTIME", "runtimes")
    } else if cx.flows_to.requests.contains(name) {
        ("NRI_ENUM_VALUE_UNKNOWN_TO_OLDER_PLUGIN", "plugins")
    } else {
        return;
    };
    for value in &new.values {
        let mut before = old.values.iter();
        if before.all(|before| before.number != value.number) {
            let message = format!(
                "value {} `{}` of {name} is new: older {who} do not know what it means",
                value.number, value.name
            );
            sink.report_declared(rule, value, message);
        }
    }
}
