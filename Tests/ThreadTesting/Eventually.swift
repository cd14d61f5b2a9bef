/// Waits until a condition holds, and yields the thread between two checks. A failure names the missing event.
///
/// - Parameter patience: The end of a test that hangs; no limit on how long things take on a busy machine.
package func eventually(
    _ what: String, within patience: Duration = .seconds(240), _ condition: () async throws -> Bool
) async throws {
    let deadline = ContinuousClock.now + patience
    while try await !condition() {
        guard .now < deadline else { throw TestingError("waited in vain: \(what)") }
        try await Task.sleep(for: .milliseconds(5))
    }
}

/// Waits for a time that was drawn, or in which something must not happen. No progress is expected in it.
package func letPass(_ time: Duration) async throws {
    try await Task.sleep(for: time)
}

/// The reason why a test cannot continue: the expected event, and the facts instead.
package struct TestingError: Error, CustomStringConvertible {
    package let description: String

    package init(_ description: String) {
        self.description = description
    }
}
