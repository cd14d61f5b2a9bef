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

/// Finds the addresses of hosts by the system's means.
///
/// The system's function cannot be ended: each name has a thread of its own while it is looked up, who asks meanwhile
/// waits for the same answer, and who has waited enough goes.
final class NameResolver: Sendable {
    /// What is known of a name.
    enum Answer: Sendable {
        case addresses([IPAddress])
        /// Why there are none.
        case failed(String)
    }

    private struct State {
        var known: [String: (answer: Answer, until: ContinuousClock.Instant)] = [:]
        /// The names that are looked up, and who waits for each.
        var waiting: [String: [UInt64: AsyncStream<Answer>.Continuation]] = [:]
        var lastNumber: UInt64 = 0
    }

    /// Names that are looked up at a time, and names that are remembered.
    private static let bound = 256

    /// How long an answer is used again.
    private let kept: Duration
    private let lookUp: @Sendable (String) -> Answer
    private let state = Mutex(State())

    /// - Parameter lookUp: Finds the addresses of a name, and may take as long as it likes.
    init(
        keeping kept: Duration = .seconds(5),
        lookUp: @escaping @Sendable (String) -> Answer = { NameResolver.answerOfSystem($0) }
    ) {
        self.kept = kept
        self.lookUp = lookUp
    }

    /// How many wait for an answer.
    var waiters: Int { state.withLock { $0.waiting.values.reduce(0) { $0 + $1.count } } }

    /// The addresses of a host in the system's order; nil when the task was cancelled.
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
            // A thread of its own: those that the system shares out are few, and the database needs them too.
            Thread.detachNewThread { [self] in tell(name, lookUp(name)) }
        }
        for await answer in stream { return answer }
        // Cancelled. The name itself stays, as long as it is looked up.
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
