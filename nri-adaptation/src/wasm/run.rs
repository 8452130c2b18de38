//! Calls a function of a module in slices, between which its limits are checked.

use wasmi::{Func, FuncType, ResumableCall, Store, Val, ValType};

use super::error::ModuleError;
use super::host::Host;

/// Fuel of a slice: some milliseconds.
const SLICE: u64 = 1_000_000;

/// Fuel of a start function, which the engine cannot interrupt.
pub(super) const START_FUEL: u64 = 100 * SLICE;

/// Calls a function with numbers. Returns its result, or `None` if it has none.
///
/// # Errors
///
/// Returns an error if the function takes something else than as many numbers or does not return one number or
/// nothing, traps, or exceeds a limit.
pub(super) fn call(
    store: &mut Store<Host>,
    (name, function): (&str, Func),
    arguments: &[u64],
) -> Result<Option<u64>, ModuleError> {
    let ty = function.ty(&*store);
    let invalid = || ModuleError::Signature(name.to_owned());
    let arguments = parameters(&ty, arguments).ok_or_else(invalid)?;
    let mut results: Vec<Val> = ty
        .results()
        .iter()
        .copied()
        .map(Val::default_for_ty)
        .collect();
    store.set_fuel(SLICE)?;
    let mut call = function.call_resumable(&mut *store, &arguments, &mut results)?;
    loop {
        match call {
            ResumableCall::Finished => break,
            ResumableCall::HostTrap(trapped) => return Err(trapped.into_host_error().into()),
            ResumableCall::OutOfFuel(paused) => {
                store.data().limit.check()?;
                store.set_fuel(SLICE.max(paused.required_fuel()))?;
                call = paused.resume(&mut *store, &mut results)?;
            }
        }
    }
    match results[..] {
        [] => Ok(None),
        [Val::I32(result)] => Ok(Some(u64::from(result as u32))),
        [Val::I64(result)] => Ok(Some(result as u64)),
        _ => Err(invalid()),
    }
}

/// Returns the arguments with the types of the parameters, or `None` if they do not match.
fn parameters(ty: &FuncType, arguments: &[u64]) -> Option<Vec<Val>> {
    if ty.params().len() != arguments.len() {
        return None;
    }
    let typed = ty.params().iter().zip(arguments);
    typed
        .map(|(ty, argument)| match ty {
            ValType::I32 => Some(Val::I32(*argument as u32 as i32)),
            ValType::I64 => Some(Val::I64(*argument as i64)),
            _ => None,
        })
        .collect()
}
