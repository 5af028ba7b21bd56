// SPDX-License-Identifier: Apache-2.0
//! What a program measures, and its one line of JSON.

use crate::clock;
use crate::options::Options;
use std::fmt::Write;

/// Wall and processor time between the first and the last measured message.
#[derive(Default)]
struct Span {
    first: Option<(i64, i64)>,
    last: (i64, i64),
}

impl Span {
    fn mark(&mut self) {
        let both = (clock::now(), clock::cpu());
        self.first.get_or_insert(both);
        self.last = both;
    }

    fn json(&self) -> String {
        let (wall, cpu) = self.first.unwrap_or(self.last);
        format!("\"cpu_ns\":{},\"wall_ns\":{}", self.last.1 - cpu, self.last.0 - wall)
    }
}

/// A message as it was read.
pub struct Message {
    pub received_at: i64,
    pub sent_at: i64,
    pub sequence: u64,
    /// The sequence at the end differs: the payload was overwritten while it was read.
    pub torn: bool,
}

pub struct Received {
    warmup: u64,
    total: u64,
    latency_ns: Vec<i64>,
    torn: u64,
    disorder: u64,
    newest: u64,
    span: Span,
    idle: bool,
}

impl Received {
    pub fn new(options: &Options) -> Self {
        Self {
            warmup: options.warmup,
            total: options.warmup + options.messages,
            latency_ns: reserve(options.messages),
            torn: 0,
            disorder: 0,
            newest: 0,
            span: Span::default(),
            idle: true,
        }
    }

    /// True when this was the last message.
    pub fn add(&mut self, message: &Message) -> bool {
        if message.sequence <= self.newest || message.torn {
            self.torn += u64::from(message.torn);
            self.disorder += u64::from(!message.torn);
            return self.newest >= self.total;
        }
        self.newest = message.sequence;
        self.idle = false;
        if message.sequence > self.warmup {
            self.latency_ns.push(message.received_at - message.sent_at);
            if self.span.first.is_none() || self.newest >= self.total {
                self.span.mark();
            }
        }
        self.newest >= self.total
    }

    /// Nothing came for a while. If the last message was lost, the span ends here and not three
    /// seconds later.
    pub fn pause(&mut self) {
        if !self.idle && self.span.first.is_some() {
            self.span.mark();
        }
        self.idle = true;
    }

    pub fn any(&self) -> bool {
        self.newest > 0
    }

    pub fn json(&self, options: &Options, role: &str) -> String {
        let received = self.latency_ns.len() as u64;
        let mut line = format!(
            "{{\"role\":\"{role}\",\"index\":{},\"received\":{received},\"lost\":{},\"torn\":{},\"disorder\":{},{}",
            options.index,
            options.messages.saturating_sub(received),
            self.torn,
            self.disorder,
            self.span.json()
        );
        array(&mut line, "latency_ns", &self.latency_ns);
        line.push('}');
        line
    }
}

/// The times of one publish call.
pub struct Published {
    pub begin: i64,
    pub sent_at: i64,
    pub end: i64,
}

pub struct Sent {
    sent: u64,
    failed: u64,
    publish_ns: Vec<i64>,
    loan_publish_ns: Vec<i64>,
    span: Span,
}

impl Sent {
    pub fn new(options: &Options) -> Self {
        Self {
            sent: 0,
            failed: 0,
            publish_ns: reserve(options.messages),
            loan_publish_ns: reserve(options.messages),
            span: Span::default(),
        }
    }

    pub fn mark(&mut self) {
        self.span.mark();
    }

    pub fn add(&mut self, published: Option<&Published>) {
        let Some(times) = published else {
            self.failed += 1;
            return;
        };
        self.sent += 1;
        self.publish_ns.push(times.end - times.sent_at);
        self.loan_publish_ns.push(times.end - times.begin);
    }

    pub fn json(&self) -> String {
        let mut line = format!(
            "{{\"role\":\"publish\",\"sent\":{},\"failed\":{},{}",
            self.sent,
            self.failed,
            self.span.json()
        );
        array(&mut line, "publish_ns", &self.publish_ns);
        array(&mut line, "loan_publish_ns", &self.loan_publish_ns);
        line.push('}');
        line
    }
}

pub struct Rounds {
    round_trip_ns: Vec<i64>,
    lost: u64,
    span: Span,
}

impl Rounds {
    pub fn new(options: &Options) -> Self {
        Self { round_trip_ns: reserve(options.messages), lost: 0, span: Span::default() }
    }

    pub fn mark(&mut self) {
        self.span.mark();
    }

    pub fn add(&mut self, round_trip_ns: Option<i64>) {
        match round_trip_ns {
            Some(time) => self.round_trip_ns.push(time),
            None => self.lost += 1,
        }
    }

    pub fn json(&self) -> String {
        let mut line = format!(
            "{{\"role\":\"ping\",\"received\":{},\"lost\":{},{}",
            self.round_trip_ns.len(),
            self.lost,
            self.span.json()
        );
        array(&mut line, "round_trip_ns", &self.round_trip_ns);
        line.push('}');
        line
    }
}

/// Room for all values, its pages already mapped: no page fault falls between two messages.
fn reserve(messages: u64) -> Vec<i64> {
    let mut values = vec![1; usize::try_from(messages).unwrap_or(0)];
    values.clear();
    values
}

fn array(line: &mut String, name: &str, values: &[i64]) {
    let _ = write!(line, ",\"{name}\":[");
    for (i, value) in values.iter().enumerate() {
        let _ = write!(line, "{}{value}", if i > 0 { "," } else { "" });
    }
    line.push(']');
}
