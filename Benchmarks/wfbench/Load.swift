import Foundation
import Synchronization

/// Threads that send requests over one connection each, one after another, for a time.
struct Load {
    /// What a load came to.
    struct Result {
        /// Milliseconds of each request, sorted.
        let latencies: [Double]
        let perSecond: Double

        func percentile(_ share: Double) -> Double {
            latencies.isEmpty ? 0 : latencies[min(latencies.count - 1, Int(Double(latencies.count) * share))]
        }
    }

    let socket: String
    let clients: Int
    let seconds: Double
    let request: @Sendable (_ client: Int, _ turn: Int) -> [UInt8]

    /// Runs to the end of the time; a request that is not answered with 200 ends the program.
    func run() -> Result {
        let all = Mutex<[Double]>([])
        let group = DispatchGroup()
        let begin = ContinuousClock.now
        let end = begin + .seconds(seconds)
        for client in 0..<clients {
            group.enter()
            let thread = Thread {
                let latencies = measure(client, until: end)
                all.withLock { $0 += latencies }
                group.leave()
            }
            thread.start()
        }
        group.wait()
        let elapsed = (ContinuousClock.now - begin) / .seconds(1)
        let latencies = all.withLock { $0.sorted() }
        return Result(latencies: latencies, perSecond: Double(latencies.count) / elapsed)
    }

    private func measure(_ client: Int, until end: ContinuousClock.Instant) -> [Double] {
        var latencies: [Double] = []
        do {
            let connection = try Connection(socket: socket)
            var now = ContinuousClock.now
            while now < end {
                try connection.expect(200, for: request(client, latencies.count))
                let after = ContinuousClock.now
                latencies.append((after - now) / .milliseconds(1))
                now = after
            }
        } catch {
            fatalError("client \(client): \(error)")
        }
        return latencies
    }
}
