package import WorkflowAPI

/// Why a verb did not do what it was asked, as a person reads it.
package struct CommandFailure: Error, Equatable {
    package let exitStatus: CommandExit
    /// What failed, on which thing, why and what to do; nil when all was said already.
    package let message: String?
    /// More lines, shown below the message and indented.
    package let notes: [String]

    package init(_ exitStatus: CommandExit, _ message: String?, notes: [String] = []) {
        self.exitStatus = exitStatus
        self.message = message
        self.notes = notes
    }
}
