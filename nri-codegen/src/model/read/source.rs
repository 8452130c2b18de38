//! Comments and locations from the source info of a descriptor.

use std::collections::HashMap;

use prost_types::FileDescriptorProto;
use prost_types::source_code_info::Location as Info;

use crate::model::{About, Location};

/// The source info of one file, by path.
pub(super) struct SourceInfo<'f> {
    file: &'f str,
    by_path: HashMap<&'f [i32], &'f Info>,
}

impl<'f> SourceInfo<'f> {
    pub(super) fn of(file: &'f FileDescriptorProto) -> Self {
        let infos = file.source_code_info.as_ref().map(|info| &info.location);
        let infos = infos.map(Vec::as_slice).unwrap_or_default().iter();
        SourceInfo {
            file: file.name(),
            by_path: infos.map(|info| (info.path.as_slice(), info)).collect(),
        }
    }

    pub(super) fn about(&self, path: &[i32]) -> About {
        let Some(info) = self.by_path.get(path) else {
            return About::default();
        };
        About {
            comment: comment(info),
            location: self.location(info),
        }
    }

    fn location(&self, info: &Info) -> Option<Location> {
        let from_one = |index| u32::try_from(*info.span.get(index)?).ok()?.checked_add(1);
        Some(Location {
            file: self.file.to_owned(),
            line: from_one(0)?,
            column: from_one(1)?,
        })
    }
}

/// Returns the comment's lines, without the space that separates them from the comment signs.
fn comment(info: &Info) -> String {
    let text = match info.leading_comments() {
        "" => info.trailing_comments(),
        leading => leading,
    };
    let lines = text
        .lines()
        .map(|line| line.strip_prefix(' ').unwrap_or(line).trim_end());
    lines
        .collect::<Vec<_>>()
        .join("\n")
        .trim_matches('\n')
        .to_owned()
}
