//! The messages of `#[derive(NriPlugin)]` about mistakes, and the code that it accepts without
//! warnings.

#[test]
fn mistakes_are_told_on_the_tokens_at_fault() {
    trybuild::TestCases::new().compile_fail("ui/fail/*.rs");
}

#[test]
fn what_is_right_compiles_and_runs() {
    trybuild::TestCases::new().pass("ui/pass/*.rs");
}
