// SPDX-License-Identifier: Apache-2.0
//! Publish, reclaim, take, release: the hazard pattern between one writer and one reader.
//!
//! | field of `Orders` | C++ (runtime/src/memory)                          | ordering |
//! |-------------------|---------------------------------------------------|----------|
//! | exchange          | RingWriter::push, `entries_[index_].exchange`     | seq_cst  |
//! | scan              | BlockStore::reclaim, `row.words[i].load`          | seq_cst  |
//! | first_read        | RingCursor::claim, `seen = entries_[index_].load` | acquire  |
//! | hold              | RingCursor::claim, `hold.store(make_word(...))`   | seq_cst  |
//! | second_read       | RingCursor::claim, `entries_[index_].load`        | seq_cst  |
//! | undo              | RingCursor::claim, `hold.store(0)`                | release, here seq_cst: see CODE |
//! | release           | ReaderState::release, `slot.word->store(0)`       | seq_cst  |

use crate::{reached, Case, Model};
use loom::cell::UnsafeCell;
use loom::sync::atomic::{AtomicUsize, Ordering, Ordering::*};
use loom::sync::Arc;
use loom::thread;

#[derive(Clone, Copy)]
struct Orders {
    exchange: Ordering,
    scan: Ordering,
    first_read: Ordering,
    hold: Ordering,
    second_read: Ordering,
    undo: Ordering,
    release: Ordering,
    scan_first: bool,
    reread: bool,
}

const CODE: Orders = Orders {
    exchange: SeqCst,
    scan: SeqCst,
    first_read: Acquire,
    hold: SeqCst,
    second_read: SeqCst,
    // The code says release. loom 0.7.2 lets a seq_cst load return an older store that is not
    // seq_cst even though a newer seq_cst store precedes the load; C++20 forbids that (the load
    // would be coherence-ordered before the newer store, hence before it in the total order).
    // With the stronger order loom says no more and no less than C++20 about a slot used again.
    undo: SeqCst,
    release: SeqCst,
    scan_first: false,
    reread: true,
};

const BLOCKS: usize = 3; // ring of 1, one loan, one hold
const NOTHING: usize = 0; // an empty hold word

struct Shared {
    entry: AtomicUsize, // sequence << 8 | block
    hold: AtomicUsize,  // block + 1
    blocks: [UnsafeCell<usize>; BLOCKS],
}

fn word(sequence: usize, block: usize) -> usize {
    sequence << 8 | block
}

/// The writer's end: `free` and `retired` are its private lists.
struct Writer {
    shared: Arc<Shared>,
    orders: Orders,
    free: Vec<usize>,
    retired: Vec<usize>,
}

impl Writer {
    fn held(&self) -> usize {
        self.shared.hold.load(self.orders.scan)
    }

    fn reclaim(&mut self, held: usize) {
        let (kept, freed): (Vec<_>, Vec<_>) = self.retired.iter().partition(|b| *b + 1 == held);
        self.retired = kept;
        if self.retired.is_empty() {
            reached("reclaimed");
        } else {
            reached("kept for a holder");
        }
        self.free.extend::<Vec<usize>>(freed);
    }

    fn publish(&mut self, sequence: usize) {
        if !self.orders.scan_first {
            // The code scans only when no block is free; early is the harder case.
            let held = self.held();
            self.reclaim(held);
        }
        let block = self.free.pop().expect("the bound on blocks is enough");
        self.shared.blocks[block].with_mut(|at| unsafe { *at = sequence });
        let early = if self.orders.scan_first { self.held() } else { NOTHING };
        let old = self.shared.entry.swap(word(sequence, block), self.orders.exchange);
        self.retired.push(old & 0xff);
        if self.orders.scan_first {
            self.reclaim(early);
        }
    }
}

/// The reader's end; true if a sample was taken, read and released.
fn take(shared: &Shared, orders: Orders, last: &mut usize) -> bool {
    let seen = shared.entry.load(orders.first_read);
    let (sequence, block) = (seen >> 8, seen & 0xff);
    if sequence <= *last {
        return false;
    }
    shared.hold.store(block + 1, orders.hold);
    if orders.reread && shared.entry.load(orders.second_read) != seen {
        shared.hold.store(NOTHING, orders.undo);
        reached("overwritten while taking");
        return false;
    }
    // A data race here, or a torn sample, is what this model looks for.
    shared.blocks[block].with(|at| assert_eq!(unsafe { *at }, sequence));
    shared.hold.store(NOTHING, orders.release);
    reached(["", "took 1", "took 2", "took 3", "took 4", "took 5"][sequence]);
    *last = sequence;
    true
}

fn run(orders: Orders, samples: usize, takes: usize) {
    let shared = Arc::new(Shared {
        entry: AtomicUsize::new(0),
        hold: AtomicUsize::new(0),
        blocks: [UnsafeCell::new(0), UnsafeCell::new(0), UnsafeCell::new(0)],
    });
    // loom counts only explicit seq_cst stores as such; a first value is not one.
    shared.hold.store(NOTHING, SeqCst);
    shared.blocks[0].with_mut(|at| unsafe { *at = 1 });
    shared.entry.store(word(1, 0), SeqCst);
    let theirs = shared.clone();
    let reader = thread::spawn(move || {
        let mut last = 0;
        for _ in 0..takes {
            take(&theirs, orders, &mut last);
        }
    });
    let mut writer = Writer { shared, orders, free: vec![2, 1], retired: Vec::new() };
    for sequence in 2..=samples {
        writer.publish(sequence);
    }
    reader.join().unwrap();
}

pub fn model(samples: usize, takes: usize) -> Model {
    let case = move |name, orders| Case::new(name, move || run(orders, samples, takes));
    Model {
        sound: case("hold against reclaim", CODE),
        must_reach: &[
            "took 1",
            "took 2",
            "took 3",
            "overwritten while taking",
            "reclaimed",
            "kept for a holder",
        ],
        mutants: vec![
            case("exchange acq_rel", Orders { exchange: AcqRel, ..CODE }),
            case("exchange relaxed", Orders { exchange: Relaxed, ..CODE }),
            case("hold stored with release", Orders { hold: Release, ..CODE }),
            case("second read acquire", Orders { second_read: Acquire, ..CODE }),
            case("scan acquire", Orders { scan: Acquire, ..CODE }),
            case("scan relaxed", Orders { scan: Relaxed, ..CODE }),
            case("release relaxed", Orders { release: Relaxed, ..CODE }),
            case("no second read", Orders { reread: false, ..CODE }),
            case("scan before exchange", Orders { scan_first: true, ..CODE }),
        ],
        spare: vec![
            case("first read relaxed", Orders { first_read: Relaxed, ..CODE }),
        ],
    }
}
