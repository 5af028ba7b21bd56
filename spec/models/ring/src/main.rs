// SPDX-License-Identifier: Apache-2.0
//! Runs each model over all executions that loom finds, then each mutant (one ordering weaker, or
//! one step missing) and expects that to fail. Exit status 1 if anything is otherwise.

mod handshakes;
mod ring;
mod rows;

use std::collections::BTreeSet;
use std::panic;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

/// What the executions of the present case came to. A model that never gets anywhere passes too;
/// so each says what it must have reached.
static REACHED: Mutex<BTreeSet<&'static str>> = Mutex::new(BTreeSet::new());

pub fn reached(outcome: &'static str) {
    REACHED.lock().unwrap().insert(outcome);
}

/// One thing to check: a model with its orderings filled in.
pub struct Case {
    pub name: &'static str,
    pub body: Box<dyn Fn() + Send + Sync>,
}

impl Case {
    pub fn new(name: &'static str, body: impl Fn() + Send + Sync + 'static) -> Self {
        Case { name, body: Box::new(body) }
    }
}

/// A model as the code has it, mutants that must be caught, and orderings that are stronger in the
/// code than this model needs ("spare": they must pass, and say so if that ever changes).
pub struct Model {
    pub sound: Case,
    pub must_reach: &'static [&'static str],
    pub mutants: Vec<Case>,
    pub spare: Vec<Case>,
}

/// Why loom or an assertion stopped the exploration, in one line.
fn reason(payload: &(dyn std::any::Any + Send)) -> String {
    let text = payload
        .downcast_ref::<String>()
        .map(String::as_str)
        .or_else(|| payload.downcast_ref::<&str>().copied())
        .unwrap_or("unknown");
    text.lines().find(|line| !line.trim().is_empty()).unwrap_or("").trim().to_string()
}

/// Number of executions, and how the exploration ended.
fn explore(case: Case) -> (usize, Result<(), String>) {
    let executions = Arc::new(AtomicUsize::new(0));
    let counter = executions.clone();
    let mut builder = loom::model::Builder::new();
    builder.max_branches = 20_000;
    let outcome = panic::catch_unwind(panic::AssertUnwindSafe(|| {
        builder.check(move || {
            counter.fetch_add(1, Ordering::Relaxed);
            (case.body)();
        });
    }));
    (executions.load(Ordering::Relaxed), outcome.map_err(|payload| reason(&*payload)))
}

fn main() {
    let full = std::env::args().any(|argument| argument == "--full");
    panic::set_hook(Box::new(|_| {}));
    let mut failures = 0;
    for model in [
        ring::model(if full { 5 } else { 4 }, if full { 3 } else { 2 }),
        handshakes::sleeping(),
        handshakes::blocked(),
        handshakes::waiting(),
        handshakes::lock(),
        rows::row(),
        rows::match_row(),
        rows::chunk(),
        rows::cursor(),
        rows::reuse(),
        rows::taken(),
    ] {
        let name = model.sound.name;
        REACHED.lock().unwrap().clear();
        let (executions, mut outcome) = explore(model.sound);
        for wanted in model.must_reach {
            if outcome.is_ok() && !REACHED.lock().unwrap().contains(wanted) {
                outcome = Err(format!("no execution reached '{wanted}'"));
            }
        }
        failures += usize::from(outcome.is_err());
        let verdict = outcome.map_or_else(|why| format!("FAILED: {why}"), |()| "errors: 0".into());
        println!("loom  {name}: {executions} executions, {verdict}");
        for mutant in model.mutants {
            let mutation = mutant.name;
            let (executions, outcome) = explore(mutant);
            failures += usize::from(outcome.is_ok());
            let verdict = outcome.map_or_else(|why| format!("caught ({why})"), |()| "NOT CAUGHT".into());
            println!("loom  {name}: mutant {mutation}: {verdict}, {executions} executions");
        }
        for weaker in model.spare {
            let weakening = weaker.name;
            let (executions, outcome) = explore(weaker);
            failures += usize::from(outcome.is_err());
            let verdict = outcome.map_or_else(|why| format!("FAILED: {why}"), |()| "errors: 0".into());
            println!("loom  {name}: {weakening}, weaker than the code: {executions} executions, {verdict}");
        }
    }
    std::process::exit(i32::from(failures != 0));
}
