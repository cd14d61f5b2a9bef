import Foundation

/// Measures elapsed time, and the computing time of all threads of the process.
package struct Stopwatch {
    private let begin = ContinuousClock.now
    private let beginOfComputing = clock()

    /// Starts the stopwatch.
    package init() {}

    /// Returns the seconds since the start.
    package func elapsed() -> (passed: Double, computing: Double) {
        ((ContinuousClock.now - begin) / .seconds(1), Double(clock() - beginOfComputing) / Double(CLOCKS_PER_SEC))
    }
}
