// SPDX-License-Identifier: Apache-2.0
//! Clocks, pacing and the request to stop.

use crate::options::Wait;
use std::sync::atomic::{AtomicBool, Ordering};

static STOP: AtomicBool = AtomicBool::new(false);

extern "C" fn on_signal(_: libc::c_int) {
    STOP.store(true, Ordering::Relaxed);
}

/// SIGTERM and SIGINT end the loops, so that the result is still printed.
pub fn stop_on_signals() {
    for signal in [libc::SIGTERM, libc::SIGINT] {
        // SAFETY: the handler only stores to an atomic. No SA_RESTART: a blocked call must return.
        unsafe {
            let mut action: libc::sigaction = std::mem::zeroed();
            action.sa_sigaction = on_signal as extern "C" fn(libc::c_int) as usize;
            libc::sigaction(signal, &action, std::ptr::null_mut());
        }
    }
}

pub fn stopped() -> bool {
    STOP.load(Ordering::Relaxed)
}

fn read(clock: libc::clockid_t) -> i64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `time` is a valid place to write to.
    unsafe { libc::clock_gettime(clock, &mut time) };
    time.tv_sec * 1_000_000_000 + time.tv_nsec
}

pub fn now() -> i64 {
    read(libc::CLOCK_MONOTONIC)
}

/// User and system time of all threads of this process.
pub fn cpu() -> i64 {
    read(libc::CLOCK_PROCESS_CPUTIME_ID)
}

/// Absolute slots. A publisher that is late by a whole period counts its slots from there: no burst
/// follows a stall.
pub struct Pace {
    period: i64,
    slot: i64,
    wait: Wait,
}

impl Pace {
    pub fn new(pacing_us: u64, wait: Wait) -> Self {
        Self { period: i64::try_from(pacing_us).unwrap_or(0) * 1000, slot: now(), wait }
    }

    pub fn wait(&mut self) {
        if self.period == 0 {
            return;
        }
        self.slot += self.period;
        let time = now();
        if time >= self.slot + self.period {
            self.slot = time;
        }
        match self.wait {
            Wait::Poll => {
                while now() < self.slot && !stopped() {
                    std::hint::spin_loop();
                }
            }
            Wait::Sleep => sleep_until(self.slot),
        }
    }
}

fn sleep_until(time: i64) {
    let until = libc::timespec { tv_sec: time / 1_000_000_000, tv_nsec: time % 1_000_000_000 };
    // SAFETY: `until` is valid; the remaining time is not asked for.
    let sleep = || unsafe {
        libc::clock_nanosleep(
            libc::CLOCK_MONOTONIC,
            libc::TIMER_ABSTIME,
            &until,
            std::ptr::null_mut(),
        )
    };
    while sleep() == libc::EINTR && !stopped() {}
}
