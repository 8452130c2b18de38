//! The platforms of an image that are checked.

use std::fmt;

use serde_json::Value;

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
        match asked {
            None => Ok(Self::Linux),
            Some(text) => Platform::parse(text).map(Self::Only).ok_or_else(|| {
                let shown = crate::escape::bytes(text.as_bytes());
                format!("`{shown}` is not a platform; write OS/ARCHITECTURE[/VARIANT], such as linux/arm64")
            }),
        }
    }

    /// Returns true if an entry of an index is checked.
    pub(super) fn wants(&self, stated: &Value) -> bool {
        let Some(stated) = Platform::of(stated) else {
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
        let is_word = |part: &str| {
            !part.is_empty()
                && part
                    .bytes()
                    .all(|byte| byte.is_ascii_alphanumeric() || b"_.-".contains(&byte))
        };
        let parts: Vec<&str> = text.split('/').collect();
        let (os, architecture, variant) = match parts.as_slice() {
            [os, architecture] => (os, architecture, None),
            [os, architecture, variant] => (os, architecture, Some(variant)),
            _ => return None,
        };
        parts.iter().all(|part| is_word(part)).then(|| {
            let (architecture, implied) = known(&architecture.to_ascii_lowercase());
            let variant = variant.map(|variant| variant.to_ascii_lowercase());
            Self {
                os: os.to_ascii_lowercase(),
                variant: variant.or(implied.map(str::to_owned)),
                architecture,
            }
        })
    }

    /// Returns the platform that an index or a configuration states.
    pub(super) fn of(value: &Value) -> Option<Self> {
        let text = |key: &str| value.get(key).and_then(Value::as_str).map(str::to_owned);
        Some(Self {
            os: text("os")?,
            architecture: text("architecture")?,
            variant: text("variant").filter(|variant| !variant.is_empty()),
        })
    }

    /// Returns true if an image for `other` is one for this platform.
    fn matches(&self, other: &Self) -> bool {
        self.os == other.os
            && self.architecture == other.architecture
            && (self.variant.is_none() || self.full_variant() == other.full_variant())
    }

    /// Returns the variant, or the one that its absence means, as containerd understands them.
    fn full_variant(&self) -> Option<String> {
        let digits = |text: &str| text.trim_start_matches('v').to_owned();
        let stated = self.variant.as_deref().map(digits);
        match self.architecture.as_str() {
            "arm" => stated.or_else(|| Some("7".to_owned())),
            "arm64" => stated.or_else(|| Some("8".to_owned())),
            "amd64" => stated.filter(|variant| variant != "1"),
            _ => stated,
        }
    }
}

/// Returns the name that images use for an architecture, and the variant that other names imply.
fn known(architecture: &str) -> (String, Option<&'static str>) {
    let (name, variant) = match architecture {
        "x86_64" | "x86-64" => ("amd64", None),
        "aarch64" => ("arm64", None),
        "i386" => ("386", None),
        "armhf" => ("arm", Some("v7")),
        "armel" => ("arm", Some("v6")),
        other => (other, None),
    };
    (name.to_owned(), variant)
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
        let wants = |asked: Option<&str>, os: &str, architecture: &str, variant: &str| {
            let stated = json!({"os": os, "architecture": architecture, "variant": variant});
            Platforms::parse(asked).unwrap().wants(&stated)
        };
        assert!(wants(None, "linux", "riscv64", "") && !wants(None, "windows", "amd64", ""));
        assert!(Platforms::Linux.wants(&Value::Null));
        assert!(wants(Some("linux/arm64"), "linux", "arm64", "v8"));
        assert!(wants(Some("linux/aarch64/v8"), "linux", "arm64", ""));
        assert!(wants(Some("linux/arm64/8"), "linux", "arm64", ""));
        assert!(wants(Some("linux/arm"), "linux", "arm", "v7"));
        assert!(wants(Some("linux/arm/v7"), "linux", "arm", ""));
        assert!(wants(Some("linux/arm/V7"), "linux", "arm", "7"));
        assert!(!wants(Some("linux/arm/v6"), "linux", "arm", ""));
        assert!(wants(Some("linux/armhf"), "linux", "arm", "v7"));
        assert!(!wants(Some("linux/armel"), "linux", "arm", "v7"));
        assert!(wants(Some("linux/amd64/v1"), "linux", "amd64", ""));
        assert!(wants(Some("linux/amd64"), "linux", "amd64", "v3"));
        assert!(!wants(Some("linux/amd64/v2"), "linux", "amd64", "v3"));
        assert!(!wants(Some("linux/arm/v6"), "linux", "arm", "v7"));
        assert!(!wants(Some("linux/amd64"), "linux", "arm64", ""));
        assert!(wants(Some("windows/amd64"), "windows", "amd64", ""));
    }

    #[test]
    fn other_text_is_not_a_platform() {
        for text in [
            "",
            "linux",
            "linux/",
            "/amd64",
            "linux/amd64/v1/x",
            "linux/a b",
            "linux/\u{1b}",
        ] {
            assert!(
                Platforms::parse(Some(text))
                    .unwrap_err()
                    .contains("is not a platform"),
                "{text}"
            );
        }
    }
}
