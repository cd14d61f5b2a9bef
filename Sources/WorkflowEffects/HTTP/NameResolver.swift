import Foundation
import NIOCore
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Finds the addresses of hosts with the system's resolver.
///
/// The system's function cannot be cancelled. So each lookup has a thread of its own. Concurrent callers wait for the
/// same answer, and a cancelled caller leaves.
final class NameResolver: Sendable {
    /// The result of a lookup.
    enum Answer: Sendable {
        case addresses([IPAddress])
        /// The reason why there are no addresses.
        case failed(String)
    }

    private struct State {
        var known: [String: (answer: Answer, until: ContinuousClock.Instant)] = [:]
        /// The names in lookup, with the waiting callers of each.
        var waiting: [String: [UInt64: AsyncStream<Answer>.Continuation]] = [:]
        var lastNumber: UInt64 = 0
    }

    /// The largest number of names in lookup, and of remembered names.
    private static let bound = 256

    /// The time for which an answer is reused.
    private let kept: Duration
    private let lookUp: @Sendable (String) -> Answer
    private let state = Mutex(State())

    /// - Parameter lookUp: Finds the addresses of a name; may take any time.
    init(
        keeping kept: Duration = .seconds(5),
        lookUp: @escaping @Sendable (String) -> Answer = { NameResolver.answerOfSystem($0) }
    ) {
        self.kept = kept
        self.lookUp = lookUp
    }

    /// The number of waiting callers.
    var waiters: Int { state.withLock { $0.waiting.values.reduce(0) { $0 + $1.count } } }

    /// Returns the addresses of a host in the system's order, or `nil` if the task was cancelled.
    func addresses(of name: String) async -> Answer? {
        if let address = IPAddress(name) { return .addresses([address]) }
        let (stream, continuation) = AsyncStream.makeStream(of: Answer.self, bufferingPolicy: .bufferingNewest(1))
        let now = ContinuousClock.now
        let (known, number, isFirst): (Answer?, UInt64, Bool) = state.withLock { state in
            if let known = state.known[name], known.until > now { return (known.answer, 0, false) }
            let isFirst = state.waiting[name] == nil
            if isFirst, state.waiting.count >= Self.bound {
                return (.failed("too many names are looked up"), 0, false)
            }
            state.lastNumber += 1
            state.waiting[name, default: [:]][state.lastNumber] = continuation
            return (nil, state.lastNumber, isFirst)
        }
        if let known { return known }
        if isFirst {
            // A thread of its own: the threads of the system's pool are few, and the database needs them too.
            Thread.detachNewThread { [self] in tell(name, lookUp(name)) }
        }
        for await answer in stream { return answer }
        // The task was cancelled. The name stays until its lookup ends.
        state.withLock { $0.waiting[name]?[number] = nil }
        return nil
    }

    private func tell(_ name: String, _ answer: Answer) {
        let now = ContinuousClock.now
        let waiting = state.withLock { [kept] state in
            if state.known.count >= Self.bound { state.known = state.known.filter { $0.value.until > now } }
            if state.known.count >= Self.bound { state.known = [:] }
            if case .addresses = answer { state.known[name] = (answer, now + kept) }
            return state.waiting.removeValue(forKey: name) ?? [:]
        }
        for continuation in waiting.values {
            continuation.yield(answer)
            continuation.finish()
        }
    }

    private static func answerOfSystem(_ name: String) -> Answer {
        var hints = addrinfo()
        hints.ai_family = AF_UNSPEC
        #if canImport(Darwin)
            hints.ai_socktype = SOCK_STREAM
        #else
            hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        #endif
        var first: UnsafeMutablePointer<addrinfo>?
        let code = getaddrinfo(name, nil, &hints, &first)
        defer { if let first { freeaddrinfo(first) } }
        guard code == 0 else { return .failed(String(cString: gai_strerror(code))) }
        var addresses: [IPAddress] = []
        var next = first
        while let info = next?.pointee {
            next = info.ai_next
            guard let pointer = info.ai_addr else { continue }
            let address: SocketAddress? =
                switch info.ai_family {
                case AF_INET:
                    pointer.withMemoryRebound(to: sockaddr_in.self, capacity: 1) { SocketAddress($0.pointee) }
                case AF_INET6:
                    pointer.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) { SocketAddress($0.pointee) }
                default: nil
                }
            if let address = address.flatMap({ IPAddress($0) }), !addresses.contains(address) {
                addresses.append(address)
            }
        }
        return addresses.isEmpty ? .failed("it has no address") : .addresses(addresses)
    }
}
