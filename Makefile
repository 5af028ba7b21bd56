# SPDX-License-Identifier: Apache-2.0
# Thin: each target makes the checkout ready (dev/setup does only what is missing), then calls one
# script or one verb. What a target does is written in that script.
.DEFAULT_GOAL := help
.PHONY: help setup arm64 demo demo-driving demo-driving-hardware demo-mcu demo-ros2 test lint format emulation sanitize bench docs fuzz models mutants soak test-hdl proofs bitstream conformance wheel wheel-test deb test-full site deb-test container-test clean

LIGAMENT := .venv/bin/ligament

help: ## this list
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / {printf "  make %-22s %s\n", $$1, $$2}' Makefile

setup: ## install what is missing: Debian packages, .venv, the runtime
	@dev/setup

demo: ## the perception graph on real camera frames: every variant traced, checked, compared
	@dev/demo

demo-driving: ## a robot follows a lane in a simulator, and obeys a traffic light: three laps
	@dev/setup --driving
	@dev/demo-driving

demo-driving-hardware: ## the same with the nodes as cores in a simulated FPGA, one lap: must drive as in software
	@dev/setup --driving
	@dev/demo-driving --hardware

demo-mcu: ## a node in an emulated microcontroller: its topic arrives, messages there and back
	@dev/setup --mcu
	@$(LIGAMENT) demo --mcu

demo-ros2: ## rclpy nodes feed a graph and show what comes out, all through shared memory
	@dev/setup --ros
	@dev/demo-ros2

test: ## build with warnings as errors, then lint, C++ tests, models, Python tests
	@dev/setup --test
	@dev/test

test-full: ## the same with all that `make test` leaves out of its grids (dev/test): before a release
	@dev/setup --test
	@LIGAMENT_TEST_FULL=1 dev/test

lint: ## all linters, the runtime compiled with clang, clang-tidy on changed C++ files
	@dev/setup --test
	@dev/lint --full

format: ## let the formatters decide the layout
	@dev/setup --test
	@dev/lint --fix

emulation: ## an arm64 disk image with a graph in it, booted in QEMU: downloads 100 MB, minutes
	@dev/setup --test
	@dev/emulation

sanitize: ## the C++ tests under the address, undefined-behaviour and thread sanitizers
	@dev/setup --test
	@dev/sanitize address thread

arm64: ## runtime and image nodes for 64-bit Arm boards, their tests under emulation: a quarter of an hour
	@dev/setup --test
	@dev/arm64 --test

fuzz: ## fuzz what the pool reads from other processes, ten minutes (dev/fuzz --help)
	@dev/setup --test
	@dev/fuzz

models: ## the models of the pool, every state within larger bounds; prints how many
	@dev/setup --models
	@spec/models/run --full

mutants: ## plant faults in all rooms and list what no test notices (dev/mutants --help)
	@dev/setup --test
	@dev/mutants

test-hdl: ## the benches and proofs of hdl/ and of the nodes' cores alone, a part of `make test`
	@dev/setup --test
	@.venv/bin/python -m pytest -c hdl/pyproject.toml --rootdir hdl hdl nodes/image nodes/driving -n 2

proofs: ## the proofs of hdl/ to their full depth, the driving cores at every width: minutes of a core each, before a release
	@dev/setup --test
	@LIGAMENT_HDL_FULL=1 .venv/bin/python -m pytest -c hdl/pyproject.toml --rootdir hdl hdl/formal nodes/driving -n 2

bitstream: ## an ECP5 bitstream of an exported design, with open tools, and its timing report: minutes
	@dev/setup --test
	@dev/bitstream

conformance: ## what each platform can do, tested: docs/reference/capabilities.md anew; minutes
	@dev/setup --test
	@dev/conformance

wheel: ## a wheel of tool, runtime, edge, middleware and the demo's nodes, for pip: minutes
	@dev/setup --packaging
	@.venv/bin/python packaging/wheel/make

wheel-test: ## that wheel in a bare Debian 12: installed, demo without compiler, faults; as root
	@dev/setup --packaging
	@packaging/wheel/test

deb: ## a Debian package of that wheel (`make wheel` first)
	@dev/setup --packaging
	@packaging/deb/make

deb-test: ## that package in a bare Debian 12: installed, demo, removed; as root
	@dev/setup --packaging
	@packaging/deb/make test

container-test: ## the container file with that wheel, built by podman or buildah, and the demo in it; as root
	@dev/setup --packaging
	@packaging/container-test

soak: ## an hour of full load and random kills; dev/soak --minutes N for another time
	@dev/setup --test
	@dev/soak

bench: ## build the programs of `ligament bench`, run the quickest of them
	@dev/setup --bench
	@$(LIGAMENT) bench messages --quick

docs: ## generate the reference pages: files, verbs, events
	@dev/setup
	@$(LIGAMENT) docs

site: ## build the documentation site into build/site
	@dev/setup --site
	@.venv/bin/python dev/site

clean: ## remove what was built; .venv and the compiler cache stay
	rm -rf build
