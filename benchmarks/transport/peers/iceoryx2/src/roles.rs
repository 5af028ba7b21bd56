// SPDX-License-Identifier: Apache-2.0
//! The four roles of the transport benchmark's protocol.

use crate::channel::{Inlet, Outlet, create_node};
use crate::clock::{Pace, now, stopped};
use crate::figures::{Received, Rounds, Sent};
use crate::options::{Options, Role};
use std::error::Error;
use std::io::Write;
use std::thread::sleep;
use std::time::{Duration, Instant};

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// How long a publisher waits for its subscribers, and a subscriber for the first message.
const MATCH_TIMEOUT: Duration = Duration::from_secs(30);
const FIRST_TIMEOUT: Duration = Duration::from_secs(60);
/// Silence that ends a subscriber.
const END_TIMEOUT: Duration = Duration::from_secs(3);
const PAUSE: Duration = Duration::from_millis(50);
const SETTLE: Duration = Duration::from_millis(200);

/// Runs the role and returns its line of JSON.
pub fn run(options: &Options) -> Result<String> {
    match options.role {
        Role::Subscribe => subscribe(options),
        Role::Publish => publish(options),
        Role::Ping => ping(options),
        Role::Pong => pong(options),
    }
}

fn ready() -> Result<()> {
    let mut out = std::io::stdout();
    writeln!(out, "ready")?;
    Ok(out.flush()?)
}

fn wait_for(what: &str, timeout: Duration, reached: impl Fn() -> bool) -> Result<()> {
    let begin = Instant::now();
    while !reached() {
        if begin.elapsed() > timeout || stopped() {
            return Err(format!("{what} did not come within {} s", timeout.as_secs()).into());
        }
        sleep(Duration::from_millis(1));
    }
    Ok(())
}

fn subscribe(options: &Options) -> Result<String> {
    let node = create_node()?;
    let inlet = Inlet::create(&node, &options.topic, options)?;
    ready()?;
    let figures = receive_all(options, &inlet, |_| ())?;
    Ok(figures.json(options, "subscribe"))
}

fn receive_all(options: &Options, inlet: &Inlet, answer: impl Fn(u64)) -> Result<Received> {
    let mut figures = Received::new(options);
    let mut last = now();
    while !stopped() {
        if let Some(message) = inlet.next(PAUSE)? {
            answer(message.sequence);
            if figures.add(&message) {
                break;
            }
            last = message.received_at;
            continue;
        }
        figures.pause();
        let limit = if figures.any() { END_TIMEOUT } else { FIRST_TIMEOUT };
        if now() - last > limit.as_nanos() as i64 {
            break;
        }
    }
    Ok(figures)
}

fn publish(options: &Options) -> Result<String> {
    let node = create_node()?;
    let outlet = Outlet::create(&node, &options.topic, options)?;
    ready()?;
    wait_for("all subscribers", MATCH_TIMEOUT, || outlet.subscribers() >= options.subscribers)?;
    sleep(SETTLE);

    let mut figures = Sent::new(options);
    let mut pace = Pace::new(options.pacing_us, options.wait);
    for sequence in 1..=options.warmup + options.messages {
        if stopped() {
            break;
        }
        if sequence == options.warmup + 1 {
            figures.mark();
        }
        pace.wait();
        let published = outlet.publish(sequence);
        if sequence > options.warmup {
            figures.add(published.as_ref());
        }
    }
    figures.mark();
    // Messages in the queues live in this process's memory: stay until they have been taken.
    let _ = wait_for("the end of the subscribers", END_TIMEOUT, || outlet.subscribers() == 0);
    Ok(figures.json())
}

fn pong(options: &Options) -> Result<String> {
    let node = create_node()?;
    let inlet = Inlet::create(&node, &format!("{}-ping", options.topic), options)?;
    let outlet = Outlet::create(&node, &format!("{}-pong", options.topic), options)?;
    ready()?;
    let figures = receive_all(options, &inlet, |sequence| {
        outlet.publish(sequence);
    })?;
    let _ = wait_for("the end of ping", END_TIMEOUT, || outlet.subscribers() == 0);
    Ok(figures.json(options, "pong"))
}

fn ping(options: &Options) -> Result<String> {
    let node = create_node()?;
    let inlet = Inlet::create(&node, &format!("{}-pong", options.topic), options)?;
    let outlet = Outlet::create(&node, &format!("{}-ping", options.topic), options)?;
    ready()?;
    wait_for("pong", MATCH_TIMEOUT, || outlet.subscribers() >= 1 && inlet.publishers() >= 1)?;
    sleep(SETTLE);

    let mut figures = Rounds::new(options);
    let mut pace = Pace::new(options.pacing_us, options.wait);
    for sequence in 1..=options.warmup + options.messages {
        if stopped() {
            break;
        }
        if sequence == options.warmup + 1 {
            figures.mark();
        }
        pace.wait();
        let round = round_trip(&outlet, &inlet, sequence)?;
        if sequence > options.warmup {
            figures.add(round);
        }
    }
    figures.mark();
    Ok(figures.json())
}

/// Nanoseconds from before the publish call to after the take of the answer.
fn round_trip(outlet: &Outlet, inlet: &Inlet, sequence: u64) -> Result<Option<i64>> {
    let Some(published) = outlet.publish(sequence) else {
        return Ok(None);
    };
    let deadline = now() + END_TIMEOUT.as_nanos() as i64;
    while now() < deadline && !stopped() {
        match inlet.next(PAUSE)? {
            Some(answer) if answer.sequence == sequence && !answer.torn => {
                return Ok(Some(answer.received_at - published.sent_at));
            }
            _ => {}
        }
    }
    Ok(None)
}
