// swift-tools-version: 6.2
import PackageDescription

// Builds between two releases are told apart by it.
let commit = Context.gitInformation.map { git in
    git.currentCommit.prefix(10) + (git.hasUncommittedChanges ? ".modified" : "")
}

// Products that many targets use.
let logging = Target.Dependency.product(name: "Logging", package: "swift-log")
let lifecycle = Target.Dependency.product(name: "ServiceLifecycle", package: "swift-service-lifecycle")
let arguments = Target.Dependency.product(name: "ArgumentParser", package: "swift-argument-parser")
let grdb = Target.Dependency.product(name: "GRDB", package: "GRDB.swift")
let crypto = Target.Dependency.product(name: "Crypto", package: "swift-crypto")
let tls = Target.Dependency.product(name: "NIOSSL", package: "swift-nio-ssl")
let httpClient = Target.Dependency.product(name: "AsyncHTTPClient", package: "async-http-client")
let heaps = Target.Dependency.product(name: "HeapModule", package: "swift-collections")

/// A product of swift-nio.
func nio(_ name: String) -> Target.Dependency { .product(name: name, package: "swift-nio") }

let package = Package(
    name: "wfd",
    platforms: [.macOS(.v15)],
    products: [
        .executable(name: "wfd", targets: ["wfd"]),
        .executable(name: "wfctl", targets: ["wfctl"]),
        .library(name: "StateMachines", targets: ["StateMachines"]),
        .library(name: "DurableMachines", targets: ["DurableMachines"]),
        .library(name: "WorkflowClient", targets: ["WorkflowClient"]),
        // For tests only; libraries, so that they can be loaded into a process.
        .library(name: "ClockShift", type: .dynamic, targets: ["ClockShift"]),
        .library(name: "SyncFaults", type: .dynamic, targets: ["SyncFaults"]),
        .library(name: "Holds", type: .dynamic, targets: ["Holds"]),
    ],
    traits: [
        .default(enabledTraits: ["Daemon"]),
        .trait(
            name: "Daemon", description: "The programs wfd and wfctl",
            enabledTraits: ["Durable", "Client", "YAML", "RE2"]),
        .trait(name: "Durable", description: "DurableMachines: instances in a SQLite file of this process"),
        .trait(name: "Client", description: "WorkflowClient: instances in a daemon"),
        .trait(name: "YAML", description: "Definitions in YAML; without it they are JSON"),
        .trait(name: "RE2", description: "The function 'matches' in expressions; it needs libre2"),
    ],
    dependencies: [
        // Verbs, flags, help and exit codes of both executables.
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        // SHA-256 of definitions, journal rows, snapshots and backups.
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
        // The heap of the timers that are due next.
        .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
        // Methods, statuses and header names, the currency of Hummingbird and of our routes.
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
        // The daemon's log.
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        // Sockets and buffers beneath Hummingbird; named where we touch a buffer or a socket address ourselves.
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        // The parts of requests on a connection, as Hummingbird sees them, and their translation from HTTP/1.
        .package(url: "https://github.com/apple/swift-nio-extras", from: "1.34.1"),
        // SQLite on the system's libsqlite3: connections, cached statements, errors with extended codes.
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        // Latencies of the benchmark, to three digits in a fixed number of bytes.
        .package(url: "https://github.com/HdrHistogram/hdrhistogram-swift", from: "0.2.0"),
        // The HTTP server: routing, bodies with limits, graceful shutdown.
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1"),
        // TLS of the daemon's addresses, of the client, and towards services that effects call.
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.6"),
        // YAML with key order, line and column.
        .package(url: "https://github.com/jpsim/Yams", from: "6.2.2"),
        // HTTP over TCP and unix sockets for the client.
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
        // Start order, signals and graceful shutdown of the daemon's long-running parts.
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    ],
    targets: [
        .target(name: "WorkflowDates"), .target(name: "WorkflowJSON"), .target(name: "WorkflowSpelling"),
        // Limits, the grammar of names and the types of problems: what the API and the Swift library have in common.
        .target(name: "WorkflowRules"), .target(name: "WorkflowTerminal"),
        // Regular expressions in linear time: libre2 behind a few C functions.
        .target(name: "CRE2", linkerSettings: [.linkedLibrary("re2"), .linkedLibrary("stdc++")]),
        .target(
            name: "WorkflowCEL",
            dependencies: [
                .target(name: "CRE2", condition: .when(traits: ["RE2"])), "WorkflowDates", "WorkflowJSON",
                "WorkflowSpelling",
            ]),
        .target(
            name: "Statechart",
            dependencies: ["WorkflowCEL", "WorkflowJSON", "WorkflowSpelling", .product(name: "Yams", package: "Yams")]
        ),
        .target(name: "StateMachines", dependencies: ["WorkflowRules", "WorkflowJSON", "Statechart"]),
        .target(name: "Drawing", dependencies: ["Statechart", "WorkflowTerminal"]),
        .target(
            name: "WorkflowInterchange", dependencies: ["Drawing", "WorkflowJSON", "WorkflowSpelling", "Statechart"]),
        .target(
            name: "WorkflowMigrations",
            path: "migrations",
            exclude: ["postgres"],
            resources: [
                "V0001_initial", "V0001_journal", "V0002_effects", "V0003_tally_settings", "V0004_redaction",
                "V0005_purge", "V0006_bulk", "V0007_place", "V0008_views", "V0009_change",
            ].map { .embedInCode("\($0).sql") }),
        .target(
            name: "PostgresMigrations", path: "migrations/postgres",
            resources: ["initial", "journal", "effects", "operators"].map { .embedInCode("V0001_\($0).sql") }),
        // Settings of a thread's scheduling, which Swift cannot call.
        .target(name: "CScheduling"),
        .target(name: "WorkflowThreads", dependencies: ["CScheduling"]),
        // Programs in process groups of their own, with their three streams.
        .target(name: "WorkflowPrograms", dependencies: ["CSpawn", "WorkflowJSON"]),
        // A step of starting a program, closing its descriptors, which Swift cannot call.
        .target(name: "CSpawn"),
        // A function of the C library's allocator, which Swift cannot call.
        .target(name: "CAllocation"),
        // The bytes of docs/openapi.json, which `GET /openapi.json` answers: C can embed a file.
        .target(name: "COpenAPI"),
        // A function of SQLite with a variable number of arguments, which Swift cannot call.
        .target(name: "CSQLiteMemory", linkerSettings: [.linkedLibrary("sqlite3")]),
        // The identity of a file system: statfs(2) and other requests, which Swift cannot call.
        .target(name: "CFileSystem"),
        .target(name: "WorkflowStore", dependencies: ["WorkflowJSON", "Statechart", crypto]),
        .target(
            name: "SQLiteStore",
            dependencies: [
                "CFileSystem", "CSQLiteMemory", "WorkflowJSON", "WorkflowMigrations", "Statechart", "WorkflowStore",
                "WorkflowThreads", grdb,
                .product(name: "GRDBSQLite", package: "GRDB.swift"),
                heaps,
            ]),
        // The client library of PostgreSQL, loaded when a database of it is named.
        .target(name: "CPQ"),
        .target(
            name: "PostgresStore",
            dependencies: [
                "CPQ", "PostgresMigrations", "Statechart", "WorkflowJSON", "WorkflowStore", "WorkflowThreads",
            ]),
        .target(
            name: "WorkflowEngine",
            dependencies: [
                "WorkflowJSON", "Statechart", "WorkflowThreads", "WorkflowStore",
                .product(name: "DequeModule", package: "swift-collections"),
                heaps, logging, lifecycle,
            ]),
        .target(
            name: "DurableMachines",
            dependencies: [
                "SQLiteStore", "Statechart", "StateMachines", "WorkflowEngine", "WorkflowStore", logging,
                lifecycle,
            ]),
        // The commit of this build: C, because Swift takes no text from the manifest. Each commit compiles anew what
        // depends on it, which is why only the programs do.
        .target(name: "CRelease", cSettings: commit.map { [.define("WFD_COMMIT", to: "\"\($0)\"")] } ?? []),
        .target(
            name: "WorkflowAPI", dependencies: ["WorkflowDates", "WorkflowJSON", "WorkflowRules", "WorkflowSpelling"]),
        // Access control: roles, tokens and their file, rules for users of this machine. No HTTP.
        .target(name: "WorkflowAccess", dependencies: ["WorkflowAPI", "WorkflowJSON", "WorkflowStore"]),
        .target(
            name: "WorkflowServer",
            dependencies: [
                "CAllocation", "COpenAPI", "WorkflowAccess", "WorkflowJSON", "WorkflowSpelling", "Statechart",
                "WorkflowThreads", "WorkflowAPI", "WorkflowCalls", "WorkflowConsole", "WorkflowEngine",
                "WorkflowStore", httpClient,
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HummingbirdCore", package: "hummingbird"),
                logging, nio("NIOCore"), nio("NIOHTTP1"), nio("NIOPosix"), nio("NIOTLS"), tls,
                .product(name: "NIOHTTPTypes", package: "swift-nio-extras"),
                .product(name: "NIOHTTPTypesHTTP1", package: "swift-nio-extras"),
                lifecycle,
            ]),
        // Calls of a daemon's API.
        .target(
            name: "WorkflowCalls",
            dependencies: [
                "Statechart", "WorkflowJSON", "WorkflowAPI", httpClient, nio("NIOCore"), nio("NIOHTTP1"),
                nio("NIOPosix"), tls,
            ]),
        .target(
            name: "WorkflowClient",
            dependencies: ["Statechart", "StateMachines", "WorkflowAPI", "WorkflowCalls", "WorkflowJSON"]),
        // The pages of the console.
        .target(
            name: "WorkflowConsole",
            dependencies: [
                "Drawing", "Statechart", "WorkflowAPI", "WorkflowCEL", "WorkflowCalls", "WorkflowJSON",
                "WorkflowTerminal",
            ],
            resources: [.embedInCode("console.css"), .embedInCode("console.mjs")]),
        // What the daemon does of itself for instances: calls over HTTP, programs.
        .target(
            name: "WorkflowEffects",
            dependencies: [
                "Statechart", "WorkflowEngine", "WorkflowJSON", "WorkflowPrograms", "WorkflowStore", "WorkflowThreads",
                httpClient, crypto, nio("NIOCore"), nio("NIOHTTP1"), nio("NIOPosix"), tls,
            ]),
        // The table of the daemon's settings, and all that is made from it.
        .target(
            name: "WorkflowSettings",
            dependencies: [
                "Statechart", "WorkflowAccess", "WorkflowAPI", "WorkflowEffects", "WorkflowEngine", "WorkflowJSON",
                "WorkflowServer", "WorkflowSpelling", "WorkflowStore", arguments, logging,
            ]),
        .testTarget(
            name: "WorkflowSettingsTests",
            dependencies: [
                "DaemonTesting", "ManualTesting", "Statechart", "WorkflowAPI", "WorkflowAccess", "WorkflowServer",
                "WorkflowSettings", logging,
            ]),
        .executableTarget(
            name: "wfd",
            dependencies: [
                "CRelease", "PostgresStore", "SQLiteStore", "Statechart", "WorkflowAccess", "WorkflowSpelling",
                "WorkflowTerminal", "WorkflowServer", "WorkflowAPI", "WorkflowEffects", "WorkflowEngine",
                "WorkflowPrograms", "WorkflowSettings", "WorkflowStore", "WorkflowThreads", arguments, logging,
                lifecycle,
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
            ]),
        .target(
            name: "WorkflowCommand",
            dependencies: [
                "Drawing", "WorkflowCEL", "WorkflowInterchange", "WorkflowJSON", "WorkflowSpelling", "Statechart",
                "WorkflowTerminal", "WorkflowAPI", "WorkflowClient", "WorkflowPrograms", arguments, crypto,
                .product(name: "Yams", package: "Yams"),
            ]),
        .executableTarget(name: "wfctl", dependencies: ["CRelease", "WorkflowAPI", "WorkflowCommand"]),
        // Calls of Linux that Swift's module of the C library leaves out.
        .target(name: "LinuxEvents", path: "Benchmarks/LinuxEvents"),
        // A loop over sqlite3 that writes what the engine writes: what SQLite itself can do.
        .target(name: "SQLiteFloor", path: "Benchmarks/SQLiteFloor", linkerSettings: [.linkedLibrary("sqlite3")]),
        // The same over libpq: what PostgreSQL itself can do.
        .target(name: "PostgresFloor", dependencies: ["CPQ", "SQLiteFloor"], path: "Benchmarks/PostgresFloor"),
        // The engine beside that loop: workloads, contests, and what measuring them needs. No HTTP.
        .target(
            name: "EngineFloor",
            dependencies: [
                "SQLiteFloor", "SQLiteStore", "Statechart", "WorkflowCEL", "WorkflowEngine", "WorkflowJSON",
                "WorkflowStore", arguments, grdb, logging, lifecycle,
            ],
            path: "Benchmarks/EngineFloor"),
        // What `make count` runs: a program of its own, so that it is built without HTTP and TLS.
        .executableTarget(
            name: "wfcount",
            dependencies: [
                "EngineFloor", "Statechart", "WorkflowAPI", "WorkflowEngine", "WorkflowStore", arguments,
            ],
            path: "Benchmarks/wfcount"),
        .executableTarget(
            name: "wfbench",
            dependencies: [
                "DurableMachines", "EngineFloor", "LinuxEvents", "PostgresFloor", "PostgresStore", "Seeds",
                "SQLiteFloor", "SQLiteStore", "Statechart", "StateMachines", "WorkflowEffects", "WorkflowEngine",
                "WorkflowJSON", "WorkflowServer", "WorkflowStore", "WorkflowThreads", "WorstMacrosteps", arguments,
                grdb,
                .product(name: "Histogram", package: "hdrhistogram-swift"),
                logging, nio("NIOCore"), nio("NIOHTTP1"), nio("NIOPosix"), tls, lifecycle,
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
            ],
            path: "Benchmarks/wfbench"),
        .testTarget(
            name: "ConformanceTests",
            dependencies: [
                "ThreadTesting", "WorkflowCEL", "WorkflowJSON", "Statechart", .product(name: "Yams", package: "Yams"),
            ]),
        .testTarget(
            name: "WorkflowCELTests", dependencies: ["ThreadTesting", "WorkflowDates", "WorkflowCEL", "WorkflowJSON"]),
        .testTarget(
            name: "WorkflowInterchangeTests",
            dependencies: [
                "ThreadTesting", "DaemonTesting", "WorkflowInterchange", "WorkflowJSON", "Statechart",
                .product(name: "Yams", package: "Yams"),
            ],
            exclude: ["Documents"]
        ),
        .testTarget(
            name: "DrawingTests",
            dependencies: ["DaemonTesting", "Drawing", "Statechart", "ThreadTesting", "WorkflowInterchange"]),
        .testTarget(name: "WorkflowJSONTests", dependencies: ["WorkflowJSON"]),
        .testTarget(name: "WorkflowSpellingTests", dependencies: ["WorkflowSpelling"]),
        .testTarget(
            name: "StatechartTests",
            dependencies: ["ThreadTesting", "ManualTesting", "WorkflowJSON", "WorstMacrosteps", "Statechart"]),
        // The definitions whose steps take longest, for the test of the budget and for the benchmark.
        .target(name: "WorstMacrosteps", path: "Tests/WorstMacrosteps"),
        // The step once more, from the recommendation: what the step and whole journals are compared with.
        .target(
            name: "NaiveStatechart", dependencies: ["WorkflowCEL", "WorkflowJSON", "Statechart", "WorkflowStore"],
            path: "Tests/NaiveStatechart"),
        // The same files as in the package of examples, which needs no trait.
        .target(name: "Seeds", dependencies: ["StateMachines"], path: "Examples/Swift/Sources/Seeds"),
        .testTarget(
            name: "SeedsTests", dependencies: ["Seeds", "StateMachines"], path: "Examples/Swift/Tests/SeedsTests"),
        .testTarget(
            name: "StateMachinesTests", dependencies: ["HostSuite", "ManualTesting", "Seeds", "StateMachines"]),
        // Programs that must not compile, and what the compiler says of them.
        .testTarget(name: "RefusedTests", dependencies: ["DaemonTesting", "StateMachines"], exclude: ["Programs"]),
        // What every host must do: checks that each host's own tests run.
        .target(name: "HostSuite", dependencies: ["StateMachines"], path: "Tests/HostSuite"),
        .executableTarget(
            name: "order", dependencies: ["Seeds", "StateMachines"], path: "Examples/Swift/Sources/order"),
        .executableTarget(
            name: "countdown", dependencies: ["Seeds", "StateMachines"], path: "Examples/Swift/Sources/countdown"),
        .executableTarget(
            name: "rocket", dependencies: ["DurableMachines", "Seeds", "StateMachines"],
            path: "Examples/Durable/Sources/rocket"),
        .executableTarget(
            name: "packer", dependencies: ["DurableMachines", "Seeds", "StateMachines"],
            path: "Examples/Durable/Sources/packer"),
        .testTarget(
            name: "DurableMachinesTests",
            dependencies: [
                "ThreadTesting", "DaemonTesting", "DurableMachines", "HostSuite", "Seeds", "StateMachines", "packer",
                "rocket",
            ]),
        .testTarget(
            name: "StatechartPropertyTests",
            dependencies: [
                "ThreadTesting", "NaiveStatechart", "Statechart", "StateMachines", "WorkflowCEL", "WorkflowJSON",
            ]),
        .testTarget(
            name: "WorkflowConsoleTests",
            dependencies: [
                "Drawing", "Statechart", "WorkflowAPI", "WorkflowClient", "WorkflowConsole", "WorkflowJSON",
            ]),
        .testTarget(name: "WorkflowThreadsTests", dependencies: ["ThreadTesting", "WorkflowThreads"]),
        // The pages of the manual as blocks, links and commands, for the tests that hold them to the code.
        .target(name: "ManualTesting", path: "Tests/ManualTesting"),
        .testTarget(name: "TidyTests", dependencies: ["ThreadTesting", "ManualTesting", crypto]),
        .testTarget(
            name: "WorkflowAPITests", dependencies: ["ThreadTesting", "ManualTesting", "WorkflowJSON", "WorkflowAPI"]),
        .target(
            name: "WorkflowClientTesting", dependencies: ["WorkflowJSON", "WorkflowAPI", "WorkflowClient"],
            path: "Tests/WorkflowClientTesting"),
        .testTarget(
            name: "WorkflowClientTests",
            dependencies: [
                "WorkflowJSON", "WorkflowAPI", "WorkflowClient", "WorkflowClientTesting",
                nio("NIOCore"), nio("NIOPosix"),
            ]),
        .testTarget(
            name: "WorkflowCommandTests",
            dependencies: [
                "DaemonTesting", "GeneratedMachines", "StateMachines", "WorkflowJSON", "WorkflowTerminal",
                "WorkflowAPI", "WorkflowClient", "WorkflowClientTesting", "WorkflowCommand", arguments,
            ],
            exclude: ["Definitions", "Help"]
        ),
        // What `wfctl generate` writes: so it is compiled, and can be run.
        .target(name: "GeneratedMachines", dependencies: ["StateMachines"], path: "Tests/GeneratedMachines"),
        // Waiting, blocking and computing that leave the threads of Swift's pool to others.
        .target(name: "ThreadTesting", path: "Tests/ThreadTesting"),
        .target(
            name: "DaemonTesting",
            dependencies: ["CSpawn", "PostgresTesting", "ThreadTesting", "WorkflowJSON", "WorkflowClient", grdb],
            path: "Tests/DaemonTesting"),
        // SQLite's file system with watchers: failing calls, disks that lose their power; a program that reads.
        .target(
            name: "DiskTesting",
            dependencies: ["ThreadTesting", grdb, .product(name: "GRDBSQLite", package: "GRDB.swift")],
            path: "Tests/DiskTesting"),
        // Loaded into a daemon under test: counts flushes to disk, and makes them fail.
        .target(name: "SyncFaults", path: "Tests/FaultInjection"),
        // Loaded into a daemon under test: calls that may block for long do so, and tasks that keep Swift's pool.
        .target(name: "Holds", path: "Tests/Holds"),
        // Loaded into a daemon under test: its clock is wrong.
        .target(name: "ClockShift", path: "Tests/ClockShift"),
        // A store in memory, and reading any store in the default namespace, for tests of something else.
        .target(
            name: "StoreTesting", dependencies: ["Statechart", "ThreadTesting", "WorkflowStore"],
            path: "Tests/StoreTesting"),
        // What every store must do: checks that each store's own tests run.
        .target(
            name: "StoreSuite", dependencies: ["Statechart", "StoreTesting", "WorkflowStore"],
            path: "Tests/StoreSuite"),
        // A server of PostgreSQL for a run of tests, with a database for each test, and a proxy that cuts.
        .target(name: "PostgresTesting", dependencies: ["CSpawn", "ThreadTesting"], path: "Tests/PostgresTesting"),
        .testTarget(
            name: "PostgresStoreTests",
            dependencies: [
                "PostgresStore", "PostgresTesting", "Statechart", "StoreSuite", "StoreTesting", "ThreadTesting",
                "WorkflowStore",
            ]),
        // Who asks, for tests of something else.
        .target(
            name: "IdentityTesting", dependencies: ["WorkflowJSON", "Statechart", "WorkflowEngine", "WorkflowStore"],
            path: "Tests/IdentityTesting"
        ),
        .testTarget(
            name: "FaultInjectionTests",
            dependencies: ["ThreadTesting", "DaemonTesting", "WorkflowJSON", "WorkflowAPI", "WorkflowClient"]),
        .testTarget(
            name: "CrashTests",
            dependencies: [
                "ThreadTesting", "DaemonTesting", "DiskTesting", "IdentityTesting", "WorkflowJSON", "NaiveStatechart",
                "SQLiteStore", "Statechart", "WorkflowClient", "WorkflowEngine", "WorkflowStore", grdb,
                logging, lifecycle,
            ]),
        .testTarget(
            name: "LinearizabilityTests",
            dependencies: ["ThreadTesting", "DaemonTesting", "PostgresTesting", "WorkflowJSON", "WorkflowClient"]),
        .testTarget(
            name: "WorkflowEngineTests",
            dependencies: [
                "ThreadTesting", "DaemonTesting", "DiskTesting", "IdentityTesting", "WorkflowJSON", "NaiveStatechart",
                "SQLiteStore", "Statechart", "StoreTesting", "WorkflowEngine", "WorkflowStore", "WorkflowThreads",
                crypto, grdb, logging, lifecycle,
            ]),
        .testTarget(
            name: "WorkflowStoreTests",
            dependencies: ["ThreadTesting", "Statechart", "StoreSuite", "StoreTesting", "WorkflowStore"]),
        .testTarget(
            name: "SQLiteStoreTests",
            dependencies: [
                "ManualTesting", "ThreadTesting", "DiskTesting", "WorkflowJSON", "WorkflowMigrations", "SQLiteStore",
                "Statechart", "StoreSuite", "StoreTesting", "WorkflowStore", grdb,
                .product(name: "GRDBSQLite", package: "GRDB.swift"),
            ]),
        .testTarget(
            name: "WorkflowAccessTests",
            dependencies: ["DaemonTesting", "WorkflowAccess", "WorkflowAPI", "WorkflowStore"]),
        .testTarget(
            name: "WorkflowServerTests",
            dependencies: [
                "ThreadTesting", "DaemonTesting", "IdentityTesting", "PostgresTesting", "StoreTesting", "WorkflowJSON",
                "SQLiteStore", "Statechart", "WorkflowAccess", "WorkflowAPI", "WorkflowClient", "WorkflowEngine",
                "WorkflowServer", "WorkflowStore", "WorkflowConsole", grdb,
                .product(name: "HTTPTypes", package: "swift-http-types"),
                logging, nio("NIOCore"), nio("NIOEmbedded"), nio("NIOHTTP1"),
                .product(name: "NIOHTTPTypes", package: "swift-nio-extras"),
                lifecycle,
            ]),
        .testTarget(
            name: "WorkflowEffectsTests",
            dependencies: [
                "DaemonTesting", "Statechart", "WorkflowEffects", "WorkflowEngine", "WorkflowJSON", "WorkflowStore",
                tls,
            ]),
        .testTarget(
            name: "EndToEndTests",
            dependencies: [
                "ThreadTesting", "DaemonTesting", "HostSuite", "ManualTesting", "PostgresTesting", "StateMachines",
                "WorkflowJSON", "WorkflowAPI", "WorkflowClient", "WorkflowStore", "Statechart", grdb,
            ]),
    ],
    cxxLanguageStandard: .cxx17
)

// For `swift package preview-documentation`, and for services that build pages by it. `make docs` needs no package.
if Context.environment["WFD_DOCS"] != nil {
    package.dependencies.append(.package(url: "https://github.com/swiftlang/swift-docc-plugin", from: "1.5.0"))
}

// What libFuzzer drives, as archives that `make fuzz` links with it: its own `main` is theirs.
if Context.environment["WFD_FUZZ"] != nil {
    for (name, dependencies) in [
        ("FuzzDefinition", ["Statechart"]), ("FuzzExpression", ["WorkflowCEL", "WorkflowJSON"]),
        ("FuzzStep", ["WorkflowJSON", "Statechart"]), ("FuzzRequest", ["Statechart"]),
        ("FuzzToken", ["WorkflowEngine", "WorkflowStore"]), ("FuzzPreferences", ["WorkflowAPI"]),
        ("FuzzRow", ["Statechart", "WorkflowEngine", "WorkflowJSON", "WorkflowStore"]),
        ("FuzzAccess", ["WorkflowAPI", "WorkflowAccess"]),
    ] as [(String, [Target.Dependency])] {
        package.targets.append(.target(name: name, dependencies: dependencies, path: "Tests/Fuzzing/\(name)"))
        package.products.append(.library(name: name, type: .static, targets: [name]))
    }
}

// Which trait asks for a package: what no enabled trait asks for is not even fetched. A condition names one trait.
let traits = [
    "GRDB.swift": "Durable", "swift-crypto": "Durable", "swift-collections": "Durable", "swift-log": "Durable",
    "swift-service-lifecycle": "Durable", "async-http-client": "Client", "swift-nio": "Client", "Yams": "YAML",
    "swift-argument-parser": "Daemon", "swift-nio-ssl": "Client", "swift-http-types": "Daemon",
    "swift-nio-extras": "Daemon", "hdrhistogram-swift": "Daemon", "hummingbird": "Daemon",
]
for target in package.targets {
    target.dependencies = target.dependencies.map { dependency in
        guard case .productItem(let name, let package?, let aliases, nil) = dependency else { return dependency }
        guard let trait = traits[package] else { fatalError("no trait asks for \(package)") }
        return .product(
            name: name, package: package, moduleAliases: aliases, condition: .when(traits: [trait]))
    }
}

// Every target of ours but those in C: the upcoming language modes we write for, and no warnings.
let foreign = [
    "CFileSystem", "CPQ", "CRE2", "CScheduling", "CSpawn", "ClockShift", "CSQLiteMemory", "LinuxEvents",
    "PostgresFloor", "SQLiteFloor", "SyncFaults", "Holds",
]
for target in package.targets where !foreign.contains(target.name) {
    target.swiftSettings = [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
        .treatAllWarnings(as: .error),
    ]
}
