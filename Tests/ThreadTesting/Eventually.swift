/// Waits until something holds, and gives its thread away between two looks; a failure says what did not come.
///
/// - Parameter patience: Only ends a test that hangs: it is no bound on how long things take on a busy machine.
package func eventually(
    _ what: String, within patience: Duration = .seconds(240), _ condition: () async throws -> Bool
) async throws {
    let deadline = ContinuousClock.now + patience
    while try await !condition() {
        guard .now < deadline else { throw TestingError("waited in vain: \(what)") }
        try await Task.sleep(for: .milliseconds(5))
    }
}

/// Lets a time pass that was drawn, or in which something must not happen; nothing is expected to be done in it.
package func letPass(_ time: Duration) async throws {
    try await Task.sleep(for: time)
}

/// The reason why a test cannot go on: what was waited for, and what was there instead.
package struct TestingError: Error, CustomStringConvertible {
    package let description: String

    package init(_ description: String) {
        self.description = description
    }
}
