import Synchronization
package import WorkflowAPI
package import WorkflowStore

/// The callers whom a daemon knows: the tokens of its storage, and the rules for users of this machine.
///
/// Finding a caller takes a lock and blocks nothing else. Changes of tokens write the file, so they block.
package final class AccessBook: Sendable {
    private struct State {
        var content: AccessContent
        var tokens: [String: TokenRecord] = [:]
        var unix: UnixAccess?
        /// True if there was no file when it was opened.
        var isMissing = false
        /// The last time at which tokens that had ended were looked for.
        var looked = WireTime(milliseconds: 0)

        init(_ content: AccessContent) {
            self.content = content
            index()
        }

        mutating func index() {
            tokens = Dictionary(content.tokens.map { ($0.id, $0) }) { first, _ in first }
        }
    }

    /// The place of the tokens; `nil` until it is opened.
    private let storage = Mutex<(any AccessStorage)?>(nil)
    private let now: @Sendable () -> WireTime
    private let state: Mutex<State>
    /// Held while the file is written, so that changes follow one another.
    private let changing = Mutex(())
    private let counter = Atomic<UInt64>(1)
    /// The end of the time for which the tokens are known to be current, in milliseconds after `origin`; `Int64.max`
    /// for tokens that nobody else changes.
    private let end = Atomic<Int64>(.max)
    private static let origin = ContinuousClock.now
    private let failures = Mutex<(count: Int, last: String)>((0, ""))
    private let watchers = Mutex<[ObjectIdentifier: @Sendable () -> Void]>([:])
    /// An element after a change, and after the first failure since `takeFailures`. For one reader.
    package let news: AsyncStream<Void>
    private let tell: AsyncStream<Void>.Continuation

    /// Creates a book without tokens.
    ///
    /// - Parameters:
    ///   - unix: The rules for users of this machine; `nil` lets everybody who can open the socket do everything.
    ///   - now: Returns the current time, by which tokens end.
    package init(unix: UnixAccess? = nil, now: @escaping @Sendable () -> WireTime) {
        (news, tell) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
        self.now = now
        var state = State(AccessContent())
        state.unix = unix
        self.state = Mutex(state)
    }

    /// Takes the tokens of a storage, which has all changes from then on. Blocks.
    package func open(_ storage: some AccessStorage) throws(AccessError) {
        let content = try AccessContent(of: storage)
        self.storage.withLock { $0 = storage }
        state.withLock { state in
            state.content = content ?? AccessContent()
            state.isMissing = content == nil
            state.index()
        }
        changed()
    }

    /// True if nothing had the tokens when the book was opened, and they were not written since.
    package var isMissing: Bool { state.withLock { $0.isMissing } }

    /// The path or address of the tokens; empty until they are opened.
    package var path: String { storage.withLock { $0?.path ?? "" } }

    /// A number that grows with each change. What was found out about a caller holds while it stays the same.
    package var number: UInt64 { counter.load(ordering: .acquiring) }

    /// False if another daemon may have changed the tokens meanwhile.
    package var isCurrent: Bool {
        let end = end.load(ordering: .relaxed)
        return end == .max || Self.origin.duration(to: .now) < .milliseconds(end)
    }

    /// Lets the tokens count as current until a time, for a storage that other daemons change too.
    package func counts(until time: ContinuousClock.Instant) {
        end.store(Int64(clamping: Int(Self.origin.duration(to: time) / .milliseconds(1))), ordering: .relaxed)
    }

    /// The current time, by which tokens end.
    package var time: WireTime { now() }

    /// The changes of tokens that the audit may lack, the first made first.
    package var unrecorded: [AccessChange] { state.withLock { $0.content.unrecorded } }

    /// Forgets a change that the audit has. The file forgets it with the next change.
    package func recorded(_ change: AccessChange) {
        state.withLock { $0.content.unrecorded.removeAll { $0.number <= change.number } }
    }

    /// The tokens, in the order of their names.
    package var tokens: [TokenRecord] {
        state.withLock { $0.content.tokens }.sorted { $0.name < $1.name }
    }

    /// Returns the caller that a token belongs to; `nil` for a token that is unknown, revoked or expired.
    package func caller(with token: AccessToken) -> CallerIdentity? { caller(with: token.mark) }

    /// Returns the caller that a token with a mark belongs to; `nil` for a token that is unknown, revoked or expired.
    package func caller(with mark: TokenMark) -> CallerIdentity? {
        guard let record = state.withLock({ $0.tokens[mark.id] }), let end = record.end(of: mark.digest, at: now())
        else { return nil }
        return CallerIdentity(
            Actor(rawValue: "token:\(record.name)"), roles: record.roles, queues: record.queues,
            speaksFor: record.speaksFor, expires: end)
    }

    /// Returns the roles of a user of this machine.
    package func roles(ofUser user: UInt32, _ groups: [UInt32]) -> [Role] {
        state.withLock { $0.unix }.map { $0.roles(of: user, groups) } ?? [.admin]
    }

    /// Replaces the rules for users of this machine.
    package func set(_ unix: UnixAccess?) {
        state.withLock { $0.unix = unix }
        changed()
    }

    /// Registers a function that is called after each change, on the thread of the change. It must not block.
    package func watch(_ watcher: AnyObject, _ changed: @escaping @Sendable () -> Void) {
        watchers.withLock { $0[ObjectIdentifier(watcher)] = changed }
    }

    /// Removes a function.
    package func unwatch(_ watcher: AnyObject) {
        _ = watchers.withLock { $0.removeValue(forKey: ObjectIdentifier(watcher)) }
    }

    private func changed() {
        counter.add(1, ordering: .acquiringAndReleasing)
        tell.yield()
        for changed in watchers.withLock({ Array($0.values) }) { changed() }
    }
}

// MARK: Ends and failures

extension AccessBook {
    /// True if a token will end by itself.
    package var hasEnds: Bool {
        let now = now()
        return state.withLock { state in
            // An end since the last look counts too: nobody has told of it yet.
            state.content.tokens.contains { $0.ends.contains { min(now, state.looked) < $0 } }
        }
    }

    /// Counts a token that has ended since the last call as a change, so that what it has open ends.
    package func endExpired() {
        let now = now()
        let hasEnded = state.withLock { state in
            defer { state.looked = now }
            return state.content.tokens.contains { $0.ends.contains { state.looked < $0 && $0 <= now } }
        }
        if hasEnded { changed() }
    }

    /// Counts a request without valid credentials.
    ///
    /// - Parameter origin: The place from which the request came.
    package func failed(from origin: String) {
        let isFirst = failures.withLock { failures in
            failures.last = origin
            failures.count += 1
            return failures.count == 1
        }
        if isFirst { tell.yield() }
    }

    /// True if requests have failed that nobody has told of.
    package var hasFailures: Bool { failures.withLock { $0.count > 0 } }

    /// Returns the requests without valid credentials since the last call; `nil` if there were none.
    package func takeFailures() -> (count: Int, last: String)? {
        failures.withLock { failures in
            defer { failures = (0, "") }
            return failures.count > 0 ? failures : nil
        }
    }
}

// MARK: Changes of tokens

extension AccessBook {
    /// A change that was made.
    package typealias Done = (record: TokenRecord, token: AccessToken)

    /// Creates a token; it is on disk on return.
    ///
    /// - Parameters:
    ///   - expires: The end of the token; `nil` for no end.
    ///   - actor: The caller who creates the token.
    ///   - isAdmitted: Returns false if the caller may not do it any more.
    package func create(
        _ request: CreateTokenRequest, until expires: WireTime?, by actor: Actor?, if isAdmitted: () -> Bool = { true }
    ) throws(AccessError) -> Done {
        try change(by: actor, if: isAdmitted) { content, now throws(AccessError) in
            // An expired token gives its name back.
            if let other = content.tokens.first(where: { $0.name == request.name }), !other.hasExpired(at: now) {
                throw AccessError(
                    .nameTaken, "Token '\(request.name)' exists; 'wfctl token rotate' gives it a new secret")
            }
            content.tokens.removeAll { $0.hasExpired(at: now) }
            guard content.tokens.count < APILimits.tokens else {
                throw AccessError(.tooMany, "There are \(APILimits.tokens) tokens already; revoke some")
            }
            let token = Self.unused(in: content)
            let record = TokenRecord(request, token, until: expires, at: now, by: actor?.rawValue)
            content.tokens.append(record)
            return (record, token, record.creation)
        }
    }

    /// Gives a token a new secret; it is on disk on return.
    ///
    /// - Parameters:
    ///   - overlap: The time until which the secret before is accepted; `nil` ends it at once.
    ///   - actor: The caller who rotates the token.
    ///   - isAdmitted: Returns false if the caller may not do it any more.
    package func rotate(
        _ name: String, overlap: WireTime?, by actor: Actor?, if isAdmitted: () -> Bool = { true }
    ) throws(AccessError) -> Done {
        try change(by: actor, if: isAdmitted) { content, now throws(AccessError) in
            let place = try Self.place(of: name, in: content)
            guard !content.tokens[place].hasExpired(at: now) else {
                throw AccessError(.noSuchToken, "Token '\(name)' has expired; 'wfctl token create' makes another")
            }
            let token = AccessToken(id: content.tokens[place].id)
            content.tokens[place].former = overlap.map { _ in content.tokens[place].secret }
            content.tokens[place].overlap = overlap
            content.tokens[place].secret = token.digest
            let end = overlap.map { ", the secret before until \($0.text)" } ?? ""
            return (content.tokens[place], token, "rotated\(end)")
        }
    }

    /// Removes a token; it is gone from the disk on return, and from that time on nobody is known by it.
    ///
    /// If the file cannot be written, the token is revoked all the same, until wfd starts again, and the error says so.
    ///
    /// - Parameters:
    ///   - actor: The caller who revokes the token.
    ///   - isAdmitted: Returns false if the caller may not do it any more.
    package func revoke(
        _ name: String, by actor: Actor?, if isAdmitted: () -> Bool = { true }
    ) throws(AccessError) -> TokenRecord {
        let done = try change(by: actor, takesBack: true, if: isAdmitted) { content, _ throws(AccessError) in
            let place = try Self.place(of: name, in: content)
            let record = content.tokens.remove(at: place)
            return (record, AccessToken(id: record.id), "revoked")
        }
        return done.record
    }

    private static func place(of name: String, in content: AccessContent) throws(AccessError) -> Int {
        guard let place = content.tokens.firstIndex(where: { $0.name == name }) else { throw .noSuchToken(name) }
        return place
    }

    private static func unused(in content: AccessContent) -> AccessToken {
        var token = AccessToken()
        while content.tokens.contains(where: { $0.id == token.id }) { token = AccessToken() }
        return token
    }

    /// Changes the tokens: first on disk, then for callers.
    ///
    /// - Parameter takesBack: True if the change is in effect even if the disk does not take it.
    private func change(
        by actor: Actor?, takesBack: Bool = false, if isAdmitted: () -> Bool,
        _ body: (inout AccessContent, WireTime) throws(AccessError) -> (TokenRecord, AccessToken, detail: String)
    ) throws(AccessError) -> Done {
        let (done, error) = try changing.withLock { _ throws(AccessError) -> (Done, AccessError?) in
            // A request may have waited for its body, or for this lock, while its own token ended.
            guard let storage = storage.withLock({ $0 }) else {
                throw AccessError(.notWritten, "No file has the tokens")
            }
            guard isAdmitted() else { throw AccessError(.notAdmitted, "The caller's token has ended") }
            var content = state.withLock { $0.content }
            guard takesBack || content.unrecorded.count < Self.longestUnrecorded else {
                throw AccessError(.notWritten, "The last \(content.unrecorded.count) changes are not in the audit yet")
            }
            let (record, token, detail) = try body(&content, now())
            // It grows also if the file was removed: the audit knows a change by its number.
            content.number = max(content.number + 1, now().milliseconds)
            guard AccessChange.numbers.contains(content.number) else {
                throw AccessError(.tooMany, "The number of the last change in the file of tokens is too large")
            }
            content.unrecorded.append(
                AccessChange(
                    number: content.number, token: record.name, detail: "\(detail) (\(record.id))",
                    actor: actor?.rawValue))
            let changed = content
            let install = {
                self.state.withLock { state in
                    state.content = changed
                    state.isMissing = false
                    state.index()
                }
            }
            do throws(AccessError) {
                try storage.write(content.bytes, replaced: install)
                return ((record, token), nil)
            } catch {
                guard takesBack else { throw error }
                install()
                return ((record, token), error)
            }
        }
        changed()
        if let error {
            throw AccessError(
                error.code, "Token '\(done.record.name)' is revoked until wfd starts again: \(error.description)")
        }
        return done
    }

    /// The most changes that wait for the audit; then only revoking goes on.
    private static let longestUnrecorded = 100
}

extension TokenRecord {
    /// The times at which the token, or its former secret, ends.
    fileprivate var ends: [WireTime] { [expires, overlap].compactMap(\.self) }

    /// Returns true if the token has ended.
    func hasExpired(at now: WireTime) -> Bool { expires.map { $0 <= now } ?? false }

    /// The creation in words, for the audit.
    fileprivate var creation: String {
        var words = roles.map(\.rawValue)
        if let queues { words.append("queues \(queues.joined(separator: " "))") }
        if speaksFor { words.append("speaks for others") }
        if let expires {
            let isWithinADay = expires.milliseconds - created.milliseconds < 86_400_000
            words.append("until \(isWithinADay ? expires.text[...] : expires.text.prefix(10))")
        }
        return "created: " + words.joined(separator: ", ")
    }
}
