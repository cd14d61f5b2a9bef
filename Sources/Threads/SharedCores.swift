import Dispatch
import Foundation
import Synchronization

/// Lets events have the cores before what reads and computes in the background.
///
/// The system alone does not see to it. A thread that wakes gets a core without work, or else waits on the one where it
/// was, perhaps behind another that carries events out, while the other core has one that reads: two thirds of all
/// waiting, where it was measured. So while events come, one core is left to them, and who works on another in the
/// background rests as long as it worked.
package final class SharedCores: Sendable {
    /// Those of this process.
    package static let ofProcess = SharedCores(ProcessInfo.processInfo.activeProcessorCount)

    /// For how long after a batch of events more are expected.
    private static let attention: UInt64 = 10_000_000
    /// The longest rest, in nanoseconds: whoever waits for reading must not wait for long.
    private static let longestRest: UInt64 = 5_000_000

    private struct State {
        var working = 0
        var waiting = 0
    }

    private let bound: Int
    /// The time in nanoseconds, from any beginning.
    package let now: @Sendable () -> UInt64
    private let state = Mutex(State())
    private let freed = DispatchSemaphore(value: 0)
    /// The end of the present attention to events, in nanoseconds.
    private let attentionEnd = Atomic<UInt64>(0)

    package init(
        _ cores: Int, now: @escaping @Sendable () -> UInt64 = { DispatchTime.now().uptimeNanoseconds }
    ) {
        bound = max(1, cores - 1)
        self.now = now
    }

    /// To be called when events are carried out.
    package func eventsCame() {
        attentionEnd.store(now() + Self.attention, ordering: .relaxed)
    }

    /// Whether events come now, and the background should work in small parts.
    package var eventsCome: Bool { now() < attentionEnd.load(ordering: .relaxed) }

    /// Does one part of what is done in the background, when there is a core for it.
    func work(_ body: () -> Void) {
        begin()
        let begun = now()
        body()
        rest(since: begun)
        end()
    }

    /// In the midst of a part that takes long: lets others have the core.
    ///
    /// - Parameter begun: Since when this part was worked on, in the time of `now`; it begins anew.
    package func giveWay(since begun: inout UInt64) {
        rest(since: begun)
        end()
        begin()
        begun = now()
    }

    private func rest(since begun: UInt64) {
        guard eventsCome else { return }
        let rest = min(now() - begun, Self.longestRest)
        Thread.sleep(forTimeInterval: Double(rest) / 1e9)
    }

    private func begin() {
        while true {
            let mayBegin = state.withLock { state in
                if state.working < bound || !eventsCome {
                    state.working += 1
                    return true
                }
                state.waiting += 1
                return false
            }
            if mayBegin { return }
            // Nobody tells that events have ceased to come.
            if freed.wait(timeout: .now() + .nanoseconds(Int(Self.attention))) == .timedOut {
                state.withLock { $0.waiting = max(0, $0.waiting - 1) }
            }
        }
    }

    private func end() {
        let mayOthers = state.withLock { state in
            state.working -= 1
            defer { state.waiting = max(0, state.waiting - 1) }
            return state.waiting > 0
        }
        if mayOthers { freed.signal() }
    }
}
