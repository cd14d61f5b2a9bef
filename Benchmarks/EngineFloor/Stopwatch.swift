import Foundation

/// Time that passes, and time that the process computes on all its threads.
package struct Stopwatch {
    private let begin = ContinuousClock.now
    private let beginOfComputing = clock()

    /// Begins now.
    package init() {}

    /// Seconds since it was made.
    package func elapsed() -> (passed: Double, computing: Double) {
        ((ContinuousClock.now - begin) / .seconds(1), Double(clock() - beginOfComputing) / Double(CLOCKS_PER_SEC))
    }
}
