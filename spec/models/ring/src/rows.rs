// SPDX-License-Identifier: Apache-2.0
//! What one process describes and another reads: directory rows, match rows, chunk rows.
//!
//! | model     | writing side (C++, runtime/src/memory)           | reading side                         |
//! |-----------|--------------------------------------------------|--------------------------------------|
//! | row       | Directory::set: version relaxed, words release,  | PeerDirectory::refresh_row: version  |
//! |           | version release                                  | acquire, words acquire, version relaxed |
//! | match_row | WriterState::link: start, granted relaxed,       | WriterLink::find_match: reader       |
//! |           | reader release                                   | acquire, start, granted relaxed      |
//! | chunk     | WriterState::announce_chunk: row relaxed,        | WriterLink::map_chunks: chunks       |
//! |           | chunks release                                   | acquire, row relaxed                 |

use crate::{reached, Case, Model};
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
