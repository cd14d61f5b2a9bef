import Synchronization
import WorkflowAPI
import WorkflowEngine

/// Counts of requests, and of the log that tells of them, since the daemon began.
package final class RequestMetrics: Sendable {
    /// How long requests of one route took, until their answer began.
    final class Timer: Sendable {
        let route: Route
        private let times = Mutex(Histogram(Histogram.seconds))

        init(_ route: Route) {
            self.route = route
        }

        func add(since begin: ContinuousClock.Instant) { times.withLock { $0.add(.now - begin) } }

        var histogram: Histogram { times.withLock { $0 } }
    }

    private let refused = Mutex<[ProblemType: Int]>([:])
    private let timers = Dictionary(uniqueKeysWithValues: Route.all.map { ($0, Timer($0)) })

    private let linesLost: @Sendable () -> Int

    /// - Parameter linesLost: Lines that were left out of the log.
    package init(linesLost: @escaping @Sendable () -> Int = { 0 }) {
        self.linesLost = linesLost
    }

    /// Lines that were left out of the log, because nobody read it.
    var logLinesLost: Int { linesLost() }

    func refused(_ type: ProblemType) { refused.withLock { $0[type, default: 0] += 1 } }

    func refused(_ types: [ProblemType: Int]) { refused.withLock { $0.merge(types, uniquingKeysWith: +) } }

    /// What counts the times of a route.
    func timer(of route: Route) -> Timer {
        // Proof: each route of the table has one, and there are no others.
        guard let timer = timers[route] else { preconditionFailure("'\(route)' is no route") }
        return timer
    }

    /// How often which problem was answered.
    var refusals: [ProblemType: Int] { refused.withLock { $0 } }

    /// Of the routes that were asked for, in the order of the table.
    var requests: [(route: Route, times: Histogram)] {
        Route.all.compactMap { route in
            let times = timer(of: route).histogram
            return times.counts.contains { $0 > 0 } ? (route, times) : nil
        }
    }
}
