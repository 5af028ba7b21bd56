// SPDX-License-Identifier: Apache-2.0
//! The files of the benchmark's iceoryx2 processes: a folder of their own and a prefix of their own
//! in /dev/shm, so that no other user of iceoryx2 on the machine is touched.
//!
//! iceoryx2 leaves its folders and the segment that its nodes share when a process ends, and
//! everything when one is killed. Each process holds a shared lock on the folder; the one that
//! gets it alone at its end is the last and removes all of it.

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::MetadataExt;

pub const ROOT: &str = "/tmp/ligament-iceoryx2";
/// Of the names in /dev/shm.
pub const PREFIX: &str = "ligament_iox2_";

pub struct Home {
    lock: File,
}

impl Home {
    pub fn enter() -> io::Result<Self> {
        loop {
            fs::create_dir_all(ROOT)?;
            let Ok(lock) = File::open(ROOT) else { continue };
            lock.lock_shared()?;
            // The last process of an earlier run may have removed the folder in between.
            if fs::metadata(ROOT).is_ok_and(|found| same(&found, &lock)) {
                return Ok(Self { lock });
            }
        }
    }
}

fn same(found: &fs::Metadata, lock: &File) -> bool {
    lock.metadata().is_ok_and(|ours| ours.ino() == found.ino() && ours.dev() == found.dev())
}

impl Drop for Home {
    fn drop(&mut self) {
        if self.lock.try_lock().is_err() {
            return;
        }
        remove_segments();
        let _ = fs::remove_dir_all(ROOT);
    }
}

fn remove_segments() {
    let Ok(entries) = fs::read_dir("/dev/shm") else { return };
    for entry in entries.flatten() {
        if entry.file_name().to_string_lossy().starts_with(PREFIX) {
            let _ = fs::remove_file(entry.path());
        }
    }
}
