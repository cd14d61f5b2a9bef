import EngineFloor
import Foundation

/// Clients that send one request after another, each over its own connection; all of them in one thread.
final class ClosedLoad {
    /// The result of a load.
    struct Outcome {
        let perSecond: Double
        /// The latencies from sending to the end of the answer.
        let latencies: Latencies

        var sample: Sample { Sample(value: perSecond, note: latencies.percentilesText) }
    }

    private let connections: [LoadConnection]
    private let poller: Poller
    private var book: RequestBook
    private let status: Int

    /// Connects all clients.
    ///
    /// - Parameter status: The expected status of every answer; another one is an error.
    init(socket: String, clients: Int, book: RequestBook, status: Int = 200) throws {
        self.status = status
        connections = try (0..<clients).map { _ in try LoadConnection(socket: socket) }
        poller = try Poller(connections.map(\.descriptor))
        self.book = book
    }

    /// Runs for a time.
    func run(seconds: Double) throws -> Outcome {
        var latencies = Latencies()
        let begin = nanoseconds()
        let end = begin + UInt64(seconds * 1e9)
        for connection in connections { try start(connection) }
        var underWay = connections.count
        var last = begin
        while underWay > 0 {
            let ready = try poller.wait(seconds: 10)
            guard ready > 0 else { throw BenchmarkError("the server did not answer for 10 seconds") }
            for place in 0..<ready {
                let connection = connections[poller[place]]
                guard try connection.receive(status: status) else { continue }
                let now = nanoseconds()
                if now < end {
                    latencies.record(now - connection.since)
                    last = now
                    try start(connection)
                } else {
                    underWay -= 1
                }
            }
        }
        return Outcome(perSecond: Double(latencies.count) / (Double(max(last - begin, 1)) / 1e9), latencies: latencies)
    }

    private func start(_ connection: LoadConnection) throws {
        connection.since = nanoseconds()
        try book.next { try connection.send($0) }
    }

    /// Closes the connections.
    func close() {
        for connection in connections { connection.close() }
        poller.close()
    }
}
