/// Every bound of the engine, with its unit and its reason.
package struct EngineLimits: Sendable {
    /// Commands that wait for the writer; past it callers are told to come back, so that waiting stays short.
    package var queuedCommands = 10_000
    /// Bytes of event data and definitions that wait for the writer.
    package var queuedBytes = 64 << 20
    /// Rows of one batch: what one fsync pays for, and how long the first caller waits for the last.
    package var batchRows = 512
    /// Bytes of one batch.
    package var batchBytes = 4 << 20
    /// Time spent applying one batch before it is committed.
    package var batchApplying: Duration = .milliseconds(5)
    /// Bytes of recent instances that the writer keeps decoded.
    package var cachedInstanceBytes = 64 << 20
    /// Bytes of definitions, as text, that are kept compiled.
    package var cachedMachineBytes = 32 << 20
    /// Callers that wait for new history at once.
    package var historyWaiters = 1_000
    /// Instances that are read at once after a start, to find those that had more to do.
    package var resumedInstances = 500
    /// Rows of history that are read at once to be folded.
    package var foldedRows: Int64 = 256

    package init() {}
}
