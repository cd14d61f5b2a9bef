import Synchronization
import WorkflowClient

/// Repeats requests to a daemon that may be away or restarting, with growing pauses.
struct DaemonPatience: Sendable {
    private static let firstPause = Duration.milliseconds(100)
    private static let longestPause = Duration.seconds(10)

    private let say: @Sendable (String) -> Void
    private let stops: StopCount
    private let isAway = Shared()

    private final class Shared: Sendable {
        let isAway = Atomic(false)
    }

    /// - Parameter say: Reports that the daemon is away; called once until the daemon has answered.
    init(_ stops: StopCount, say: @escaping @Sendable (String) -> Void) {
        self.stops = stops
        self.say = say
    }

    /// Repeats a request until it succeeds or fails with a lasting error. Throws the last error after `count` stop
    /// requests, or if the task is cancelled.
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
