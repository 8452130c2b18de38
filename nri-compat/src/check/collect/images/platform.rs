//! The platforms of an image that are checked.

use std::fmt;

use serde_json::Value;

/// The names that `uname` gives to architectures, and those of images.
const MACHINES: [(&str, &str); 2] = [("x86_64", "amd64"), ("aarch64", "arm64")];

/// The platforms to check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Platforms {
    /// Every Linux platform, and images that state none.
    Linux,
    Only(Platform),
}

/// A platform: `linux/arm64`, `linux/arm/v7`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Platform {
    os: String,
    architecture: String,
    variant: Option<String>,
}

impl Platforms {
    /// Parses the value of `--platform`.
    pub(super) fn parse(asked: Option<&str>) -> Result<Self, String> {
        let Some(text) = asked else {
            return Ok(Self::Linux);
        };
        Platform::parse(text).map(Self::Only).ok_or_else(|| {
            let shown = crate::escape::bytes(text.as_bytes());
            format!(
                "`{shown}` is not a platform; write OS/ARCHITECTURE[/VARIANT], such as linux/arm64"
            )
        })
    }

    /// Returns true if an entry of an index is checked.
    pub(super) fn wants(&self, stated: &Value) -> bool {
        let Some(stated) = Platform::stated(stated) else {
            return true;
        };
        match self {
            Self::Linux => stated.os == "linux",
            Self::Only(wanted) => wanted.matches(&stated),
        }
    }
}

impl Platform {
    fn parse(text: &str) -> Option<Self> {
        let is_sign = |byte: u8| byte.is_ascii_alphanumeric() || b"_.-".contains(&byte);
        let is_word = |part: &&str| !part.is_empty() && part.bytes().all(is_sign);
        let parts: Vec<&str> = text.split('/').filter(is_word).collect();
        let (os, architecture, variant) = match parts.as_slice() {
            [os, architecture] => (*os, *architecture, None),
            [os, architecture, variant] => (*os, *architecture, Some((*variant).to_owned())),
            _ => return None,
        };
        let machine = MACHINES.iter().find(|(name, _)| *name == architecture);
        (parts.join("/") == text).then(|| Self {
            os: os.to_owned(),
            architecture: machine.map_or(architecture, |(_, name)| name).to_owned(),
            variant,
        })
    }

    /// Returns the platform that an index or a configuration states.
    pub(super) fn stated(value: &Value) -> Option<Self> {
        let text = |key: &str| value.get(key).and_then(Value::as_str).map(str::to_owned);
        Some(Self {
            os: text("os")?,
            architecture: text("architecture")?,
            variant: text("variant").filter(|variant| !variant.is_empty()),
        })
    }

    /// Returns true if an image for `other` is one for this platform. One without a variant is for all of
    /// them.
    fn matches(&self, other: &Self) -> bool {
        let variants = self.variant.as_ref().zip(other.variant.as_ref());
        self.os == other.os
            && self.architecture == other.architecture
            && variants.is_none_or(|(one, other)| one == other)
    }
}

impl fmt::Display for Platform {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.os, self.architecture)?;
        match &self.variant {
            Some(variant) => write!(f, "/{variant}"),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_platform_without_variant_means_all_of_them() {
        for (asked, os, architecture, variant, wanted) in [
            (None, "linux", "riscv64", "", true),
            (None, "windows", "amd64", "", false),
            (Some("linux/arm64"), "linux", "arm64", "v8", true),
            (Some("linux/aarch64/v8"), "linux", "arm64", "", true),
            (Some("linux/arm/v7"), "linux", "arm", "v7", true),
            (Some("linux/arm/v6"), "linux", "arm", "v7", false),
            (Some("linux/amd64"), "linux", "arm64", "", false),
            (Some("windows/amd64"), "windows", "amd64", "", true),
        ] {
            let stated = json!({"os": os, "architecture": architecture, "variant": variant});
            let platforms = Platforms::parse(asked).unwrap();
            assert_eq!(platforms.wants(&stated), wanted, "{asked:?} {stated}");
        }
        assert!(Platforms::Linux.wants(&Value::Null));
        for text in [
            "",
            "linux",
            "linux/",
            "/amd64",
            "linux/amd64/v1/x",
            "linux/a b",
            "a//b",
        ] {
            let error = Platforms::parse(Some(text)).unwrap_err();
            assert!(error.contains("is not a platform"), "{text}");
        }
    }
}
