import Logging
import WorkflowServer
import WorkflowStore

/// Waits at start for another process that holds the file or the address. The system releases those of a killed process
/// only after it has removed the process.
enum Patience {
    private static let longest = Duration.seconds(2)

    /// Repeats a function until no other process is in the way, or the time is over.
    static func wait<Value>(_ logger: Logger, _ body: () async throws -> Value) async throws -> Value {
        let end = ContinuousClock.now + longest
        var isTold = false
        while true {
            do {
                return try await body()
            } catch {
                guard ContinuousClock.now < end, isInUse(error) else { throw error }
                if !isTold { logger.info("waiting for the end of another process", metadata: ["reason": "\(error)"]) }
                isTold = true
                try await Task.sleep(for: .milliseconds(50))
            }
        }
    }

    /// Repeats a function while the server of a database is out of reach.
    static func waitForServer<Value>(
        _ logger: Logger, _ manager: ServiceManager, _ body: () async throws -> Value
    ) async throws -> Value {
        var told: ContinuousClock.Instant?
        while true {
            do {
                return try await body()
            } catch let error as StoreError where error.code == .unavailable {
                if told.map({ ContinuousClock.now - $0 > .seconds(60) }) ?? true {
                    logger.warning("waiting for the server of the database", metadata: ["error": "\(error)"])
                    manager.show("waiting for the server of the database")
                    told = .now
                }
                try await Task.sleep(for: .milliseconds(100))
            }
        }
    }

    private static func isInUse(_ error: any Error) -> Bool {
        error is ListenAddressError || (error as? StoreError)?.code == .locked
    }
}
