// SPDX-License-Identifier: Apache-2.0
//! One topic: an iceoryx2 publish-subscribe service with slices of bytes, and for processes that
//! sleep an event service beside it.

use crate::clock::{now, stopped};
use crate::figures::{Message, Published};
use crate::home::{PREFIX, ROOT};
use crate::options::{Options, SMALLEST, Wait};
use iceoryx2::port::{
    listener::Listener, notifier::Notifier, publisher::Publisher, subscriber::Subscriber,
};
use iceoryx2::prelude::*;
use iceoryx2::service::port_factory::{event, publish_subscribe};
use std::error::Error;
use std::time::Duration;

type Result<T> = std::result::Result<T, Box<dyn Error>>;
type Data = publish_subscribe::PortFactory<ipc::Service, [u8], ()>;
type Events = event::PortFactory<ipc::Service>;

/// Keep-last 4, as for every peer.
const DEPTH: usize = 4;
/// iceoryx2's own defaults.
const MAX_BORROWED: usize = 2;
const MAX_SUBSCRIBERS: usize = 8;
/// A cache line.
const ALIGNMENT: usize = 64;
/// Empty takes between two looks at the clock.
const SPINS: u32 = 1024;

pub fn create_node() -> Result<Node<ipc::Service>> {
    let mut config = Config::default();
    config.global.prefix = FileName::new(PREFIX.as_bytes())?;
    config.global.set_root_path(&Path::new(ROOT.as_bytes())?);
    Ok(NodeBuilder::new()
        .config(&config)
        .signal_handling_mode(SignalHandlingMode::Disabled)
        .create::<ipc::Service>()?)
}

/// Both services of a topic; whichever process comes first creates them.
struct Topic {
    data: Data,
    events: Option<Events>,
}

impl Topic {
    fn open(node: &Node<ipc::Service>, name: &str, options: &Options) -> Result<Self> {
        let service = ServiceName::new(name)?;
        let most = options.subscribers.max(MAX_SUBSCRIBERS);
        let data = node
            .service_builder(&service)
            .publish_subscribe::<[u8]>()
            .payload_alignment(Alignment::new(ALIGNMENT).ok_or("alignment")?)
            .enable_safe_overflow(true)
            .history_size(0)
            .subscriber_max_buffer_size(DEPTH)
            .subscriber_max_borrowed_samples(MAX_BORROWED)
            .max_publishers(1)
            .max_subscribers(most)
            .max_nodes(most + 2)
            .open_or_create()?;
        let events = match options.wait {
            Wait::Poll => None,
            Wait::Sleep => Some(
                node.service_builder(&service)
                    .event()
                    .max_notifiers(1)
                    .max_listeners(most)
                    .max_nodes(most + 2)
                    .open_or_create()?,
            ),
        };
        Ok(Self { data, events })
    }
}

/// The publishing end.
pub struct Outlet {
    publisher: Publisher<ipc::Service, [u8], ()>,
    notifier: Option<Notifier<ipc::Service>>,
    topic: Topic,
    bytes: usize,
}

impl Outlet {
    pub fn create(node: &Node<ipc::Service>, name: &str, options: &Options) -> Result<Self> {
        let topic = Topic::open(node, name, options)?;
        // All that subscriptions can hold, plus two loans. The worst case that iceoryx2 would
        // reserve counts subscribers that never come.
        let samples = options.subscribers * (DEPTH + MAX_BORROWED) + 2;
        let publisher = topic
            .data
            .publisher_builder()
            .initial_max_slice_len(options.bytes)
            .max_loaned_samples(samples)
            .override_sample_preallocation(move |_| samples)
            .create()?;
        let notifier = match &topic.events {
            Some(events) => Some(events.notifier_builder().create()?),
            None => None,
        };
        let outlet = Self { publisher, notifier, topic, bytes: options.bytes };
        outlet.write_all(samples)?;
        Ok(outlet)
    }

    /// Writes every byte of every sample once. This also makes the memory of a later
    /// `loan_slice_uninit` initialised.
    fn write_all(&self, samples: usize) -> Result<()> {
        let mut held = Vec::with_capacity(samples);
        for _ in 0..samples {
            let sample = self.publisher.loan_slice_uninit(self.bytes)?;
            held.push(sample.write_from_fn(|i| (i % 251) as u8));
        }
        Ok(())
    }

    pub fn subscribers(&self) -> usize {
        let listening = match &self.topic.events {
            Some(events) => events.dynamic_config().number_of_listeners(),
            None => usize::MAX,
        };
        self.topic.data.dynamic_config().number_of_subscribers().min(listening)
    }

    /// Loans, stamps and sends one message; `None` when the transport refused.
    pub fn publish(&self, sequence: u64) -> Option<Published> {
        let begin = now();
        let sample = self.publisher.loan_slice_uninit(self.bytes).ok()?;
        // SAFETY: `write_all` wrote every byte of every sample.
        let mut sample = unsafe { sample.assume_init() };
        let payload = sample.payload_mut();
        debug_assert!(payload.len() >= SMALLEST);
        let tail = payload.len() - 8;
        payload[..8].copy_from_slice(&sequence.to_ne_bytes());
        payload[tail..].copy_from_slice(&sequence.to_ne_bytes());
        let sent_at = now();
        payload[8..16].copy_from_slice(&sent_at.to_ne_bytes());
        sample.send().ok()?;
        if let Some(notifier) = &self.notifier {
            notifier.notify().ok()?;
        }
        Some(Published { begin, sent_at, end: now() })
    }
}

/// The receiving end.
pub struct Inlet {
    subscriber: Subscriber<ipc::Service, [u8], ()>,
    listener: Option<Listener<ipc::Service>>,
    topic: Topic,
}

impl Inlet {
    pub fn create(node: &Node<ipc::Service>, name: &str, options: &Options) -> Result<Self> {
        let topic = Topic::open(node, name, options)?;
        let subscriber = topic.data.subscriber_builder().buffer_size(DEPTH).create()?;
        let listener = match &topic.events {
            Some(events) => Some(events.listener_builder().create()?),
            None => None,
        };
        Ok(Self { subscriber, listener, topic })
    }

    pub fn publishers(&self) -> usize {
        self.topic.data.dynamic_config().number_of_publishers()
    }

    fn take(&self) -> Result<Option<Message>> {
        let Some(sample) = self.subscriber.receive()? else {
            return Ok(None);
        };
        let payload = sample.payload();
        let sequence = u64_at(payload, 0)?;
        let sent_at = i64::from_ne_bytes(u64_at(payload, 8)?.to_ne_bytes());
        let torn = u64_at(payload, payload.len() - 8)? != sequence;
        // Not before: `receive` returns without having touched the message.
        Ok(Some(Message { received_at: now(), sent_at, sequence, torn }))
    }

    /// The next message; `None` when none came in `timeout` or when it is time to stop.
    pub fn next(&self, timeout: Duration) -> Result<Option<Message>> {
        match &self.listener {
            Some(listener) => self.sleep(listener, timeout),
            None => self.spin(timeout),
        }
    }

    fn spin(&self, timeout: Duration) -> Result<Option<Message>> {
        let mut deadline = None;
        loop {
            for _ in 0..SPINS {
                if let Some(message) = self.take()? {
                    return Ok(Some(message));
                }
                std::hint::spin_loop();
            }
            let time = now();
            let end = *deadline.get_or_insert(time + timeout.as_nanos() as i64);
            if time >= end || stopped() {
                return Ok(None);
            }
        }
    }

    fn sleep(
        &self,
        listener: &Listener<ipc::Service>,
        timeout: Duration,
    ) -> Result<Option<Message>> {
        loop {
            if let Some(message) = self.take()? {
                return Ok(Some(message));
            }
            // A signal interrupts the wait, which is an error to iceoryx2 and none to us.
            let woken = listener.timed_wait(|_| {}, timeout).unwrap_or(0);
            if woken == 0 {
                return self.take();
            }
        }
    }
}

fn u64_at(payload: &[u8], offset: usize) -> Result<u64> {
    let bytes = payload.get(offset..offset + 8).ok_or("a message is shorter than its stamps")?;
    Ok(u64::from_ne_bytes(bytes.try_into()?))
}
