import Synchronization
import WorkflowAPI
import WorkflowStore

/// The sessions of the console and the codes that begin them, for all addresses of a daemon. They are in memory only,
/// and of their secrets only digests.
package final class ConsoleSessions: Sendable {
    /// The limits of sessions.
    package struct Limits: Sendable {
        /// The time in which a code can be used.
        package var code: Duration = .seconds(60)
        /// The time after its last request at which a session ends.
        package var idle: Duration = .seconds(3_600)
        /// The time after its begin at which a session ends.
        package var longest: Duration = .seconds(12 * 3_600)
        /// The codes and sessions of everybody together.
        package var all = 1_000
        /// The codes and sessions of one holder of a credential; the oldest give way.
        package var ofHolder = 32
        /// The pages of one session that are live at once: a browser has six connections to a host (HTTP/1.1).
        package var streams = 4

        package init() {}
    }

    private struct Entry {
        let caller: SessionCaller
        let begun: Duration
        var seen: Duration
        var streams = 0
    }

    private struct State {
        var codes: [Digest: Entry] = [:]
        var sessions: [Digest: Entry] = [:]
        var places: [ConsolePlace] = []
    }

    let limits: Limits
    private let uptime: @Sendable () -> Duration
    private let state = Mutex(State())
    /// The key of the values in forms. It is new with each start, as sessions are.
    private let key = Salt(bytes: ConsoleSessions.random(16))

    /// - Parameter uptime: Returns the time since some moment, by a clock that nobody sets.
    package init(limits: Limits = Limits(), uptime: @escaping @Sendable () -> Duration = ConsoleSessions.sinceStart()) {
        self.limits = limits
        self.uptime = uptime
    }

    /// Returns a function that measures the time since this call.
    package static func sinceStart() -> @Sendable () -> Duration {
        let start = ContinuousClock.now
        return { .now - start }
    }

    /// Returns bytes of the system's random numbers (getrandom(2)).
    private static func random(_ count: Int) -> [UInt8] {
        var source = SystemRandomNumberGenerator()
        return (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &source) }
    }

    private static func digest(of secret: String) -> Digest { Digest(of: Array(secret.utf8)) }
}

// MARK: Codes

extension ConsoleSessions {
    /// Returns a code that begins one session of a caller.
    func makeCode(for caller: SessionCaller) throws(Problem) -> String {
        let (now, code) = (uptime(), Self.random(32).hexadecimal)
        try state.withLock { state throws(Problem) in
            state.codes = state.codes.filter { isValid(code: $0.value, at: now) }
            Self.makeRoom(in: &state.codes, for: caller, limits)
            guard state.codes.count < limits.all else {
                throw Problem(.overloaded, detail: "Too many codes for the console wait to be used")
            }
            state.codes[Self.digest(of: code)] = Entry(caller: caller, begun: now, seen: now)
        }
        return code
    }

    /// Returns the caller of a code, which stays valid; `nil` for a code that is unknown, was used or has expired.
    func caller(ofCode code: String) -> SessionCaller? {
        let now = uptime()
        return state.withLock { state in
            state.codes[Self.digest(of: code)].flatMap { isValid(code: $0, at: now) ? $0.caller : nil }
        }
    }

    /// Uses a code up, and returns its caller; `nil` for a code that is unknown, was used or has expired.
    func take(code: String) -> SessionCaller? {
        let now = uptime()
        return state.withLock { state in
            let taken = state.codes.removeValue(forKey: Self.digest(of: code))
            return taken.flatMap { isValid(code: $0, at: now) ? $0.caller : nil }
        }
    }

    private func isValid(code: Entry, at now: Duration) -> Bool { now - code.begun < limits.code }
}

// MARK: Sessions

extension ConsoleSessions {
    /// Begins a session, and returns its secret.
    func begin(for caller: SessionCaller) -> String {
        let (now, secret) = (uptime(), Self.random(32).hexadecimal)
        state.withLock { state in
            state.sessions = state.sessions.filter { isValid(session: $0.value, at: now) }
            Self.makeRoom(in: &state.sessions, for: caller, limits)
            if state.sessions.count >= limits.all, let oldest = Self.oldest(of: state.sessions) {
                state.sessions[oldest] = nil
            }
            state.sessions[Self.digest(of: secret)] = Entry(caller: caller, begun: now, seen: now)
        }
        return secret
    }

    /// Returns the caller of a session, which goes on; `nil` for a session that is unknown or has ended.
    ///
    /// - Parameter isUse: True if the session has been used, and lasts an hour from now.
    func caller(ofSession secret: String, isUse: Bool = true) -> SessionCaller? {
        let (now, digest) = (uptime(), Self.digest(of: secret))
        return state.withLock { state in
            guard var session = state.sessions[digest] else { return nil }
            guard isValid(session: session, at: now) else {
                state.sessions[digest] = nil
                return nil
            }
            if isUse { session.seen = now }
            state.sessions[digest] = session
            return session.caller
        }
    }

    /// Returns true if a session has not ended.
    func goesOn(_ secret: String) -> Bool { caller(ofSession: secret, isUse: false) != nil }

    /// Takes a place for a stream of a session; `nil` if it has as many as it may have.
    ///
    /// - Parameter secret: The session's secret; `nil` behind a proxy, whose streams are bounded with all others.
    func place(ofStreamIn secret: String?) -> StreamPlace? {
        guard let secret else { return StreamPlace {} }
        let digest = Self.digest(of: secret)
        let isTaken = state.withLock { state in
            guard let count = state.sessions[digest]?.streams, count < limits.streams else { return false }
            state.sessions[digest]?.streams += 1
            return true
        }
        guard isTaken else { return nil }
        return StreamPlace { [self] in state.withLock { $0.sessions[digest]?.streams -= 1 } }
    }

    /// The place of a stream, given back when the last reference to it is released.
    final class StreamPlace: Sendable {
        private let end: @Sendable () -> Void

        fileprivate init(_ end: @escaping @Sendable () -> Void) { self.end = end }

        deinit { end() }
    }

    /// Ends a session.
    func end(_ secret: String) {
        state.withLock { _ = $0.sessions.removeValue(forKey: Self.digest(of: secret)) }
    }

    /// The number of sessions, also of those that have ended and that nobody has asked for since.
    var count: Int { state.withLock { $0.sessions.count } }

    private func isValid(session: Entry, at now: Duration) -> Bool {
        now - session.seen < limits.idle && now - session.begun < limits.longest
    }

    /// Returns the value that the forms of a session carry. Nobody without the daemon's key can make it.
    ///
    /// - Parameter session: The session's secret, or what stands for it.
    func formValue(of session: String) -> String { Digest(of: Array(session.utf8), keyedWith: key).text }

    /// Removes the holder's oldest entry if it has as many as it may have.
    private static func makeRoom(in entries: inout [Digest: Entry], for caller: SessionCaller, _ limits: Limits) {
        let own = entries.filter { $0.value.caller.holder == caller.holder }
        if own.count >= limits.ofHolder, let oldest = oldest(of: own) { entries[oldest] = nil }
    }

    private static func oldest(of entries: [Digest: Entry]) -> Digest? {
        entries.min { $0.value.seen < $1.value.seen }?.key
    }
}

// MARK: Addresses

extension ConsoleSessions {
    /// Notes an address on which the console is served.
    func serve(_ place: ConsolePlace) {
        state.withLock { state in
            state.places.removeAll { $0.address == place.address }
            state.places.append(place)
        }
    }

    /// The console's URL, first one that only this machine reaches; `nil` if no address serves it.
    var url: String? {
        let places = state.withLock { $0.places }
        return (places.first { $0.address.isLocal } ?? places.first)?.url
    }
}
