import EngineFloor

/// Clients that do not wait for each other: requests are due at fixed times, whatever comes back, and the latency of
/// each counts from its due time.
///
/// So a slow answer also lengthens the latencies of the requests that wait for it
/// (https://github.com/HdrHistogram/HdrHistogram, "coordinated omission").
final class OpenLoad {
    private let connections: [LoadConnection]
    private let poller: Poller
    private let timer: EventTimer
    private var book: RequestBook

    /// Connects. A request that is due while all connections are in use waits, and its time runs.
    init(socket: String, connections count: Int, book: RequestBook) throws {
        connections = try (0..<count).map { _ in try LoadConnection(socket: socket) }
        timer = try EventTimer()
        poller = try Poller(connections.map(\.descriptor) + [timer.descriptor])
        self.book = book
    }

    /// Sends requests at a fixed rate for a time, and waits for their answers. Returns the latencies.
    func run(perSecond rate: Double, seconds: Double) throws -> Latencies {
        var latencies = Latencies()
        try run(perSecond: rate, seconds: seconds, into: &latencies)
        return latencies
    }

    /// Sends requests as above, and adds to latencies.
    func run(perSecond rate: Double, seconds: Double, into latencies: inout Latencies) throws {
        let count = Int(rate * seconds)
        let begin = nanoseconds() + 1_000_000
        func due(_ number: Int) -> UInt64 { begin + UInt64(Double(number) * 1e9 / rate) }
        var free = connections
        var sent = 0
        var answered = 0
        try timer.wake(at: due(0))
        while answered < count {
            let ready = try poller.wait(seconds: 10)
            guard ready > 0 else { throw BenchmarkError("the server did not answer for 10 seconds") }
            for place in 0..<ready where poller[place] < connections.count {
                let connection = connections[poller[place]]
                guard try connection.receive() else { continue }
                latencies.record(nanoseconds() - connection.since)
                answered += 1
                free.append(connection)
            }
            while sent < count, due(sent) <= nanoseconds(), let connection = free.popLast() {
                connection.since = due(sent)
                try book.next { try connection.send($0) }
                sent += 1
            }
            // Without a free connection the next answer wakes; setting the timer also takes back that it has fired.
            try timer.wake(at: sent < count && !free.isEmpty ? due(sent) : .max >> 2)
        }
    }

    /// Closes the connections.
    func close() {
        for connection in connections { connection.close() }
        poller.close()
        timer.close()
    }
}
