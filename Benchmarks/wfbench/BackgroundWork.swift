import EngineFloor
import Foundation
import Synchronization
import WorkflowThreads

/// Work that is repeated beside a measurement, with a thread for each piece.
///
/// The threads let all others go first: they stand for clients elsewhere, which take no core from the measured ones.
final class BackgroundWork: Sendable {
    private struct State {
        var isOver = false
        var turns = 0
        var running = 0
        var failure: (any Error)?
    }

    private let state = Mutex(State())

    /// Starts the work; each closure is one turn of it.
    init(_ works: [@Sendable () throws -> Void]) {
        for work in works {
            state.withLock { $0.running += 1 }
            startThread("beside", turns: .later) { [self] in run(work) }
        }
    }

    private func run(_ work: () throws -> Void) {
        do {
            while state.withLock({ !$0.isOver }) {
                try work()
                state.withLock { $0.turns += 1 }
            }
        } catch {
            state.withLock { $0.failure = error }
        }
        state.withLock { $0.running -= 1 }
    }

    /// Lets each piece of work end its turn. Returns the number of turns.
    func stop() throws -> Int {
        state.withLock { $0.isOver = true }
        while state.withLock({ $0.running > 0 }) { usleep(1_000) }
        return try state.withLock { state in
            if let failure = state.failure { throw failure }
            return state.turns
        }
    }
}

/// The clients that read while others send. Each call of a closure is one request.
enum Readers {
    /// Returns a reader of the list of instances, a hundred at a time.
    static func list(_ socket: String, rest: useconds_t) throws -> @Sendable () throws -> Void {
        let reader = try Reader(socket: socket)
        return {
            let answer = try reader.get("/v1/instances?limit=100" + (reader.place.map { "&page=\($0)" } ?? ""))
            reader.place = field(#""nextPage":""#, in: answer) { $0 != "\"" }
            usleep(rest)
        }
    }

    /// Returns a reader that waits for the events of an instance.
    static func tail(_ socket: String, instance: String, rest: useconds_t) throws -> @Sendable () throws -> Void {
        let reader = try Reader(socket: socket)
        return {
            let path = "/v1/instances/\(instance)/history"
            let query = reader.place.map { "?after=\($0)&limit=100&wait=1" } ?? "?limit=1&reverse=true"
            let answer = try reader.get(path + query)
            // The last row of a page is the newest.
            let rows = answer.split(separator: #"{"seq":"#)
            if rows.count > 1, let row = rows.last { reader.place = String(row.prefix { $0.isNumber }) }
            usleep(rest)
        }
    }

    /// Returns a reader that verifies everything.
    static func verify(_ socket: String) throws -> @Sendable () throws -> Void {
        let reader = try LineReader(socket: socket)
        return {
            _ = try reader.lastLine(of: LineReader.post("/v1/verify"))
        }
    }

    /// Returns a reader that makes and fetches a backup.
    static func backup(_ socket: String) throws -> @Sendable () throws -> Void {
        let reader = try LineReader(socket: socket)
        return {
            let line = try reader.lastLine(of: LineReader.post("/v1/backups"))
            guard let name = field(#""backup":""#, in: line, while: { $0 != "\"" }) else {
                throw BenchmarkError("the backup was not made: \(line)")
            }
            try reader.readOver(HTTPRequestText.get("/v1/backups/\(name)"))
        }
    }

    private static func field(_ name: String, in text: String, while belongs: (Character) -> Bool) -> String? {
        text.firstRange(of: name).map { String(text[$0.upperBound...].prefix(while: belongs)) }
    }
}

/// A connection for answers in lines; used by one thread.
private final class LineReader: @unchecked Sendable {
    private let connection: LineConnection

    init(socket: String) throws {
        connection = try LineConnection(socket: socket)
    }

    deinit {
        connection.close()
    }

    func lastLine(of request: String) throws -> String { try connection.lastLine(of: request) }

    func readOver(_ request: [UInt8]) throws {
        try request.withUnsafeBytes { try connection.exchange($0) { _ in } }
    }

    static func post(_ path: String) -> String {
        "POST \(path) HTTP/1.1\r\nHost: wfd\r\nContent-Length: 0\r\n\r\n"
    }
}

/// A connection with its place in a list; used by one thread.
private final class Reader: @unchecked Sendable {
    private let connection: LoadConnection
    var place: String?

    init(socket: String) throws {
        connection = try LoadConnection(socket: socket)
    }

    deinit {
        connection.close()
    }

    func get(_ path: String) throws -> String {
        try connection.exchange(HTTPRequestText.get(path))
        return connection.body
    }
}
