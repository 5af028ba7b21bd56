// SPDX-License-Identifier: Apache-2.0
//! What one process describes and another reads: rows of directories, matches, chunks and cursors.
//!
//! | model     | writing side (C++, runtime/src/memory)           | reading side                         |
//! |-----------|--------------------------------------------------|--------------------------------------|
//! | row       | Directory::set: version relaxed, words release,  | PeerDirectory::refresh_row: version  |
//! |           | version release                                  | acquire, words acquire, version relaxed |
//! | match_row | WriterState::link: start, granted relaxed,       | WriterLink::find_match: reader       |
//! |           | reader release                                   | acquire, start, granted relaxed      |
//! | chunk     | WriterState::announce_chunk: row relaxed,        | WriterLink::map_chunks: chunks       |
//! |           | chunks release                                   | acquire, row relaxed                 |
//! | cursor    | ReaderState::link: next relaxed, writer release  | Pace::look: writer acquire, then     |
//! |           | (tell_mapped, release, comes later)              | next seq_cst, then writer acquire    |
//! | reuse     | ReaderState::reap: writer 0 release; link: next, | as above: who finds another id may   |
//! |           | here release: see `reuse`; writer release        | not use the number                   |
//! | taken     | RingCursor::claim: hold seq_cst; tell_passed:    | WriterState::retire_taken: next      |
//! |           | next release; release: hold seq_cst              | seq_cst; reclaim: hold seq_cst       |

use crate::{reached, Case, Model};
use loom::cell::UnsafeCell;
use loom::sync::atomic::{AtomicUsize, Ordering, Ordering::*};
use loom::sync::Arc;
use loom::thread;

#[derive(Clone, Copy)]
struct RowOrders {
    word_store: Ordering,
    last_version_store: Ordering,
    first_version_load: Ordering,
    word_load: Ordering,
}

const ROW: RowOrders = RowOrders {
    word_store: Release,
    last_version_store: Release,
    first_version_load: Acquire,
    word_load: Acquire,
};

fn copy_row(orders: RowOrders, looks_again: bool) {
    let row = Arc::new([AtomicUsize::new(0), AtomicUsize::new(0), AtomicUsize::new(0)]);
    let theirs = row.clone();
    let owner = thread::spawn(move || {
        for value in 1..=2 {
            // The code reads its own version back. Here it is known: loom 0.7.2 takes a load before
            // a store of one word by one thread for a dependency and then skips executions.
            theirs[0].store(2 * value - 1, Relaxed);
            theirs[1].store(value, orders.word_store);
            theirs[2].store(value, orders.word_store);
            theirs[0].store(2 * value, orders.last_version_store);
        }
    });
    let version = row[0].load(orders.first_version_load);
    let copy = [row[1].load(orders.word_load), row[2].load(orders.word_load)];
    if version % 2 == 0 && (!looks_again || row[0].load(Relaxed) == version) {
        assert_eq!(copy, [version / 2; 2], "a torn or stale row was believed");
        reached(["version 0", "version 2", "version 4"][version / 2]);
    } else {
        reached("torn");
    }
    owner.join().unwrap();
}

pub fn row() -> Model {
    let case = |name, orders| Case::new(name, move || copy_row(orders, true));
    Model {
        sound: case("directory row", ROW),
        must_reach: &["version 0", "version 2", "version 4", "torn"],
        mutants: vec![
            case("words stored relaxed", RowOrders { word_store: Relaxed, ..ROW }),
            case("words loaded relaxed", RowOrders { word_load: Relaxed, ..ROW }),
            case("version loaded relaxed", RowOrders { first_version_load: Relaxed, ..ROW }),
            case("version stored relaxed", RowOrders { last_version_store: Relaxed, ..ROW }),
            Case::new("no second look", || copy_row(ROW, false)),
        ],
        spare: vec![],
    }
}

/// Details first, then the word that says that they are there.
fn announce(store: Ordering, load: Ordering, details_first: bool) {
    let words = Arc::new([AtomicUsize::new(0), AtomicUsize::new(0), AtomicUsize::new(0)]);
    let theirs = words.clone();
    let owner = thread::spawn(move || {
        if !details_first {
            theirs[0].store(1, store);
        }
        theirs[1].store(7, Relaxed);
        theirs[2].store(8, Relaxed);
        if details_first {
            theirs[0].store(1, store);
        }
    });
    if words[0].load(load) == 1 {
        assert_eq!([words[1].load(Relaxed), words[2].load(Relaxed)], [7, 8]);
        reached("there");
    } else {
        reached("not yet");
    }
    owner.join().unwrap();
}

fn announcement(name: &'static str) -> Model {
    Model {
        sound: Case::new(name, || announce(Release, Acquire, true)),
        must_reach: &["there", "not yet"],
        mutants: vec![
            Case::new("announced relaxed", || announce(Relaxed, Acquire, true)),
            Case::new("read relaxed", || announce(Release, Relaxed, true)),
            Case::new("announced first", || announce(Release, Acquire, false)),
        ],
        spare: vec![],
    }
}

pub fn match_row() -> Model {
    announcement("match row")
}

pub fn chunk() -> Model {
    announcement("chunk row")
}

pub fn cursor() -> Model {
    announcement("cursor row")
}

/// A reader that found our samples corrupt gives the row of our cursor to another writer.
fn give_away(next: Ordering, looks_again: Ordering, looks_after: bool) {
    const OURS: usize = 1;
    let row = Arc::new([AtomicUsize::new(0), AtomicUsize::new(0)]); // writer, next
    row[0].store(OURS, SeqCst);
    row[1].store(5, SeqCst);
    let theirs = row.clone();
    let reader = thread::spawn(move || {
        theirs[0].store(0, Release);
        theirs[1].store(100, next);
        theirs[0].store(2, Release);
    });
    let early = row[0].load(looks_again);
    let number = row[1].load(SeqCst);
    let writer = if looks_after { row[0].load(looks_again) } else { early };
    if writer == OURS {
        assert_eq!(number, 5, "another writer's number was used");
        reached("still ours");
    } else {
        reached("another's");
    }
    reader.join().unwrap();
}

/// In the code `next` is stored relaxed. A number of another writer may then pass for ours on
/// machines that reorder stores; it is limited to head + 1, and concerns a reader that has dropped
/// us, so nothing follows from it. Release closes even that.
pub fn reuse() -> Model {
    Model {
        sound: Case::new("cursor row used again", || give_away(Release, Acquire, true)),
        must_reach: &["still ours", "another's"],
        mutants: vec![
            Case::new("next stored relaxed", || give_away(Relaxed, Acquire, true)),
            Case::new("id looked at first", || give_away(Release, Acquire, false)),
        ],
        spare: vec![],
    }
}

/// What a reader says it has passed, and does not hold, a writer of large payloads fills again.
fn fill_again(told: Ordering, read: Ordering, holds_first: bool) {
    let shared = Arc::new(([AtomicUsize::new(0), AtomicUsize::new(0)], UnsafeCell::new(1))); // hold, next
    shared.0[0].store(0, SeqCst);
    shared.0[1].store(0, SeqCst);
    let theirs = shared.clone();
    let reader = thread::spawn(move || {
        if holds_first {
            theirs.0[0].store(1, SeqCst);
            theirs.0[1].store(1, told);
        } else {
            theirs.0[1].store(1, told);
            theirs.0[0].store(1, SeqCst);
        }
        theirs.1.with(|at| assert_eq!(unsafe { *at }, 1));
        theirs.0[0].store(0, SeqCst);
    });
    if shared.0[1].load(read) == 0 {
        reached("not taken");
    } else if shared.0[0].load(SeqCst) != 0 {
        reached("held");
    } else {
        shared.1.with_mut(|at| unsafe { *at = 2 });
        reached("filled again");
    }
    reader.join().unwrap();
}

pub fn taken() -> Model {
    Model {
        sound: Case::new("what was taken", || fill_again(Release, SeqCst, true)),
        must_reach: &["not taken", "held", "filled again"],
        mutants: vec![
            Case::new("told before the hold", || fill_again(Release, SeqCst, false)),
        ],
        // loom 0.7.2 lets no seq_cst load of the hold pass an earlier seq_cst store of it. C++20
        // would, where `next` orders nothing: so the code keeps release and seq_cst.
        spare: vec![
            Case::new("next told relaxed", || fill_again(Relaxed, SeqCst, true)),
            Case::new("next read relaxed", || fill_again(Release, Relaxed, true)),
        ],
    }
}
