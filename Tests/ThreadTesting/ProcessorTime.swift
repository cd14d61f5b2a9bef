import Foundation

/// Returns the time that a processor has given to the calling thread so far. Other programs on a busy machine do not
/// affect it, so tests may compare it. Between two calls, nothing may be awaited.
package func processorTime() -> Duration {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
}
