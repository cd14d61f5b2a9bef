import ArgumentParser

/// A verb of `wfctl`: arguments as they were parsed, and what to do with them.
protocol Verb: ParsableCommand {
    var global: GlobalOptions { get }

    /// Does it. What it throws becomes a message and an exit code.
    func run(in session: Session) async throws
}
