#![deny(warnings)]
use nri::plugin::Plugin;
use nri::prelude::*;
use std::borrow::Cow;

macro_rules! runs_pods {
    ($plugin:ty $(, [$($parameters:tt)*])?) => {
        impl $(<$($parameters)*>)? RunPodSandbox for $plugin {
            async fn run_pod_sandbox(&self, _: &EventContext, _: PodSandbox) -> nri::Result<()> {
                Ok(())
            }
        }
    };
}

#[derive(NriPlugin)]
enum Enum {
    One,
    Other { field: u8 },
}
runs_pods!(Enum);

/// Lives for ever, so its lifetime does.
#[derive(NriPlugin)]
struct Borrowing<'a: 'a>(Cow<'a, str>);
runs_pods!(Borrowing<'static>);

trait Backend: Send + Sync + 'static {}
impl Backend for u8 {}

/// No bound on the type itself: `bound` brings it.
#[derive(NriPlugin)]
#[nri(handles(RunPodSandbox), bound(B: Backend), required(RunPodSandbox))]
struct Bound<B>(B);
runs_pods!(Bound<B>, [B: Backend]);

#[derive(NriPlugin)]
#[nri(handles(RunPodSandbox))]
struct Where<'a, T: Clone, const N: usize>(&'a [T; N])
where
    &'a T: Sized;
runs_pods!(Where<'static, T, N>, [T: Clone + Send + Sync + 'static, const N: usize]);

/// Raw identifiers, and a type made by another macro.
macro_rules! plugin {
    ($name:ident) => {
        #[derive(NriPlugin)]
        #[allow(non_camel_case_types)]
        struct $name;
        runs_pods!($name);
    };
}
plugin!(r#match);

fn main() {
    let _ = (Enum::One, Enum::Other { field: 1 }, r#match, Borrowing(Cow::Borrowed("")), Bound(0_u8), Where(&[0; 2]));
    if let Enum::Other { field } = Enum::One {
        println!("{field}");
    }
    let masks = [Enum::EVENTS, Borrowing::EVENTS, Bound::<u8>::EVENTS, Where::<u8, 2>::EVENTS, r#match::EVENTS];
    assert!(masks.iter().all(|mask| mask.bits() == 1));
    let rows = Where::<u8, 2>::TABLE;
    assert_eq!(rows.iter().filter(|row| row.handler.is_some()).count(), 1);
}
