import Foundation
import Logging
import PostgresStore
import ServiceLifecycle
import Synchronization
import WorkflowAPI
import WorkflowAccess
import WorkflowEngine
import WorkflowServer
import WorkflowStore
import WorkflowThreads

/// This daemon among the daemons of a store in PostgreSQL. Renews its lease, takes the store when the owner is dead,
/// and gives it away at its own end.
///
/// It is the first of the daemon's services, so it ends last, when nothing writes any more.
final class StoreTerm: Service, Ownership, RequestDirectory {
    /// The time between two renewals.
    private static let pause = Duration.seconds(1)
    /// The time between two tries while the server is out of reach.
    private static let retryPause = Duration.milliseconds(100)
    /// An owner that has not renewed its lease for so long starts no effect, and takes no token.
    private static let trust = Duration.milliseconds(4_500)
    /// The time between two looks while requests wait for a new owner.
    private static let hurry = Duration.milliseconds(50)
    /// The longest wait of a request for a new owner.
    private static let patience = Duration.seconds(2)

    private enum Standing {
        case standby
        /// The log names this daemon, whose lanes have not begun.
        case owner
        case serving
    }

    private struct State {
        var standing = Standing.standby
        var judgement: OwnerJudgement
        var look: StoreLook?
        /// The begin of the last renewal.
        var renewed: ContinuousClock.Instant?
        /// The owner's address, if another daemon owns the store.
        var owner: PeerAddress?
        /// This daemon's address for others, once it listens.
        var peer: String?
        var waiters: [Int: AsyncStream<Void>.Continuation] = [:]
        var waiterCount = 0
        /// The requests that wait for another place.
        var requestCount = 0
        /// True while the server is out of reach, which was told.
        var isTold = false
        var isEnding = false
    }

    let id: UniqueID
    /// The secret by which the store's daemons trust each other.
    let secret: PeerSecret
    /// The generation of the store when it was opened.
    private let generation: Int64
    private let table: Mutex<DaemonTable>
    private let state: Mutex<State>
    private let tokens: SharedTokens
    private let book: AccessBook
    /// Prepares the store when this daemon owns it, before the lanes begin.
    private let prepare: @Sendable () async throws -> Void
    private let threads = BackgroundThreads("wfd-control", count: 1)
    private let wakes: AsyncStream<Void>
    private let wake: AsyncStream<Void>.Continuation
    private let logger: Logger

    /// - Parameters:
    ///   - table: The daemons of the store.
    ///   - secret: The secret by which the store's daemons trust each other.
    ///   - generation: The generation of the store when it was opened.
    ///   - book: Takes the tokens that another daemon has changed.
    ///   - prepare: Prepares the store when this daemon owns it, before the lanes begin.
    init(
        _ table: sending DaemonTable, secret: PeerSecret, generation: Int64, tokens: SharedTokens, book: AccessBook,
        logger: Logger, prepare: @escaping @Sendable () async throws -> Void
    ) {
        id = table.id
        self.secret = secret
        self.generation = generation
        state = Mutex(State(judgement: OwnerJudgement(of: table.id)))
        self.table = Mutex(table)
        self.tokens = tokens
        self.book = book
        self.prepare = prepare
        self.logger = logger
        (wakes, wake) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    }

    /// Renews the lease until graceful shutdown; then gives the store to another daemon.
    ///
    /// - Throws: `fenced` if another daemon has taken the store from this one.
    func run() async throws {
        try await withGracefulShutdownHandler {
            var steps = wakes.makeAsyncIterator()
            while !state.withLock({ $0.isEnding }) {
                let next = try await withTaskExecutorPreference(threads) { @concurrent in try step() }
                let pause = state.withLock { $0.requestCount } > 0 ? min(next, Self.hurry) : next
                let alarm = Task { [wake] in
                    // A cancelled alarm is not needed any more.
                    guard (try? await Task.sleep(for: pause)) != nil else { return }
                    wake.yield()
                }
                await steps.next()
                alarm.cancel()
            }
        } onGracefulShutdown: {
            self.state.withLock { $0.isEnding = true }
            self.wake.yield()
        }
        await withTaskExecutorPreference(threads) { @concurrent in leave() }
    }

    /// Renews the lease, looks at the others, and does what follows. Returns the time until the next look. Blocks.
    private func step() throws(StoreError) -> Duration {
        let begin = ContinuousClock.now
        let look: StoreLook
        do throws(StoreError) {
            let peer = state.withLock { $0.peer }
            look = try table.withLock { table throws(StoreError) in
                try table.renew(at: SystemClock().now(), tokens: tokens.known, peer: peer)
            }
        } catch {
            tellOnce(error)
            return Self.retryPause
        }
        guard look.generation == generation else {
            throw StoreError(.fenced, "the database was restored, or has lost commits; this daemon ends")
        }
        follow(look, since: begin)
        let (verdict, standing) = state.withLock { state in
            state.isTold = false
            state.renewed = begin
            state.look = look
            let verdict = state.judgement.judge(look, at: begin)
            if case .other(let row) = verdict { state.owner = PeerAddress(row.peer) }
            return (verdict, state.standing)
        }
        defer { changed() }
        switch verdict {
        case .own:
            if standing == .standby { owns() }
            return Self.pause
        case .other, .suspect, .take:
            guard standing == .standby else {
                throw StoreError(.fenced, "another daemon has taken the database over; this one ends")
            }
            guard verdict == .take else {
                return if case .suspect = verdict { OwnerJudgement.pause } else { Self.pause }
            }
            return take(from: look)
        }
    }

    private func take(from look: StoreLook) -> Duration {
        do throws(StoreError) {
            try table.withLock { table throws(StoreError) in try table.take(from: look.owners.compactMap(\.self)) }
        } catch {
            if error.code != .fenced { tellOnce(error) }
            return error.code == .fenced ? .zero : Self.retryPause
        }
        logger.notice(
            "this daemon has taken the database",
            metadata: ["from": "\(look.owners.compactMap(\.self).first.map { $0.short } ?? "nobody")"])
        owns()
        return Self.pause
    }

    private func owns() {
        state.withLock { state in
            state.standing = .owner
            state.owner = nil
        }
    }

    private func tellOnce(_ error: StoreError) {
        let isTold = state.withLock { state in
            defer { state.isTold = true }
            return state.isTold
        }
        if !isTold { logger.warning("the lease was not renewed", metadata: ["error": "\(error)"]) }
    }

    /// Gives the store to a living daemon, and leaves the table. Blocks.
    private func leave() {
        let isOwner = state.withLock { $0.standing != .standby }
        do throws(StoreError) {
            try table.withLock { table throws(StoreError) in
                if isOwner {
                    let look = try table.renew(at: SystemClock().now(), tokens: tokens.known, peer: nil)
                    if let heir = look.daemons.first(where: { $0.id != id && $0.peer != nil && $0.isAlive }) {
                        try table.give(to: heir.id)
                        logger.notice(
                            "the database was given to another daemon", metadata: ["daemon": "\(heir.id.short)"])
                    }
                }
                try table.leave()
            }
        } catch {
            // Others find the lease over, or the connection gone.
            logger.warning("the database was not given away", metadata: ["error": "\(error)"])
        }
    }
}

// MARK: Waiting

extension StoreTerm {
    private func changed() {
        for waiter in state.withLock({ Array($0.waiters.values) }) { waiter.yield() }
    }

    /// Waits until a condition holds. Returns earlier at the end of a time, or when the task is cancelled.
    private func wait(atMost time: Duration? = nil, for condition: (State) -> Bool) async {
        let (news, waiter) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let number = state.withLock { state in
            state.waiterCount += 1
            state.waiters[state.waiterCount] = waiter
            return state.waiterCount
        }
        defer { _ = state.withLock { $0.waiters.removeValue(forKey: number) } }
        let alarm = time.map { time in
            Task {
                // A cancelled alarm is not needed any more.
                _ = try? await Task.sleep(for: time)
                waiter.finish()
            }
        }
        defer { alarm?.cancel() }
        var elements = news.makeAsyncIterator()
        while !state.withLock({ condition($0) }), await elements.next() != nil {}
    }

    /// Enters the table of daemons, and looks at the others.
    ///
    /// - Parameter hasPeer: True if this daemon will listen for others.
    /// - Throws: `locked` if another daemon is alive, and it or this one has no address for other daemons.
    func enter(_ address: PostgresAddress, hasPeer: Bool) throws(StoreError) {
        let begin = ContinuousClock.now
        let look = try table.withLock { table throws(StoreError) in
            try table.renew(at: SystemClock().now(), tokens: tokens.known, peer: nil)
        }
        follow(look, since: begin)
        for other in look.daemons where other.id != id && other.isAlive && !(hasPeer && other.peer != nil) {
            // Two may begin at once, and one of them goes on.
            guard look.owners.contains(other.id) || other.id.text < id.text else { continue }
            let advice =
                hasPeer
                ? "it has no --peer; stop it, or restart it with one" : "stop it, or give both a --peer: one stands by"
            leave()
            throw StoreError(
                .locked, "Cannot open '\(address)': another daemon serves it (\(other.id.short)); \(advice)")
        }
    }

    /// Reads tokens that another daemon has changed, and notes what the others know.
    ///
    /// - Parameter begin: The begin of the look.
    private func follow(_ look: StoreLook, since begin: ContinuousClock.Instant) {
        do {
            if look.tokens > tokens.known { try book.open(tokens) }
            tokens.saw(look, besides: id)
            book.counts(until: begin + Self.trust)
        } catch {
            logger.warning("changed tokens were not read", metadata: ["error": "\(error)"])
        }
    }
}

// MARK: What others ask

extension StoreTerm {
    func begin() async throws {
        await wait { $0.standing != .standby }
        try Task.checkCancellation()
        try await prepare()
    }

    func serves() {
        state.withLock { $0.standing = .serving }
        changed()
    }

    private func isFresh(within time: Duration) -> Bool {
        state.withLock { $0.renewed.map { ContinuousClock.now - $0 < time } ?? false }
    }

    var mayStartEffects: Bool { isFresh(within: Self.trust) }

    /// Called when this daemon listens for others.
    func listens(at peer: String) {
        state.withLock { $0.peer = peer }
        wake.yield()
    }

    var place: RequestPlace { state.withLock { Self.place($0) } }

    private static func place(_ state: State) -> RequestPlace {
        switch state.standing {
        case .standby: return state.owner.map { .peer($0) } ?? .nowhere
        case .owner: return .nowhere
        case .serving:
            let isFresh = state.renewed.map { ContinuousClock.now - $0 < DaemonTable.lease } ?? false
            return isFresh ? .here : .nowhere
        }
    }

    var daemons: [DaemonItem] {
        let (look, renewed) = state.withLock { ($0.look, $0.renewed) }
        let age = renewed.map { ContinuousClock.now - $0 } ?? .zero
        return (look?.daemons ?? []).map { daemon in
            DaemonItem(
                daemon: daemon.id.text, peer: daemon.peer,
                partitions: Int64(look?.owners.count { $0 == daemon.id } ?? 0),
                allPartitions: Int64(look?.owners.count ?? 0),
                leaseMilliseconds: max(0, Int64((daemon.lease - age) / .milliseconds(1))),
                clockMilliseconds: Int64(daemon.skew / .milliseconds(1)), version: daemon.version,
                isConnected: daemon.isConnected, isAnswering: daemon.id == id ? true : nil)
        }
    }

    func look(after place: RequestPlace) async -> RequestPlace {
        state.withLock { $0.requestCount += 1 }
        defer { state.withLock { $0.requestCount -= 1 } }
        wake.yield()
        await wait(atMost: Self.patience) { Self.place($0) != place }
        return self.place
    }
}

extension PeerAddress {
    /// Reads an address of the table; `nil` for none.
    fileprivate init?(_ text: String?) {
        guard let text, let address = try? ListenAddress(text), case .tcp(let host, let port) = address else {
            return nil
        }
        self.init(host: host, port: port)
    }
}

extension UniqueID {
    /// The last four digits, by which people tell daemons apart.
    var short: String { String(text.suffix(4)) }
}
