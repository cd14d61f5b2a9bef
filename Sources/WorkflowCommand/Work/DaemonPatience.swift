import Synchronization
import WorkflowClient

/// Asks a daemon that may be away or restarting, again and again, with growing pauses.
struct DaemonPatience: Sendable {
    private static let firstPause = Duration.milliseconds(100)
    private static let longestPause = Duration.seconds(10)

    private let say: @Sendable (String) -> Void
    private let stops: StopCount
    private let isAway = Shared()

    private final class Shared: Sendable {
        let isAway = Atomic(false)
    }

    /// - Parameter say: Tells whoever looks that the daemon is away; once, until it has answered.
    init(_ stops: StopCount, say: @escaping @Sendable (String) -> Void) {
        self.stops = stops
        self.say = say
    }

    /// Asks until there is an answer that is not about now; throws the last error when it was told so often to stop, or
    /// the task is cancelled.
    func ask<Answer>(
        untilStops count: Int, _ request: () async throws(ClientError) -> Answer
    ) async throws(ClientError) -> Answer {
        var pause = Self.firstPause
        while true {
            do throws(ClientError) {
                let answer = try await request()
                isAway.isAway.store(false, ordering: .relaxed)
                return answer
            } catch {
                guard error.isTransient, stops.count < count, !Task.isCancelled else { throw error }
                if !isAway.isAway.exchange(true, ordering: .relaxed) {
                    say("\(error.description); trying again")
                }
            }
            await stops.pause(pause, orReached: count)
            pause = min(pause * 2, Self.longestPause)
        }
    }
}
