import Foundation

/// Rules for imports: the dependencies between the targets, and the modules that must stay out of some of them.
///
/// The build refuses imports that the manifest does not declare. This table also covers modules that need no
/// declaration, such as Foundation and the C library. It shows every new dependency in a second place, where a reader
/// notices it.
enum ImportRules {
    /// The modules that the files of a folder may import.
    static let allowed: [String: Set<String>] = [
        "Sources/WorkflowJSON": [],
        "Sources/WorkflowDates": [],
        "Sources/WorkflowSpelling": [],
        "Sources/WorkflowTerminal": [],
        "Sources/WorkflowCEL": [
            "CRE2", "WorkflowDates", "WorkflowJSON", "WorkflowSpelling", "Synchronization", "Glibc", "Musl",
            "Darwin",
        ],
        "Sources/Statechart": ["WorkflowCEL", "WorkflowJSON", "WorkflowSpelling", "Yams"],
        "Sources/StateMachines": ["WorkflowRules", "WorkflowJSON", "Statechart", "Synchronization"],
        "Sources/Drawing": ["Statechart", "WorkflowTerminal"],
        "Sources/WorkflowInterchange": [
            "Drawing", "WorkflowJSON", "WorkflowSpelling", "Statechart", "Foundation", "FoundationXML",
        ],
        "migrations": [],
        "Sources/WorkflowThreads": ["CScheduling", "Dispatch", "Foundation", "Synchronization"],
        "Sources/WorkflowStore": ["WorkflowJSON", "Statechart", "Crypto"],
        "Sources/SQLiteStore": [
            "CFileSystem", "CSQLiteMemory", "WorkflowJSON", "WorkflowMigrations", "Statechart", "WorkflowStore",
            "WorkflowThreads", "HeapModule", "GRDB", "GRDBSQLite", "Dispatch", "Synchronization", "Glibc", "Musl",
            "Darwin",
        ],
        "Sources/PostgresStore": [
            "CPQ", "PostgresMigrations", "Statechart", "WorkflowJSON", "WorkflowStore", "WorkflowThreads",
            "Synchronization", "Glibc", "Musl", "Darwin",
        ],
        "Sources/WorkflowEngine": [
            "WorkflowJSON", "Statechart", "WorkflowThreads", "WorkflowStore", "DequeModule", "HeapModule", "Logging",
            "ServiceLifecycle", "Foundation", "Synchronization",
        ],
        "Sources/DurableMachines": [
            "SQLiteStore", "Statechart", "StateMachines", "WorkflowEngine", "WorkflowStore", "Logging",
            "ServiceLifecycle",
        ],
        "Sources/WorkflowRules": [],
        "Sources/WorkflowAccess": [
            "WorkflowAPI", "WorkflowJSON", "WorkflowStore", "Synchronization", "Glibc", "Musl", "Darwin",
        ],
        "Sources/WorkflowAPI": ["WorkflowDates", "WorkflowJSON", "WorkflowRules", "WorkflowSpelling"],
        "Sources/WorkflowServer": [
            "CAllocation", "COpenAPI", "WorkflowAccess", "WorkflowJSON", "WorkflowSpelling", "Statechart",
            "WorkflowThreads",
            "WorkflowAPI", "WorkflowCalls", "WorkflowConsole", "WorkflowEngine", "WorkflowStore", "AsyncHTTPClient",
            "HTTPTypes", "Hummingbird", "HummingbirdCore", "Logging",
            "NIOCore", "NIOHTTP1", "NIOHTTPTypes", "NIOHTTPTypesHTTP1", "NIOPosix", "NIOSSL", "NIOTLS",
            "ServiceLifecycle", "CDispatch", "Foundation", "Synchronization",
        ],
        "Sources/WorkflowCalls": [
            "Statechart", "WorkflowJSON", "WorkflowAPI", "AsyncHTTPClient", "NIOCore", "NIOHTTP1", "NIOPosix", "NIOSSL",
            "Glibc", "Musl", "Darwin",
        ],
        "Sources/WorkflowClient": ["Statechart", "StateMachines", "WorkflowAPI", "WorkflowCalls", "WorkflowJSON"],
        "Sources/WorkflowConsole": [
            "Drawing", "Statechart", "WorkflowAPI", "WorkflowCEL", "WorkflowCalls", "WorkflowJSON", "WorkflowTerminal",
            "Synchronization",
        ],
        "Sources/WorkflowCommand": [
            "Drawing", "WorkflowCEL", "WorkflowInterchange", "WorkflowJSON", "WorkflowSpelling", "Statechart",
            "WorkflowTerminal",
            "WorkflowAPI", "WorkflowClient", "WorkflowPrograms",
            "ArgumentParser", "Crypto", "Yams", "Dispatch", "Synchronization", "Glibc", "Musl", "Darwin",
        ],
        "Sources/WorkflowPrograms": [
            "CSpawn", "WorkflowJSON", "Dispatch", "Synchronization", "Glibc", "Musl", "Darwin",
        ],
        "Sources/WorkflowEffects": [
            "Statechart", "WorkflowEngine", "WorkflowJSON", "WorkflowPrograms", "WorkflowStore", "WorkflowThreads",
            "AsyncHTTPClient",
            "Crypto",
            "Dispatch", "Foundation", "NIOCore", "NIOHTTP1", "NIOPosix", "NIOSSL", "Synchronization", "Glibc", "Musl",
            "Darwin",
        ],
        "Sources/WorkflowSettings": [
            "Statechart", "WorkflowAccess", "WorkflowAPI", "WorkflowEffects", "WorkflowEngine", "WorkflowJSON",
            "WorkflowServer", "WorkflowSpelling",
            "WorkflowStore", "ArgumentParser", "Logging", "Foundation", "Synchronization",
        ],
        "Sources/wfd": [
            "CRelease", "PostgresStore", "SQLiteStore", "Statechart", "WorkflowEffects", "WorkflowSpelling",
            "WorkflowTerminal", "WorkflowEngine",
            "WorkflowAPI", "WorkflowServer", "WorkflowSettings", "WorkflowPrograms", "WorkflowThreads",
            "WorkflowAccess", "WorkflowStore", "ArgumentParser", "Logging",
            "ServiceLifecycle", "UnixSignals", "Foundation", "Synchronization",
        ],
        "Sources/wfctl": ["CRelease", "WorkflowAPI", "WorkflowCommand", "Foundation"],
    ]

    /// Finds imports that the table does not allow for the file's folder. A folder of `Sources` that is not in the
    /// table may import nothing.
    static func imports(_ file: SourceFile) -> [Finding] {
        guard let folder = folder(of: file) else { return [] }
        let allowed = allowed[folder] ?? []
        return importedModules(file).compactMap { line, module in
            guard !allowed.contains(module) else { return nil }
            return Finding(file.path, line: line, "\(folder) must not import \(module)")
        }
    }

    /// Finds readings of the wall clock. Only one file of the daemon and one of the command line may read it; elsewhere
    /// the time is a parameter.
    static func wallClock(_ file: SourceFile) -> [Finding] {
        let readers = [
            "Sources/WorkflowEngine/Ground/WallClock.swift",
            "Sources/WorkflowCommand/Environment/ProcessEnvironment.swift",
            // It measures how long the end of the process waits for the log, and reports no time.
            "Sources/WorkflowThreads/LogOutput.swift",
        ]
        guard file.isIn("Sources"), !readers.contains(file.path) else { return [] }
        let readings = ["Date()", "Date.now", "Date(timeIntervalSinceNow", "gettimeofday", "clock_gettime"]
        return findings(of: readings, in: file) {
            "'\($0)' reads the wall clock; only Sources/WorkflowEngine/Ground/WallClock.swift may"
        }
    }

    /// Finds waits, clocks and random numbers in the targets of the step, which is a pure function.
    static func purity(_ file: SourceFile) -> [Finding] {
        let pure = [
            "WorkflowDates", "WorkflowJSON", "WorkflowSpelling", "WorkflowTerminal", "WorkflowCEL", "Statechart",
            "Drawing",
        ]
        guard pure.contains(where: { file.isIn("Sources/" + $0) }) else { return [] }
        let impure = [
            "async ", "await ", "Task {", "Task(", "ContinuousClock", "SuspendingClock", ".random(", ".shuffled(",
            ".randomElement(", "RandomNumberGenerator", "UUID(", "FileManager", "print(",
        ]
        return findings(of: impure, in: file) { "'\($0)' has no place in a pure target" }
    }

    private static func folder(of file: SourceFile) -> String? {
        let parts = file.path.split(separator: "/")
        switch parts.first {
        case "Sources" where parts.count > 2: return "Sources/" + parts[1]
        case "migrations": return "migrations"
        default: return nil
        }
    }

    private static func importedModules(_ file: SourceFile) -> [(line: Int, module: String)] {
        zip(1..., file.maskedLines).filter { strstr($1, "import ") != nil }.compactMap { number, line in
            guard let declaration = Declaration(line: line), declaration.keyword == "import" else { return nil }
            // `import struct Foundation.Date` imports Foundation.
            let words = line.split(separator: " ")
            let module = words.last.map { $0.split(separator: ".")[0] }
            return module.map { (number, String($0)) }
        }
    }

    private static func findings(
        of texts: [String], in file: SourceFile, message: (String) -> String
    ) -> [Finding] {
        let texts = file.mentioned(texts)
        return texts.isEmpty
            ? []
            : zip(1..., file.maskedLines).flatMap { number, line in
                texts.filter { line.contains($0) }.map { Finding(file.path, line: number, message($0)) }
            }
    }
}
