// SPDX-License-Identifier: Apache-2.0
//! The command line that all programs of the transport benchmark share.

use std::str::FromStr;

pub const USAGE: &str = "\
usage: iceoryx2 subscribe|publish|ping|pong --topic NAME --bytes N --wait poll|sleep
                --messages M --warmup W [--subscribers S] [--pacing-us P] [--index I]
       iceoryx2 --version";

/// A message carries two sequence numbers and one time stamp.
pub const SMALLEST: usize = 24;

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Role {
    Subscribe,
    Publish,
    Ping,
    Pong,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Wait {
    Poll,
    Sleep,
}

#[derive(Clone)]
pub struct Options {
    pub role: Role,
    pub topic: String,
    pub bytes: usize,
    pub wait: Wait,
    pub messages: u64,
    pub warmup: u64,
    pub index: u64,
    pub subscribers: usize,
    pub pacing_us: u64,
}

impl Options {
    pub fn parse(arguments: &[String]) -> Result<Self, String> {
        let role = match arguments.first().map(String::as_str) {
            Some("subscribe") => Role::Subscribe,
            Some("publish") => Role::Publish,
            Some("ping") => Role::Ping,
            Some("pong") => Role::Pong,
            other => return Err(format!("unknown role '{}'", other.unwrap_or(""))),
        };
        let mut options = Self::defaults(role);
        for pair in arguments[1..].chunks(2) {
            let [name, value] = pair else {
                return Err(format!("{} needs a value", pair[0]));
            };
            options.set(name, value)?;
        }
        options.check()
    }

    fn defaults(role: Role) -> Self {
        Self {
            role,
            topic: String::new(),
            bytes: 64,
            wait: Wait::Sleep,
            messages: 1000,
            warmup: 100,
            index: 0,
            subscribers: 1,
            pacing_us: 2000,
        }
    }

    fn set(&mut self, name: &str, value: &str) -> Result<(), String> {
        match name {
            "--topic" => self.topic = value.to_string(),
            "--bytes" => self.bytes = number(name, value)?,
            "--messages" => self.messages = number(name, value)?,
            "--warmup" => self.warmup = number(name, value)?,
            "--index" => self.index = number(name, value)?,
            "--subscribers" => self.subscribers = number(name, value)?,
            "--pacing-us" => self.pacing_us = number(name, value)?,
            "--wait" => {
                self.wait = match value {
                    "poll" => Wait::Poll,
                    "sleep" => Wait::Sleep,
                    _ => return Err(format!("--wait is poll or sleep, not '{value}'")),
                }
            }
            _ => return Err(format!("unknown option '{name}'")),
        }
        Ok(())
    }

    fn check(self) -> Result<Self, String> {
        if self.topic.is_empty() {
            return Err("--topic is missing".to_string());
        }
        if self.bytes < SMALLEST {
            return Err(format!("--bytes is at least {SMALLEST}"));
        }
        if self.messages == 0 || self.subscribers == 0 {
            return Err("--messages and --subscribers are at least 1".to_string());
        }
        Ok(self)
    }
}

fn number<T: FromStr>(name: &str, value: &str) -> Result<T, String> {
    value.parse().map_err(|_| format!("{name} is a number, not '{value}'"))
}
