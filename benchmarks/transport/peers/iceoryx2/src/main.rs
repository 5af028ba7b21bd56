// SPDX-License-Identifier: Apache-2.0
//! The iceoryx2 peer of the transport benchmark. The protocol is that of all peers; see the page of
//! the peers for the settings.

mod channel;
mod clock;
mod figures;
mod home;
mod options;
mod roles;

use home::Home;
use iceoryx2::prelude::{LogLevel, set_log_level_from_env_or};
use options::{Options, USAGE};
use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if arguments.first().is_some_and(|first| first == "--version") {
        println!("iceoryx2 0.10.0");
        return ExitCode::SUCCESS;
    }
    let options = match Options::parse(&arguments) {
        Ok(options) => options,
        Err(sentence) => {
            eprintln!("iceoryx2 peer: {sentence}\n{USAGE}");
            return ExitCode::from(2);
        }
    };
    set_log_level_from_env_or(LogLevel::Error);
    clock::stop_on_signals();
    let result = Home::enter().map_err(Into::into).and_then(|_home| roles::run(&options));
    match result {
        Ok(line) => {
            println!("{line}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("iceoryx2 peer: {error}");
            ExitCode::FAILURE
        }
    }
}
