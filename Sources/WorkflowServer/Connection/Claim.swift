import Synchronization
import WorkflowAPI
import WorkflowStore

/// A caller's claim to a place that callers share. It is lost when another caller gets the place.
final class Claim: Sendable {
    let caller: Actor?
    /// The order of claims.
    let number: UInt64
    private let loss = Mutex<(isLost: Bool, tell: (@Sendable () -> Void)?)>((false, nil))

    init(of caller: Actor?, number: UInt64) {
        self.caller = caller
        self.number = number
    }

    var isLost: Bool { loss.withLock { $0.isLost } }

    /// Throws `overloaded` if the claim is lost.
    func requireHeld() throws(Problem) {
        if isLost { throw Self.lost }
    }

    /// The problem of a request that has lost its place.
    static let lost = Problem(
        .overloaded, detail: "wfd is full, and gave the place of this request to a caller with fewer open requests")

    /// Calls a function when the claim is lost, or at once if it is. A claim has one such function.
    func whenLost(_ tell: @escaping @Sendable () -> Void) {
        let isLost = loss.withLock { loss in
            loss.tell = tell
            return loss.isLost
        }
        if isLost { tell() }
    }

    /// Returns when the claim is lost, or when the task is cancelled.
    func untilLost() async {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
        whenLost { continuation.finish() }
        for await _ in stream {}
    }

    /// Must not be called under a lock.
    func lose() {
        let tell = loss.withLock { loss in
            defer { loss = (true, nil) }
            return loss.tell
        }
        tell?()
    }
}
