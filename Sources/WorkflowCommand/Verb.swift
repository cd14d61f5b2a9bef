import ArgumentParser

/// A verb of `wfctl`: arguments as they were parsed, and what to do with them.
protocol Verb: ParsableCommand {
    var global: GlobalOptions { get }

    /// Whether it still has something to do, or a verdict to give, when it has begun to print: then it fails when
    /// nobody reads its output any more. Other verbs have done what was asked for.
    var needsItsOutputRead: Bool { get }

    /// Does it. What it throws becomes a message and an exit code.
    func run(in session: Session) async throws
}

extension Verb {
    var needsItsOutputRead: Bool { false }
}
