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
        /// One for each thread that waits, the first come first.
        var waiting: [DispatchSemaphore] = []
    }

    private let bound: Int
    /// The time in nanoseconds, from any beginning.
    package let now: @Sendable () -> UInt64
    private let state = Mutex(State())
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

    /// How many wait for a turn.
    var waiters: Int { state.withLock(\.waiting.count) }

    private func rest(since begun: UInt64) {
        guard eventsCome else { return }
        let rest = min(now() - begun, Self.longestRest)
        Thread.sleep(forTimeInterval: Double(rest) / 1e9)
    }

    private func begin() {
        while true {
            let turn: DispatchSemaphore? = state.withLock { state in
                if state.working < bound || !eventsCome {
                    state.working += 1
                    return nil
                }
                let turn = DispatchSemaphore(value: 0)
                state.waiting.append(turn)
                return turn
            }
            guard let turn, turn.wait(timeout: .now() + .nanoseconds(Int(Self.attention))) == .timedOut else { return }
            // Nobody tells that events have ceased to come, so look; unless the turn was handed over in this moment.
            let isHandedOver = state.withLock { state in
                guard let place = state.waiting.firstIndex(where: { $0 === turn }) else { return true }
                state.waiting.remove(at: place)
                return false
            }
            if isHandedOver { return }
        }
    }

    /// Hands the turn over to the first who waits: whoever ends could begin again before the other has woken.
    private func end() {
        let next: DispatchSemaphore? = state.withLock { state in
            if state.working <= bound, !state.waiting.isEmpty { return state.waiting.removeFirst() }
            state.working -= 1
            return nil
        }
        next?.signal()
    }
}
