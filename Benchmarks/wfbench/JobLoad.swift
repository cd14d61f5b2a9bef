import EngineFloor
import Foundation

/// Clients that take jobs of two tasks from begin to end, one after another. Each starts an instance, leases and
/// completes a task of the first kind, then one of the second. All of them are in one thread.
final class JobLoad {
    /// The next step of a client.
    private enum Turn {
        case start, leasePacking, completePacking, leaseShipping, completeShipping
    }

    private final class Client {
        let connection: LoadConnection
        var turn = Turn.start

        init(_ connection: LoadConnection) {
            self.connection = connection
        }
    }

    private static let definition = """
        {"id": "order", "initial": "packing", "states": {
        "packing": {"invoke": {"task": "pack", "input": {"order": "instance.name"}, "onDone": "shipping"}},
        "shipping": {"invoke": {"task": "ship", "input": {"order": "instance.name"}, "onDone": "shipped"}},
        "shipped": {"type": "final"}}}
        """

    private let clients: [Client]
    private let poller: Poller
    private var started = 0

    init(_ daemon: ServerProcess, clients count: Int) throws {
        try daemon.apply(Self.definition)
        clients = try (0..<count).map { _ in Client(try LoadConnection(socket: daemon.socket)) }
        poller = try Poller(clients.map(\.connection.descriptor))
    }

    /// Runs for a time. Returns the number of completed jobs a second.
    func run(seconds: Double) throws -> Double {
        let begin = nanoseconds()
        let end = begin + UInt64(seconds * 1e9)
        for client in clients { try send(by: client, task: nil) }
        var underWay = clients.count
        var done = 0
        while underWay > 0 {
            let ready = try poller.wait(seconds: 10)
            guard ready > 0 else { throw BenchmarkError("the server did not answer for 10 seconds") }
            for place in 0..<ready {
                let client = clients[poller[place]]
                guard try client.connection.receive(status: Self.status(client.turn)) else { continue }
                let task = try task(for: client)
                client.turn = Self.turn(after: client.turn)
                if client.turn == .start {
                    done += 1
                    if nanoseconds() >= end {
                        underWay -= 1
                        continue
                    }
                }
                try send(by: client, task: task)
            }
        }
        return Double(done) / (Double(nanoseconds() - begin) / 1e9)
    }

    private static func turn(after turn: Turn) -> Turn {
        switch turn {
        case .start: .leasePacking
        case .leasePacking: .completePacking
        case .completePacking: .leaseShipping
        case .leaseShipping: .completeShipping
        case .completeShipping: .start
        }
    }

    private static func status(_ turn: Turn) -> Int {
        switch turn {
        case .start: 201
        case .leasePacking, .leaseShipping: 200
        case .completePacking, .completeShipping: 204
        }
    }

    /// Returns the task that a client got; `nil` if it asked for none.
    private func task(for client: Client) throws -> String? {
        guard client.turn == .leasePacking || client.turn == .leaseShipping else { return nil }
        let tasks = client.connection.withAnswer { LeaseAnswer.tasks(in: $0) }
        // Whoever takes a task of a kind has put one there before.
        guard let task = tasks.first else { throw BenchmarkError("there was no task") }
        return task
    }

    private func send(by client: Client, task: String?) throws {
        let request: [UInt8]
        switch client.turn {
        case .start:
            request = HTTPRequestText.post("/v1/instances", #"{"machine":"order","instance":"o-\#(started)"}"#)
            started += 1
        case .leasePacking: request = HTTPRequestText.post("/v1/tasks/pack/lease", "{}")
        case .leaseShipping: request = HTTPRequestText.post("/v1/tasks/ship/lease", "{}")
        case .completePacking, .completeShipping:
            request = HTTPRequestText.post("/v1/tasks/\(task ?? "")/complete", TaskPlanner.result)
        }
        try request.withUnsafeBytes { try client.connection.send($0) }
    }

    /// Closes the connections.
    func close() {
        for client in clients { client.connection.close() }
        poller.close()
    }
}
