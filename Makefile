# What a person does with this repository; `make` alone lists it.

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.PHONY: help demo demo-postgres build release install deb package size lint test rest traits docs api unit count
.PHONY: conformance property fuzz crash soak-postgres tsan wal wire api-fuzz console bench bench-check tried-programs
.PHONY: counted-release

# The same in every target, so that none builds again what another has built.
flags := --explicit-target-dependency-import-check error
# What people install: without the libraries of Swift beside it, whose symbols cost at every start, and
# without symbols for libraries that would be loaded later: there are none.
# The addresses that the loader completes at every start are packed, which saves 4 MB: glibc 2.36 and newer read them,
# and of Swift's linkers lld writes them.
packed := $(if $(shell grep -ls GLIBC_ABI_DT_RELR /lib/*-linux-gnu/libc.so.6 /lib64/libc.so.6), \
    -Xswiftc -use-ld=lld -Xlinker -z -Xlinker pack-relative-relocs)
release := -c release --static-swift-stdlib -Xlinker --no-export-dynamic $(packed)
# LINK=dynamic: programs that share the libraries of Swift, which are installed beside them. They are smaller, and take
# twice as long to start. Without them each program has all of Foundation, with its tables of languages: GRDB, Yams and
# Hummingbird need it.
LINK ?= static
ifeq ($(LINK),dynamic)
link := -c release --scratch-path .build/dynamic -Xlinker --no-export-dynamic -Xlinker '-rpath=$$ORIGIN/../lib/wfd'
built := .build/dynamic/release
# Of the programs when they are installed, in MB; docs/operations.md says them too. An example of the Swift library has
# no Foundation in it, and must not get it.
sizes := wfd=32 wfctl=23
screens := -c release
screens_size := screens=3.4
else ifeq ($(LINK),static)
link := $(release)
built := .build/release
sizes := wfd=97 wfctl=81
screens := -c release --static-swift-stdlib
screens_size := screens=12
else
$(error LINK is static or dynamic)
endif
# Where 'make install' puts things: below DESTDIR, to be found below PREFIX.
PREFIX ?= /usr
DESTDIR ?=
# What the Swift library is compared with; before the first release, with the last commit.
BASE ?= $(shell git describe --tags --abbrev=0 2>/dev/null || echo HEAD)
examples := Examples/Swift/Package.swift Examples/Swift/Sources Examples/Swift/Tests Examples/Durable
swift_folders := Package.swift Sources Tests migrations Benchmarks $(examples)

help: ## List the targets
	@sed -nE 's/^([a-z-]+):.*## (.*)/  make \1\t\2/p' $(MAKEFILE_LIST) | expand -t 20

demo: ## Build, and see an order survive kill -9 of the daemon; STAY=1 to look at it in a browser afterwards
	@Examples/demo.sh $(if $(STAY),--stay)

demo-postgres: ## Two daemons on a private server of PostgreSQL; the owner is killed, then the server
	@Examples/demo-postgres.sh

build: ## Build wfd and wfctl for debugging, into .build/debug
	@.ci/packages.sh
	.ci/swift.sh build $(flags) --product wfd
	.ci/swift.sh build $(flags) --product wfctl

release: ## Build wfd and wfctl for installing; LINK=dynamic to share the libraries of Swift
	@.ci/packages.sh
	.ci/swift.sh build $(flags) $(link) --product wfd
	.ci/swift.sh build $(flags) $(link) --product wfctl

install: ## Install what 'make release' built, and the systemd units; PREFIX=/usr, DESTDIR= and LINK= as for it
	install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(PREFIX)/libexec/wfd $(DESTDIR)$(PREFIX)/lib/sysusers.d
	install --strip $(built)/wfd $(built)/wfctl $(DESTDIR)$(PREFIX)/bin/
	if [ $(LINK) = dynamic ]; then .ci/runtime.sh $(DESTDIR)$(PREFIX)/lib/wfd $(built)/wfd $(built)/wfctl; fi
	install -m 644 systemd/wfd.sysusers.conf $(DESTDIR)$(PREFIX)/lib/sysusers.d/wfd.conf
	install systemd/wfd-backup $(DESTDIR)$(PREFIX)/libexec/wfd/
	systemd/units.sh $(DESTDIR)$(PREFIX)/lib/systemd/system $(PREFIX)

deb: release ## Make a Debian package of what 'make release' built, in .build/deb; LINK= as for it
	rm -rf .build/deb && install -d .build/deb
	$(MAKE) --no-print-directory install DESTDIR=$(CURDIR)/.build/deb/root PREFIX=/usr LINK=$(LINK)
	packaging/deb.sh .build/deb/root .build/deb
	rm -rf .build/deb/root

package: ## Check a package of the debug programs: lintian, and what it does in a small Debian, from install to purge
	@packaging/test.sh .build/debug

size: ## Check that what 'make release' built and an example have grown by no more than a fifth; LINK= as for it
	.ci/size.sh $(built) $(sizes)
	.ci/swift.sh build --package-path Examples/Swift --scratch-path .build/examples/Swift $(screens) --product screens
	.ci/size.sh .build/examples/Swift/release $(screens_size)

lint: ## Check the format of all Swift files
	swift format lint --strict --recursive --parallel $(swift_folders)

test: ## What must hold before a change is taken: lint, no warnings, the library's pages, all suites but those of 'rest'
	@.ci/packages.sh
	@.ci/tools.sh
	@.ci/python.sh
	$(MAKE) --no-print-directory lint
	.ci/swift.sh build $(flags) --build-tests
	$(MAKE) --no-print-directory docs
	heavy=$$(.ci/tagged.sh heavy) && \
	    .ci/wire/run.sh record .ci/swift.sh test $(flags) --skip-build --skip "$$heavy"
	.ci/console/run.sh quick

# Suites on the store in memory that hold for several partitions too.
partitioned := 'EngineTests.(Bulk|Condition|Key|RecordedChanges|Queue|TaskOverlap|ActiveVersion|StartLine|Overlap)'

# Suites of whole programs that hold on PostgreSQL too. The others look into files, or at the order of one partition.
on_postgres := 'EndToEndTests.(Actor|ContextFile|Effect|MigrationPlan|OrderExample|RepairedInstance|Request)Tests' \
    --filter 'EndToEndTests.(Route|SkippedTimer|Stats|Stream|Watching|Work)Tests'

rest: ## What 'test' leaves out because it is long: long suites, traits, units, the package, the release build, counts
	@.ci/packages.sh
	@.ci/python.sh
	.ci/swift.sh build $(flags) --build-tests
	heavy=$$(.ci/tagged.sh heavy) && .ci/swift.sh test $(flags) --skip-build --no-parallel --filter "$$heavy" \
	    --event-stream-output-path .build/heavy.jsonl --event-stream-version 0
	@.ci/slowest.py .build/heavy.jsonl
	WFD_TEST_PARTITIONS=4 .ci/swift.sh test $(flags) --skip-build --no-parallel --filter $(partitioned)
	WFD_TEST_STORE=postgres WFD_TEST_PARTITIONS=4 .ci/swift.sh test $(flags) --skip-build --filter $(on_postgres)
	$(MAKE) --no-print-directory --jobs 2 tried-programs counted-release

# Two parts of 'rest' at a time: what tries the built programs often waits, and nothing of it locks the folder in which
# the release is built.
tried-programs:
	.ci/wire/run.sh check $(flags)
	.ci/api/run.sh fuzz 60
	.ci/api/run.sh clients
	.ci/console/run.sh all
	$(MAKE) --no-print-directory traits
	$(MAKE) --no-print-directory unit
	$(MAKE) --no-print-directory package

counted-release:
	$(MAKE) --no-print-directory release count

wire: ## The HTTP of the end-to-end suites, recorded and compared with docs/openapi.json
	@.ci/packages.sh
	@.ci/python.sh
	.ci/swift.sh build $(flags) --build-tests
	@rm -rf .build/wire
	.ci/wire/run.sh check $(flags)

api-fuzz: ## Requests made from docs/openapi.json with each role, 30 minutes; API_SECONDS=60 for less, API_SEED=N again
	@.ci/packages.sh
	@.ci/python.sh
	.ci/swift.sh build $(flags) --product wfd
	.ci/swift.sh build $(flags) --product wfctl
	.ci/api/run.sh fuzz $(or $(API_SECONDS),1800) $(API_SEED)

console: ## The console in Chromium: all pages in both themes, without scripts, by keyboard; pictures in .build/pictures
	@.ci/packages.sh
	@.ci/tools.sh
	@.ci/python.sh
	.ci/swift.sh build $(flags) --product wfd
	.ci/swift.sh build $(flags) --product wfctl
	.ci/console/run.sh all

traits: ## The examples as packages of their own: what they resolve, their tests, what is said where a trait is missing
	.ci/traits.sh

docs: ## The pages of the Swift libraries, into .build/docs; a warning is an error
	@.ci/packages.sh
	.ci/swift.sh build $(flags) --build-tests
	.ci/docs.sh .build/debug .build/docs

api: ## What programs with the Swift library would have to change since BASE, which is the last release without it
	.ci/api.sh $(BASE)

unit: ## Check the systemd units, where systemd-analyze is there
	@systemd/verify.sh .build/debug/wfd

count: ## Instructions of a step, a line and an event, under valgrind where it is there; the floor writes our rows
	.ci/swift.sh build $(flags) $(release) --product wfcount
	.build/release/wfcount floor-check
	.build/release/wfcount count

conformance: ## The public vectors alone, with the names of what failed; CONFORMANCE=DIR for another folder
	@.ci/packages.sh
	@.ci/swift.sh build $(flags) --build-tests
	@.ci/swift.sh test $(flags) --skip-build --filter ConformanceTests | grep -E '^(statechart|cel|invoke): |^  failed: '

property: ## 100,000 sequences on random machines against a naive interpreter; PROPERTY_SEED=N repeats a run
	.ci/swift.sh build $(flags) --build-tests
	PROPERTY_SEQUENCES=$${PROPERTY_SEQUENCES:-100000} \
	    .ci/swift.sh test $(flags) --skip-build --filter StatechartPropertyTests

fuzz: ## libFuzzer on all that reads what others wrote, 10 minutes each; FUZZ_SECONDS=60 for less
	@.ci/packages.sh
	.ci/fuzz.sh $(or $(FUZZ_SECONDS),600)

crash: ## 500 kills, 2,000 power cuts, 120 kills under 16 clients, 200 with each of several verbs, failing store calls
	.ci/swift.sh build $(flags) --build-tests
	CRASH_ROUNDS=500 POWER_CUTS=2000 CLIENT_KILLS=120 SIMULATION_STRIDE=1 CASE_STRIDE=1 SNAPSHOT_MACHINES=60 \
	    EFFECT_KILLS=200 MIGRATION_KILLS=200 PURGE_KILLS=200 REDACTION_KILLS=200 RESET_KILLS=200 BULK_KILLS=200 \
	    .ci/swift.sh test $(flags) --skip-build --filter 'CrashTests|LinearizabilityTests|SimulationTests' \
	    --filter 'Killed(Effects|Migration|Purge|Redaction|Resets)Tests|EndToEndTests.BulkTests' \
	    --filter 'CompilingCostTests|EveryEditTests|InterruptedRestoreTests|SQLiteStoreSuiteTests|SnapshotBytesTests' \
	    --filter 'TamperingTests|TimerOrderTests'

soak-postgres: ## On PostgreSQL: 200 rounds of three daemons with kills, 120 kills under 16 clients, its suites
	@.ci/packages.sh
	.ci/swift.sh build $(flags) --build-tests
	STANDBY_ROUNDS=$${STANDBY_ROUNDS:-200} CASE_STRIDE=1 .ci/swift.sh test $(flags) --skip-build --no-parallel \
	    --filter 'StandbyLinearizabilityTests|PostgresStoreTests|EndToEndTests.Postgres'
	WFD_TEST_STORE=postgres WFD_TEST_PARTITIONS=4 .ci/swift.sh test $(flags) --skip-build --filter $(on_postgres)
	WFD_TEST_STORE=postgres WFD_TEST_PARTITIONS=4 CLIENT_KILLS=120 .ci/swift.sh test $(flags) --skip-build \
	    --no-parallel --filter 'LinearizabilityTests.(Linearizability|TaskLinearizability)Tests'

tsan: ## The concurrent suites under ThreadSanitizer; builds everything once more, into .build/tsan
	.ci/swift.sh build $(flags) --sanitize=thread --scratch-path .build/tsan --build-tests
	TSAN_OPTIONS=suppressions=$(CURDIR)/Tests/thread-sanitizer.supp \
	    .ci/swift.sh test $(flags) --sanitize=thread --scratch-path .build/tsan --skip-build \
	    --no-parallel --filter 'WorkflowEngineTests|SQLiteStoreTests' --skip SimulationTests

wal: ## A minute of reads beside a writer: the write-ahead log stays small
	.ci/swift.sh build $(flags) --build-tests
	WFD_WAL_SECONDS=60 .ci/swift.sh test $(flags) --skip-build --filter WriteAheadLogTests

bench: ## Every figure beside its floor, in one table; ARGS=--quick, ARGS="--only engine.1000", ARGS=--help
	for product in wfd wfctl wfbench; do .ci/swift.sh build $(flags) $(release) --product $$product; done
	.build/release/wfbench $(ARGS)

bench-check: ## The ratios of Benchmarks/thresholds.json, measured again; fails when one does not hold
	for product in wfd wfctl wfbench; do .ci/swift.sh build $(flags) $(release) --product $$product; done
	.build/release/wfbench check $(ARGS)
