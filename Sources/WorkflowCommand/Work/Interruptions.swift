import Dispatch

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The signals that ask this process to end.
enum Interruptions {
    /// Returns a stream with one element per signal from now on. The signals do not end the process while the stream is
    /// retained.
    static func ofProcess() -> AsyncStream<Void> {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
        let sources = [SIGINT, SIGTERM].map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler { continuation.yield() }
            source.resume()
            return source
        }
        let held = Sources(sources)
        continuation.onTermination = { _ in
            for source in held.sources { source.cancel() }
            for number in [SIGINT, SIGTERM] { signal(number, SIG_DFL) }
        }
        return stream
    }

    /// `@unchecked Sendable`: sources of Dispatch may be cancelled on any thread.
    private final class Sources: @unchecked Sendable {
        let sources: [any DispatchSourceSignal]

        init(_ sources: [any DispatchSourceSignal]) { self.sources = sources }
    }
}
