import Dispatch
import Foundation
import Synchronization

/// The division of the cores: events have priority over background reading and computing.
///
/// The system alone does not ensure this priority. A thread that wakes gets an idle core, or waits on its last core.
/// There the thread may wait behind another event thread while a background thread has the other core. In measurements,
/// such waits were two thirds of all waiting. So while events come, one core is reserved for events, and a background
/// thread rests for as long as it has worked.
package final class SharedCores: Sendable {
    /// The shared cores of this process.
    package static let ofProcess = SharedCores(ProcessInfo.processInfo.activeProcessorCount)

    /// The time after a batch of events in which more are expected, in nanoseconds.
    private static let attention: UInt64 = 10_000_000
    /// The longest rest, in nanoseconds: a caller that waits for a read must not wait for long.
    private static let longestRest: UInt64 = 5_000_000

    private struct State {
        var working = 0
        /// One semaphore per waiting thread, in order of arrival.
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

    /// Reports that events are being carried out.
    package func eventsCame() {
        attentionEnd.store(now() + Self.attention, ordering: .relaxed)
    }

    /// True if events are coming; then background work should run in small parts.
    package var eventsCome: Bool { now() < attentionEnd.load(ordering: .relaxed) }

    /// Runs one part of background work when a core is free for it.
    func work(_ body: () -> Void) {
        begin()
        let begun = now()
        body()
        rest(since: begun)
        end()
    }

    /// Gives the core to others in the middle of a long part.
    ///
    /// - Parameter begun: The begin of the work on this part, in the time of `now`; set to the present on return.
    package func giveWay(since begun: inout UInt64) {
        rest(since: begun)
        end()
        begin()
        begun = now()
    }

    /// The number of threads that wait for a turn.
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
            // No signal reports the end of events, so the thread polls; unless it was handed the turn at this moment.
            let isHandedOver = state.withLock { state in
                guard let place = state.waiting.firstIndex(where: { $0 === turn }) else { return true }
                state.waiting.remove(at: place)
                return false
            }
            if isHandedOver { return }
        }
    }

    /// Hands the turn to the first waiting thread; otherwise the ending thread could begin again before the other has
    /// woken.
    private func end() {
        let next: DispatchSemaphore? = state.withLock { state in
            if state.working <= bound, !state.waiting.isEmpty { return state.waiting.removeFirst() }
            state.working -= 1
            return nil
        }
        next?.signal()
    }
}
