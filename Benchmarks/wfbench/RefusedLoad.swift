/// Clients whose requests are refused because the budget of their step is used up.
///
/// `@unchecked Sendable`: it is used by one thread at a time.
final class RefusedLoad: @unchecked Sendable {
    private let load: ClosedLoad

    init(socket: String, clients: Int, book: RequestBook) throws {
        load = try ClosedLoad(socket: socket, clients: clients, book: book, status: 409)
    }

    /// Runs for a moment.
    func run() throws { _ = try run(seconds: 0.2) }

    func run(seconds: Double) throws -> ClosedLoad.Outcome { try load.run(seconds: seconds) }

    func close() { load.close() }
}
