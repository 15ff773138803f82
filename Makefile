# Fanfare's tasks. `make run` and `make test` bring a fresh Debian or Ubuntu machine all they need; `make help` lists the rest.

SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.NOTPARALLEL:

TARGET := $(or $(CARGO_TARGET_DIR),target)
RESULTS := target/test-results
PEERS := target/peers
# What a terminal needs of Fanfare, and the simulated rig.
TERMINAL := -p fanfarectl -p fanfare-probe -p fanfare-sim -p fanfare-sim-nvml

.PHONY: help
help: ## List the tasks
	@sed -nE 's/^([a-z-]+):.*## (.*)/\1\t\2/p' $(firstword $(MAKEFILE_LIST)) | expand -t 14

# Where a window can be shown, the window is built and run; elsewhere the live table, which needs a C compiler alone.
ON_DISPLAY := $(or $(DISPLAY),$(WAYLAND_DISPLAY))

.PHONY: run
run: $(if $(ON_DISPLAY),setup-window page) ## Show the rig: in a window, or without a display as a live table in this terminal
	@scripts/tools.sh rust
	@scripts/setup.sh run
	cargo build $(TERMINAL) $(if $(ON_DISPLAY),-p fanfare)
	@scripts/run.sh "$(TARGET)/debug"

.PHONY: test
test: setup-test page ## Run all tests, the window's included
	scripts/test.sh $(RESULTS)

.PHONY: test-peers
test-peers: setup-peers ## Run the tests against other people's programs (nvitop, nvidia-ml-py)
	scripts/peers.sh $(PEERS)
	scripts/test-peers.sh $(PEERS) $(RESULTS)

.PHONY: lint
lint: setup-lint page ## Check format, lints, types, the rooms' floors and the promises
	cargo fmt --all --check
	cargo clippy --workspace --all-targets --quiet -- -D warnings
	npm --prefix ui run --silent lint
	shellcheck -x scripts/*.sh .ci/run
	cargo test --workspace --test house --quiet

.PHONY: bench
bench: setup-bench setup-test page ## Measure; ONLY=name measures one
	scripts/peers.sh $(PEERS)
	npm --prefix ui run --silent build:recorded
	cargo build --release $(TERMINAL) -p fanfare
	cargo build --release -p fanfare --example bare
	FANFARE_PEERS_PYTHON=$(CURDIR)/$(PEERS)/bin/python cargo run --release -p fanfare-bench -- $(if $(ONLY),--only $(ONLY))

.PHONY: soak
soak: ## Watch the memory and files of a watching fanfarectl; MINUTES=60 unless given
	@scripts/tools.sh rust
	@scripts/setup.sh run
	cargo build $(TERMINAL)
	scripts/soak.sh "$(TARGET)/debug" $(or $(MINUTES),60)

.PHONY: fuzz
fuzz: ## Run the property tests with many cases; CASES=10000 unless given
	@scripts/tools.sh rust
	@scripts/setup.sh run
	scripts/fuzz.sh $(or $(CASES),10000)

.PHONY: screenshots
screenshots: setup-test page ## Take pictures of the window in both languages and themes, into docs/screenshots
	FANFARE_SCREENSHOTS=$(CURDIR)/docs/screenshots FANFARE_NO_SKIP=1 cargo test --workspace --test desktop

.PHONY: package
package: setup-window page ## Build the .deb; PROFILE=debug for a quick one
	scripts/package.sh $(or $(PROFILE),release)

# Packages of the system, by set.
setup-%:
	@scripts/tools.sh rust $(if $(filter-out peers bench,$*),node)
	@scripts/setup.sh $*

# The page, which the window's executable embeds.
.PHONY: page
page: ui/dist/index.html

ui/node_modules/.installed: ui/package-lock.json
	npm --prefix ui ci --no-audit --no-fund
	touch $@

PAGE_SOURCES := $(shell find ui/src ui/messages ui/project.inlang ui/index.html ui/*.ts ui/*.js -type f \
	-not -path 'ui/src/paraglide/*' -not -name project_id 2>/dev/null)

ui/dist/index.html: ui/node_modules/.installed $(PAGE_SOURCES)
	npm --prefix ui run --silent build
