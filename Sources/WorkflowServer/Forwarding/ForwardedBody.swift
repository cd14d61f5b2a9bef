import Hummingbird
import NIOCore
import Synchronization

/// The body of a request that is forwarded. It keeps the parts that it has read while they are small, so that the
/// request can be sent again.
final class ForwardedBody: Sendable {
    fileprivate struct State {
        /// The parts so far; empty once they are too large to be kept.
        var parts: [ByteBuffer] = []
        var bytes = 0
        var isKept = true
        /// The number of parts that were read.
        var count = 0
        /// The read that is under way. The source allows one at a time.
        var reading: Task<ByteBuffer?, any Error>?
        /// The end: success with the last part, or the error in place of further parts.
        var end: Result<Void, any Error>?
    }

    /// The error that a body is sent again of which the beginning was not kept.
    private struct NotKept: Error {}

    /// The length; `nil` if it is unknown.
    let length: Int?
    private let state: Mutex<State>
    // Proof: only the task `reading` uses it, and the lock admits one such task at a time.
    nonisolated(unsafe) private var source: RequestBody.AsyncIterator?

    /// Creates a body that has arrived.
    init(whole body: ByteBuffer) {
        length = body.readableBytes
        let parts = body.readableBytes > 0 ? [body] : []
        state = Mutex(State(parts: parts, bytes: body.readableBytes, count: parts.count, end: .success(())))
    }

    /// Creates a body that arrives while it is forwarded.
    init(arriving body: RequestBody) {
        length = nil
        source = body.makeAsyncIterator()
        state = Mutex(State())
    }

    /// True if the body can be sent once more.
    var isKept: Bool { state.withLock { $0.isKept } }

    /// The error of a body that its caller has not sent to its end; `nil` without one.
    var failure: (any Error)? {
        guard case .failure(let error)? = state.withLock({ $0.end }) else { return nil }
        return error
    }

    /// Ends the reading of the body. Must be called before the next request is read from the same connection.
    func end() async {
        let reading = state.withLock { state in
            if state.end == nil { state.end = .failure(CancellationError()) }
            return state.reading
        }
        reading?.cancel()
        _ = await reading?.result
    }

    /// Returns the part with a number, counted from 0; `nil` after the last part. A part that was read before is there
    /// only while the body is kept.
    fileprivate func part(_ number: Int) async throws -> ByteBuffer? {
        let found = try state.withLock { state throws -> Task<ByteBuffer?, any Error>? in
            if number < state.count || state.end != nil { return nil }
            if let reading = state.reading { return reading }
            // Awaited by each reader, and by `end()`, which cancels it.
            let reading = Task { try await read() }
            state.reading = reading
            return reading
        }
        if let found { return try await found.value }
        return try state.withLock { state throws in
            if state.parts.indices.contains(number) { return state.parts[number] }
            if number < state.count { throw NotKept() }
            try state.end?.get()
            return nil
        }
    }

    private func read() async throws -> ByteBuffer? {
        do {
            let part = try await source?.next()
            state.withLock { state in
                state.reading = nil
                if let part { state.keep(part) } else if state.end == nil { state.end = .success(()) }
            }
            return part
        } catch {
            state.withLock { state in
                state.reading = nil
                state.end = .failure(error)
            }
            throw error
        }
    }
}

extension ForwardedBody.State {
    fileprivate mutating func keep(_ part: ByteBuffer) {
        count += 1
        bytes += part.readableBytes
        isKept = isKept && bytes <= ForwardLimits.keptBytes
        if isKept { parts.append(part) } else { parts = [] }
    }
}

extension ForwardedBody {
    /// The body from its beginning, for one attempt to send it.
    struct Attempt: AsyncSequence, Sendable {
        typealias Element = ByteBuffer

        private let body: ForwardedBody
        private let begun: Flag

        private final class Flag: Sendable {
            let isSet = Atomic(false)
        }

        init(_ body: ForwardedBody) {
            self.body = body
            begun = Flag()
        }

        /// True if a part was asked for. Before that, at most the head was sent, and no daemon carries out a head.
        var hasBegun: Bool { begun.isSet.load(ordering: .acquiring) }

        func makeAsyncIterator() -> Iterator {
            begun.isSet.store(true, ordering: .releasing)
            return Iterator(body: body)
        }

        struct Iterator: AsyncIteratorProtocol {
            fileprivate let body: ForwardedBody
            private var number = 0

            fileprivate init(body: ForwardedBody) {
                self.body = body
            }

            mutating func next() async throws -> ByteBuffer? {
                defer { number += 1 }
                return try await body.part(number)
            }
        }
    }
}
