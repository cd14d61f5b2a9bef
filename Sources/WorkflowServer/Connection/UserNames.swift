import Foundation
import NIOCore
import Synchronization

/// The names of users. A directory service may be slow or away, so each name is looked up on a thread of its own. A
/// request waits at most a second for a name, and a name is remembered for a minute.
final class UserNames: Sendable {
    /// The longest wait for a name.
    static let patience: TimeAmount = .seconds(1)
    /// The time for which a name, or the absence of one, is remembered.
    static let kept: Duration = .seconds(60)
    /// Users who are looked up at once; nobody waits for the names of further users.
    static let atOnce = 4
    /// Users who are remembered.
    static let users = 1_000

    private let lookUp: @Sendable (_ user: UInt32) -> String?
    private let state = Mutex(State())

    fileprivate struct State {
        var known: [UInt32: (name: String?, until: ContinuousClock.Instant)] = [:]
        var underWay: [UInt32: LookUp] = [:]
        var lastWaiter = 0
    }

    fileprivate struct LookUp {
        /// The time when the first waiter gives up; nobody waits for the look-up afterwards.
        let deadline: NIODeadline
        var waiters: [Int: EventLoopPromise<String?>] = [:]
    }

    /// - Parameter lookUp: Returns a user's name; blocks.
    init(lookUp: @escaping @Sendable (_ user: UInt32) -> String? = UserNames.systemName) {
        self.lookUp = lookUp
    }

    /// Returns the name of a user; `nil` if there is none, or if the name is not found within a second. Must be called
    /// on the event loop.
    func name(of user: UInt32, on loop: any EventLoop) -> EventLoopFuture<String?> {
        let promise = loop.makePromise(of: String?.self)
        let outcome = state.withLock { $0.wait(for: user, promise, now: loop.now) }
        switch outcome {
        case .known(let name): promise.succeed(name)
        case .waits(let waiter, let isFirst):
            loop.scheduleTask(in: Self.patience) { [self] in
                state.withLock { $0.underWay[user]?.waiters.removeValue(forKey: waiter) }?.succeed(nil)
            }
            if isFirst { begin(user) }
        }
        return promise.futureResult
    }

    private func begin(_ user: UInt32) {
        let thread = Thread { [self] in
            let name = lookUp(user).flatMap(Self.plain)
            let waiters = state.withLock { state in
                if state.known.count >= Self.users { state.known.removeAll() }
                state.known[user] = (name, .now + Self.kept)
                return state.underWay.removeValue(forKey: user)?.waiters.values.map(\.self) ?? []
            }
            for waiter in waiters { waiter.succeed(name) }
        }
        thread.name = "wfd-names"
        thread.start()
    }

    /// Returns a name that can be part of an actor's text; `nil` for any other name.
    private static func plain(_ name: String) -> String? {
        let isPlain = name.utf8.allSatisfy { (0x21...0x7E).contains($0) && $0 != 0x28 && $0 != 0x29 }
        return isPlain && (1...64).contains(name.utf8.count) ? name : nil
    }

    /// Returns a user's name in the system's databases (getpwuid_r(3)).
    static func systemName(of user: UInt32) -> String? {
        var size = 16 << 10
        while size <= 1 << 20 {
            var buffer = [CChar](repeating: 0, count: size)
            let (code, name) = buffer.withUnsafeMutableBufferPointer { buffer -> (CInt, String?) in
                var entry = passwd()
                var found: UnsafeMutablePointer<passwd>?
                // The buffer is not empty.
                guard let start = buffer.baseAddress else { return (EINVAL, nil) }
                let code = getpwuid_r(user, &entry, start, buffer.count, &found)
                guard let text = found?.pointee.pw_name else { return (code, nil) }
                return (code, String(validatingCString: text))
            }
            guard code == ERANGE else { return name }
            size *= 2
        }
        return nil
    }
}

extension UserNames.State {
    fileprivate enum Wait {
        case known(String?)
        case waits(Int, isFirst: Bool)
    }

    fileprivate mutating func wait(
        for user: UInt32, _ promise: EventLoopPromise<String?>, now: NIODeadline
    ) -> Wait {
        if let known = known[user], known.until > .now { return .known(known.name) }
        let isFirst = underWay[user] == nil
        if isFirst {
            guard underWay.count < UserNames.atOnce else { return .known(nil) }
            underWay[user] = UserNames.LookUp(deadline: now + UserNames.patience)
        }
        guard let deadline = underWay[user]?.deadline, now <= deadline else { return .known(nil) }
        lastWaiter += 1
        underWay[user]?.waiters[lastWaiter] = promise
        return .waits(lastWaiter, isFirst: isFirst)
    }
}
