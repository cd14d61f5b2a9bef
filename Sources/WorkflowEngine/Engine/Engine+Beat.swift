extension Engine {
    /// Returns when every lane has carried out a command that changes nothing, or when the task is cancelled. Writes no
    /// row. A writer whose disk refuses writes, or that has ended, answers too. While another daemon owns the store,
    /// there is no lane, and nothing is waited for.
    package func beat() async {
        guard hasBegun || currentHealth != .standby else { return }
        let (answers, answered) = AsyncStream.makeStream(of: Void.self)
        queue.spread(BeatCommand()) { _ in answered.finish() }
        for await _ in answers {}
    }
}
