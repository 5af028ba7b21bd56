// SPDX-License-Identifier: Apache-2.0
//! Four places where each of two sides writes its word and then reads the other's, and the lock.
//!
//! | model    | first side (C++, runtime/src/memory)           | second side                          |
//! |----------|------------------------------------------------|--------------------------------------|
//! | sleeping | RingWriter::push exchange seq_cst;             | WaiterState::sleep fetch_or seq_cst; |
//! |          | WriterState::ring_bells load seq_cst           | RingCursor::has_data load seq_cst    |
//! |          | (once for the mask, once for the bell: both are read after the one, set before the other)
//! | blocked  | ReaderState::release word store seq_cst,       | ReaderState::ready blocked_ store    |
//! |          | blocked_ load seq_cst                          | seq_cst, word load seq_cst           |
//! | waiting  | WriterState::make_room fetch_add seq_cst;      | tell_cursor, next store seq_cst,     |
//! |          | Pace::look, next load seq_cst                  | waiting load seq_cst                 |
//! | lock     | OpLock: exchange acquire, store release                                               |

use crate::{reached, Case, Model};
use loom::cell::UnsafeCell;
use loom::sync::atomic::{AtomicUsize, Ordering, Ordering::*};
use loom::sync::Arc;
use loom::thread;

/// Orderings of: our write, our read, their write, their read.
type Four = [Ordering; 4];

#[derive(Clone, Copy)]
enum Writes {
    Exchanges, // an exchange on one side, fetch_or on the other
    Stores,
    CountsAndStores, // fetch_add on one side, a store on the other
}

/// Both sides may see each other; at least one must.
fn at_least_one_sees(orders: Four, writes: Writes) {
    let words = Arc::new([AtomicUsize::new(0), AtomicUsize::new(0)]);
    words[0].store(0, SeqCst);
    words[1].store(0, SeqCst);
    let theirs = words.clone();
    let other = thread::spawn(move || {
        match writes {
            Writes::Exchanges => {
                theirs[1].fetch_or(1, orders[2]);
            }
            Writes::Stores | Writes::CountsAndStores => theirs[1].store(1, orders[2]),
        }
        theirs[0].load(orders[3])
    });
    match writes {
        Writes::Exchanges => {
            words[0].swap(1, orders[0]);
        }
        Writes::Stores => words[0].store(1, orders[0]),
        Writes::CountsAndStores => {
            words[0].fetch_add(1, orders[0]);
        }
    }
    let seen = words[1].load(orders[1]);
    let other = other.join().unwrap();
    assert!(seen == 1 || other == 1, "each overlooked the other");
    reached(["they see us", "we see them", "both"][seen + seen * other]);
}

fn four(name: &'static str, orders: Four, writes: Writes) -> Case {
    Case::new(name, move || at_least_one_sees(orders, writes))
}

pub fn sleeping() -> Model {
    let case = |name, orders| four(name, orders, Writes::Exchanges);
    Model {
        sound: case("publish against falling asleep", [SeqCst; 4]),
        must_reach: &["they see us", "we see them", "both"],
        mutants: vec![
            case("exchange acq_rel", [AcqRel, SeqCst, SeqCst, SeqCst]),
            case("bell read acquire", [SeqCst, Acquire, SeqCst, SeqCst]),
            case("announcement acq_rel", [SeqCst, SeqCst, AcqRel, SeqCst]),
            case("has_data acquire", [SeqCst, SeqCst, SeqCst, Acquire]),
        ],
        spare: vec![],
    }
}

pub fn blocked() -> Model {
    let case = |name, orders| four(name, orders, Writes::Stores);
    Model {
        sound: case("release against waiting for a slot", [SeqCst; 4]),
        must_reach: &["they see us", "we see them", "both"],
        mutants: vec![
            case("word cleared with release", [Release, SeqCst, SeqCst, SeqCst]),
            case("blocked_ read acquire", [SeqCst, Acquire, SeqCst, SeqCst]),
            case("blocked_ stored with release", [SeqCst, SeqCst, Release, SeqCst]),
            case("word read acquire", [SeqCst, SeqCst, SeqCst, Acquire]),
        ],
        spare: vec![],
    }
}

pub fn waiting() -> Model {
    let case = |name, orders| four(name, orders, Writes::CountsAndStores);
    Model {
        sound: case("waiting for room against a take", [SeqCst; 4]),
        must_reach: &["they see us", "we see them", "both"],
        mutants: vec![
            case("B1 acq_rel", [AcqRel, SeqCst, SeqCst, SeqCst]),
            case("B2 acquire", [SeqCst, Acquire, SeqCst, SeqCst]),
            case("B3 release", [SeqCst, SeqCst, Release, SeqCst]),
            case("B4 acquire", [SeqCst, SeqCst, SeqCst, Acquire]),
        ],
        spare: vec![],
    }
}

fn exclude(acquire: Ordering, release: Ordering) {
    let shared = Arc::new((AtomicUsize::new(0), UnsafeCell::new(0)));
    let enter = move |shared: &(AtomicUsize, UnsafeCell<usize>)| {
        let mut entered = 0;
        for _ in 0..2 {
            if shared.0.swap(1, acquire) == 0 {
                entered += 1;
                shared.1.with_mut(|at| unsafe { *at += 1 });
                shared.0.store(0, release);
            }
        }
        entered
    };
    let theirs = shared.clone();
    let other = thread::spawn(move || enter(&theirs));
    let ours = enter(&shared);
    let entered = ours + other.join().unwrap();
    shared.1.with(|at| assert_eq!(unsafe { *at }, entered));
    reached(if entered == 4 { "never in the way" } else { "in the way" });
}

pub fn lock() -> Model {
    Model {
        sound: Case::new("OpLock", || exclude(Acquire, Release)),
        must_reach: &["never in the way", "in the way"],
        mutants: vec![
            Case::new("lock relaxed", || exclude(Relaxed, Release)),
            Case::new("unlock relaxed", || exclude(Acquire, Relaxed)),
        ],
        spare: vec![],
    }
}
