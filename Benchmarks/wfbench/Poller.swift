import EngineFloor
import Foundation
import LinuxEvents

/// Waits for many sockets at once.
final class Poller {
    private let descriptor: Int32
    private var events: [epoll_event]

    /// Watches sockets for readable data; each is identified by its index in the list.
    init(_ sockets: [Int32]) throws {
        descriptor = epoll_create1(0)
        events = Array(repeating: epoll_event(), count: max(sockets.count, 1))
        for (place, socket) in sockets.enumerated() {
            guard linux_events_watch(descriptor, socket, UInt64(place)) == 0 else {
                throw BenchmarkError("cannot wait for a socket: errno \(errno)")
            }
        }
    }

    /// Waits. Returns the number of readable sockets; 0 if the time is over.
    func wait(seconds: Int) throws -> Int {
        while true {
            let count = epoll_wait(descriptor, &events, Int32(events.count), Int32(seconds * 1_000))
            if count >= 0 { return Int(count) }
            guard errno == EINTR else { throw BenchmarkError("cannot wait for sockets: errno \(errno)") }
        }
    }

    /// Returns the index of one of the readable sockets.
    subscript(index: Int) -> Int {
        Int(linux_events_number(&events[index]))
    }

    /// Stops watching.
    func close() {
        Foundation.close(descriptor)
    }
}

/// A descriptor that becomes readable at a time.
struct EventTimer {
    let descriptor: Int32

    init() throws {
        descriptor = timerfd_create(CLOCK_MONOTONIC, O_NONBLOCK)
        guard descriptor >= 0 else { throw BenchmarkError("cannot make a timer: errno \(errno)") }
    }

    /// Sets the time, of `nanoseconds()`, and clears an earlier expiry.
    func wake(at time: UInt64) throws {
        guard linux_events_wake(descriptor, time) == 0 else {
            throw BenchmarkError("cannot set a timer: errno \(errno)")
        }
    }

    /// Closes the timer.
    func close() {
        Foundation.close(descriptor)
    }
}
