import Logging
import WorkflowServer
import WorkflowStore

/// The time that a start waits for another process that has the file or the address: one that was killed lets go of
/// them only when the system has taken it apart.
enum Patience {
    private static let longest = Duration.seconds(2)

    /// Does something again until nobody is in the way, or the patience is over.
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

    private static func isInUse(_ error: any Error) -> Bool {
        error is ListenAddressError || (error as? StoreError)?.code == .locked
    }
}
