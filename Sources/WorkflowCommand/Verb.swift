import ArgumentParser

/// A verb of `wfctl`: its parsed arguments and its action.
protocol Verb: ParsableCommand {
    var global: GlobalOptions { get }

    /// True if the verb still has work to do or a verdict to give after it begins to print. Such a verb fails if the
    /// reader of its output has gone. Other verbs have finished their work by then.
    var needsItsOutputRead: Bool { get }

    /// Runs the verb. A thrown error becomes a message and an exit code.
    func run(in session: Session) async throws
}

extension Verb {
    var needsItsOutputRead: Bool { false }
}
