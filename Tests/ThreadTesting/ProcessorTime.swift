import Foundation

/// The time that a processor has given to the calling thread so far. What others take on a busy machine is no part of
/// it, so tests may compare it; between two calls, nothing may be awaited.
package func processorTime() -> Duration {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
}
