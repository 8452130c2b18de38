//! A loaded module.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Instant;

use wasmi::{
    CompilationMode, Config, Engine, Extern, Func, FuncType, Instance, Linker, Memory,
    Module as Code, ResumableCall, Store, Val, ValType,
};

use super::error::ModuleError;
use super::imports;
use super::limits::{self, Host, Limit};
use crate::revision::Revision;
use nri::__private::RPCS;
use nri::wire::MAX_MESSAGE;

/// The first release with WebAssembly plugins.
const SINCE: &str = "v0.9.0";

/// Fuel of a slice: some milliseconds.
const SLICE: u64 = 1_000_000;

/// Fuel of a start function, which the engine cannot interrupt.
const START_FUEL: u64 = 100 * SLICE;

/// The version of the calling convention.
const API_VERSION: u64 = 1;

/// Marks the length of an answer that is an error message.
const ERROR: u32 = 1 << 31;

/// A module that is ready to be called.
pub(super) struct Module {
    store: Store<Host>,
    memory: Memory,
    malloc: Func,
    free: Func,
    functions: BTreeMap<&'static str, (String, Func)>,
}

impl Module {
    /// Compiles and starts a module, and finds its functions for all of these RPCs, or for any if
    /// there are none.
    ///
    /// # Errors
    ///
    /// Returns an error if the code is invalid, lacks a function or imports unknown ones, or
    /// exceeds a limit.
    pub(super) fn load(
        plugin: &str,
        code: &[u8],
        rpcs: Option<&[&'static str]>,
        memory: usize,
        limit: Limit,
    ) -> Result<Self, ModuleError> {
        let mut config = Config::default();
        // A call that runs out of fuel while a function is compiled cannot go on, so all are
        // compiled now.
        config.consume_fuel(true).wasm_multi_memory(false).compilation_mode(CompilationMode::Eager);
        let engine = Engine::new(&config);
        let code = compile(&engine, code)?;
        let data = Host {
            plugin: plugin.into(),
            limit,
            epoch: Instant::now(),
            engine: limits::store(memory),
        };
        let mut store = Store::new(&engine, data);
        store.limiter(|host| &mut host.engine);
        store.set_fuel(START_FUEL)?;
        let mut linker = Linker::new(&engine);
        imports::define(&mut linker, &code)?;
        let instance = linker.instantiate_and_start(&mut store, &code)?;
        if let Some(initialize) = instance.get_func(&store, "_initialize") {
            call(&mut store, ("_initialize", initialize), &[])?;
        }
        check_version(&mut store, instance)?;
        Self::with_functions(store, instance, rpcs)
    }

    fn with_functions(
        store: Store<Host>,
        instance: Instance,
        rpcs: Option<&[&'static str]>,
    ) -> Result<Self, ModuleError> {
        let known: Vec<_> = RPCS.iter().map(|rpc| rpc.name).collect();
        let mut functions = BTreeMap::new();
        for rpc in rpcs.unwrap_or(&known) {
            let name = function(rpc);
            match exported(&store, instance, &name) {
                Ok(function) => drop(functions.insert(*rpc, (name, function))),
                Err(error) if rpcs.is_some() => return Err(error),
                Err(_) => {}
            }
        }
        let memory = instance.get_export(&store, "memory");
        Ok(Module {
            memory: memory
                .and_then(Extern::into_memory)
                .ok_or_else(|| ModuleError::not_exported("memory"))?,
            malloc: exported(&store, instance, "malloc")?,
            free: exported(&store, instance, "free")?,
            functions,
            store,
        })
    }

    /// Returns the RPCs that it has functions for, in alphabetical order.
    pub(super) fn rpcs(&self) -> Vec<&'static str> {
        self.functions.keys().copied().collect()
    }

    /// Sends a request, within the limits. Returns the answer.
    ///
    /// # Errors
    ///
    /// Returns [`ModuleError::Plugin`] with an error of the plugin. After any other error the
    /// module must not be called again.
    pub(super) fn call(
        &mut self,
        rpc: &str,
        request: &[u8],
        limit: Limit,
    ) -> Result<Vec<u8>, ModuleError> {
        self.store.data_mut().limit = limit;
        let missing = || ModuleError::not_exported(&function(rpc));
        let (name, function) = self.functions.get(rpc).cloned().ok_or_else(missing)?;
        let address = self.pass(request)?;
        let arguments = [u64::from(address), request.len() as u64];
        let packed = call(&mut self.store, (&name, function), &arguments)?
            .ok_or_else(|| ModuleError::signature(&name))?;
        let answer = self.fetch(packed);
        self.free(address)?;
        answer
    }

    /// Writes a request to a buffer of the module. Returns its address, 0 for an empty request.
    fn pass(&mut self, request: &[u8]) -> Result<u32, ModuleError> {
        if request.is_empty() {
            return Ok(0);
        }
        let length = request.len() as u64;
        let address = call(&mut self.store, ("malloc", self.malloc), &[length])?
            .ok_or_else(|| ModuleError::signature("malloc"))? as u32;
        let written = self.memory.write(&mut self.store, address as usize, request);
        // No buffer begins at 0, so a module without memory left may return that.
        match written {
            Ok(()) if address != 0 => Ok(address),
            _ => Err(ModuleError::outside("request", address, length as u32)),
        }
    }

    /// Reads and frees the answer that a function has returned: the address, and the length with
    /// the error flag.
    fn fetch(&mut self, packed: u64) -> Result<Vec<u8>, ModuleError> {
        let (address, flagged) = ((packed >> 32) as u32, packed as u32);
        let length = flagged & !ERROR;
        if length as usize > MAX_MESSAGE {
            let message = format!("an answer of {length} bytes, at most {MAX_MESSAGE} are read");
            return Err(ModuleError::Failed(message));
        }
        let start = address as usize;
        let answer = self
            .memory
            .data(&self.store)
            .get(start..start.saturating_add(length as usize))
            .ok_or_else(|| ModuleError::outside("answer", address, length))?
            .to_vec();
        self.free(address)?;
        if flagged & ERROR == 0 {
            return Ok(answer);
        }
        let message = String::from_utf8_lossy(&answer).into_owned();
        Err(ModuleError::Plugin(message))
    }

    fn free(&mut self, address: u32) -> Result<(), ModuleError> {
        if address == 0 {
            return Ok(());
        }
        call(&mut self.store, ("free", self.free), &[u64::from(address)]).map(drop)
    }
}

/// Compiles the code of a module. The engine has assertions that some invalid code fails.
fn compile(engine: &Engine, code: &[u8]) -> Result<Code, ModuleError> {
    let compiled = catch_unwind(AssertUnwindSafe(|| Code::new(engine, code)));
    let panicked = |_| ModuleError::failed("the engine panicked while it compiled the module");
    Ok(compiled.map_err(panicked)??)
}

fn check_version(store: &mut Store<Host>, instance: Instance) -> Result<(), ModuleError> {
    let name = "plugin_api_version";
    let function = exported(store, instance, name)?;
    match call(store, (name, function), &[])? {
        Some(API_VERSION) => Ok(()),
        Some(plugin) => Err(ModuleError::Failed(format!(
            "API version mismatch, host: {API_VERSION}, plugin: {plugin}"
        ))),
        None => Err(ModuleError::signature(name)),
    }
}

fn exported(store: &Store<Host>, instance: Instance, name: &str) -> Result<Func, ModuleError> {
    let function = instance.get_func(store, name);
    function.ok_or_else(|| ModuleError::not_exported(name))
}

/// Calls a function with numbers, in slices between which its limits are checked. Returns its
/// result, or `None` if it has none.
///
/// # Errors
///
/// Returns an error if the function takes something else than as many numbers or does not return
/// one number or nothing, traps, or exceeds a limit.
fn call(
    store: &mut Store<Host>,
    (name, function): (&str, Func),
    arguments: &[u64],
) -> Result<Option<u64>, ModuleError> {
    let ty = function.ty(&*store);
    let invalid = || ModuleError::signature(name);
    let arguments = parameters(&ty, arguments).ok_or_else(invalid)?;
    let mut results: Vec<Val> = ty.results().iter().copied().map(Val::default_for_ty).collect();
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
    ty.params()
        .iter()
        .zip(arguments)
        .map(|(parameter, argument)| match parameter {
            ValType::I32 => Some(Val::I32(*argument as u32 as i32)),
            ValType::I64 => Some(Val::I64(*argument as i64)),
            _ => None,
        })
        .collect()
}

/// Returns the RPCs that a module needs functions for under a release: all that the release has, as
/// in the reference. There is no fallback to StateChange.
///
/// # Errors
///
/// Returns an error if the release has no WebAssembly plugins.
pub(super) fn required(revision: &Revision) -> Result<Vec<&'static str>, ModuleError> {
    if !revision.is_at_least(SINCE) {
        let release = revision.release();
        return Err(ModuleError::Failed(format!(
            "NRI {release} has no WebAssembly plugins, which came with {SINCE}"
        )));
    }
    Ok(RPCS.iter().filter(|rpc| revision.has(rpc)).map(|rpc| rpc.name).collect())
}

/// Returns the name of the function for an RPC, such as `plugin_run_pod_sandbox` for
/// `RunPodSandbox`.
pub(super) fn function(rpc: &str) -> String {
    let mut name = "plugin".to_owned();
    for letter in rpc.chars() {
        if letter.is_ascii_uppercase() {
            name.push('_');
        }
        name.push(letter.to_ascii_lowercase());
    }
    name
}
