//! Errors among the lines that a plugin prints.

/// The beginnings of lines that report an error: of panics, of programs, and of logrus on a
/// terminal.
const BEGINNINGS: &[&str] = &["panic:", "fatal error:", "fatal:", "error:", "erro[", "fata["];

/// Parts of lines that report an error: the levels of logrus, slog, zap, zerolog and tracing, and
/// panics of Rust.
const PARTS: &[&str] = &[
    "level=error",
    "level=fatal",
    "level=panic",
    "\"level\":\"error\"",
    "\"level\":\"fatal\"",
    "\"level\":\"panic\"",
    "' panicked at",
    "(core dumped)",
];

/// Returns the lines that report an error.
pub(super) fn error_lines(lines: &[String]) -> Vec<String> {
    lines.iter().filter(|line| is_error(line)).cloned().collect()
}

fn is_error(line: &str) -> bool {
    let plain = line.trim_start();
    let lower = plain.to_ascii_lowercase();
    is_klog_error(plain)
        || line.contains(" ERROR ")
        || BEGINNINGS.iter().any(|it| lower.starts_with(it))
        || PARTS.iter().any(|it| lower.contains(it))
}

/// Returns true for lines of klog at level error or fatal, such as
/// `E0422 10:11:12.131415    1 main.go:7] failed`.
fn is_klog_error(line: &str) -> bool {
    let digits = line
        .strip_prefix(['E', 'F'])
        .map(str::as_bytes)
        .and_then(|rest| rest.split_first_chunk::<4>());
    digits.is_some_and(|(date, rest)| {
        date.iter().all(u8::is_ascii_digit) && rest.first() == Some(&b' ') && line.contains(']')
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_errors_of_common_loggers_are_found() {
        for line in [
            "panic: runtime error: index out of range [3] with length 3",
            "fatal error: all goroutines are asleep - deadlock!",
            "thread 'main' panicked at src/main.rs:3:5:",
            "Error: cannot read the configuration",
            r#"time="2026-03-18T20:15:04Z" level=error msg="Plugin exited""#,
            "time=2026-03-18T20:15:04.000Z level=ERROR msg=failed",
            r#"{"level":"error","ts":1.5,"msg":"failed"}"#,
            "2026-03-18T20:15:04Z ERROR nri: failed",
            "E0318 20:15:04.861795    7 main.go:12] failed",
            "ERRO[0000] failed",
        ] {
            assert!(is_error(line), "{line}");
        }
        for line in [
            "",
            "level=info msg=\"no error\"",
            "E2E tests",
            "errors: 0",
            "there was no error this time",
            "INFO registered",
            "Every pod is new",
        ] {
            assert!(!is_error(line), "{line}");
        }
    }
}
