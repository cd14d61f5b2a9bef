import Synchronization
import WorkflowAPI
import WorkflowEngine

/// The counts of requests, and of lost log lines, since the daemon began.
package final class RequestMetrics: Sendable {
    /// The times that requests of one route took until their answers began.
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

    /// Creates empty counts.
    ///
    /// - Parameter linesLost: Returns the number of lines that were left out of the log.
    package init(linesLost: @escaping @Sendable () -> Int = { 0 }) {
        self.linesLost = linesLost
    }

    /// The lines that were left out of the log because nobody read it.
    var logLinesLost: Int { linesLost() }

    func refused(_ type: ProblemType) { refused.withLock { $0[type, default: 0] += 1 } }

    func refused(_ types: [ProblemType: Int]) { refused.withLock { $0.merge(types, uniquingKeysWith: +) } }

    /// Returns the timer of a route.
    func timer(of route: Route) -> Timer {
        // Proof: each route of the table has one, and there are no others.
        guard let timer = timers[route] else { preconditionFailure("'\(route)' is no route") }
        return timer
    }

    /// The number of answers of each type of problem.
    var refusals: [ProblemType: Int] { refused.withLock { $0 } }

    /// The routes that were requested and their times, in the order of the table.
    var requests: [(route: Route, times: Histogram)] {
        Route.all.compactMap { route in
            let times = timer(of: route).histogram
            return times.counts.contains { $0 > 0 } ? (route, times) : nil
        }
    }
}
