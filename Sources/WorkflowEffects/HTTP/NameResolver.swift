import Dispatch
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
        var waiting: [String: [AsyncStream<Answer>.Continuation]] = [:]
    }

    /// How long an answer is used again.
    private static let kept = Duration.seconds(5)
    /// Names that are looked up at a time, and names that are remembered.
    private static let bound = 256

    private let state = Mutex(State())

    /// The addresses of a host in the system's order; nil when the task was cancelled.
    func addresses(of name: String) async -> Answer? {
        if let address = IPAddress(name) { return .addresses([address]) }
        let (stream, continuation) = AsyncStream.makeStream(of: Answer.self, bufferingPolicy: .bufferingNewest(1))
        let now = ContinuousClock.now
        let (known, isFirst): (Answer?, Bool) = state.withLock { state in
            if let known = state.known[name], known.until > now { return (known.answer, false) }
            if state.waiting[name] == nil, state.waiting.count >= Self.bound {
                return (.failed("too many names are looked up"), false)
            }
            state.waiting[name, default: []].append(continuation)
            return (nil, state.waiting[name]?.count == 1)
        }
        if let known { return known }
        if isFirst {
            DispatchQueue(label: "wfd-names").async { [self] in tell(name, Self.lookUp(name)) }
        }
        for await answer in stream { return answer }
        return nil
    }

    private func tell(_ name: String, _ answer: Answer) {
        let now = ContinuousClock.now
        let waiting = state.withLock { state in
            if state.known.count >= Self.bound { state.known = state.known.filter { $0.value.until > now } }
            if state.known.count >= Self.bound { state.known = [:] }
            if case .addresses = answer { state.known[name] = (answer, now + Self.kept) }
            return state.waiting.removeValue(forKey: name) ?? []
        }
        for continuation in waiting {
            continuation.yield(answer)
            continuation.finish()
        }
    }

    private static func lookUp(_ name: String) -> Answer {
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
