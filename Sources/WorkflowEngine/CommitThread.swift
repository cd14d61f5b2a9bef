import CScheduling
import Foundation

/// Does one piece of work after the other on a thread of its own, while the thread that handed it over goes on.
///
/// One thread uses it: `begin`, then `end`, in turn.
///
/// `@unchecked Sendable`: every stored property is read and written under `condition` only.
final class CommitThread<Outcome>: @unchecked Sendable {
    private let condition = NSCondition()
    private var work: (() -> Outcome)?
    private var outcome: Outcome?
    private var isClosed = false

    init(name: String) {
        // Ends with `close`.
        let thread = Thread {
            // As the writer's own thread does.
            _ = scheduling_shorten_turns()
            self.run()
        }
        thread.name = name
        thread.stackSize = 8 << 20
        thread.start()
    }

    /// Hands work over. What it uses belongs to it until `end` has returned.
    func begin(_ work: @escaping () -> Outcome) {
        condition.lock()
        defer { condition.unlock() }
        precondition(self.work == nil && outcome == nil, "the work before has not ended")
        self.work = work
        condition.broadcast()
    }

    /// Waits for what was handed over.
    func end() -> Outcome {
        condition.lock()
        defer { condition.unlock() }
        while true {
            if let outcome {
                self.outcome = nil
                return outcome
            }
            precondition(work != nil, "there is no work to wait for")
            condition.wait()
        }
    }

    /// Lets the thread go. Nothing may be under way.
    func close() {
        condition.lock()
        defer { condition.unlock() }
        isClosed = true
        condition.broadcast()
    }

    private func run() {
        while let work = next() {
            let outcome = work()
            condition.lock()
            self.work = nil
            self.outcome = outcome
            condition.broadcast()
            condition.unlock()
        }
    }

    private func next() -> (() -> Outcome)? {
        condition.lock()
        defer { condition.unlock() }
        while work == nil, !isClosed { condition.wait() }
        return work
    }
}
