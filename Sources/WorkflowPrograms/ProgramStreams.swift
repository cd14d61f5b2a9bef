#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// This process's ends of a program's streams.
///
/// `@unchecked Sendable`: one thread exchanges, and the results are read after the exchange; the other thread only
/// writes to a pipe.
final class ProgramStreams: @unchecked Sendable {
    private static let chunk = 64 << 10

    private(set) var output: [UInt8] = []
    private(set) var isTooLong = false
    private(set) var lastErrors: [UInt8] = []
    private var input: ArraySlice<UInt8>
    /// The end of the program's input; -1 if an end is closed.
    private var inputEnd: Int32
    private var outputEnd: Int32
    private var errorEnd: Int32
    private let wakeEnds: (read: Int32, write: Int32)

    init(_ pipes: ProgramPipes, input: [UInt8]) {
        self.input = input[...]
        inputEnd = pipes.input.writeEnd
        outputEnd = pipes.output.readEnd
        errorEnd = pipes.errors.readEnd
        wakeEnds = (pipes.wake.readEnd, pipes.wake.writeEnd)
        for end in [inputEnd, outputEnd, errorEnd] { _ = fcntl(end, F_SETFL, fcntl(end, F_GETFL) | O_NONBLOCK) }
    }

    deinit {
        for end in [inputEnd, outputEnd, errorEnd, wakeEnds.read, wakeEnds.write] where end >= 0 { close(end) }
    }

    /// Ends the exchange, even if other processes hold the streams.
    func programHasEnded() {
        var byte: UInt8 = 0
        while write(wakeEnds.write, &byte, 1) < 0, errno == EINTR {}
    }

    /// Writes and reads until the program has ended and its output is read. Blocks its thread.
    func exchange(keeping limit: Int, errors: ([UInt8]) -> Void, onTooLong: () -> Void) {
        var hasEnded = false
        while !hasEnded {
            var polled = [
                pollfd(fd: wakeEnds.read, events: Int16(POLLIN), revents: 0),
                pollfd(fd: inputEnd, events: Int16(POLLOUT), revents: 0),
                pollfd(fd: outputEnd, events: Int16(POLLIN), revents: 0),
                pollfd(fd: errorEnd, events: Int16(POLLIN), revents: 0),
            ]
            if poll(&polled, nfds_t(polled.count), -1) < 0, errno != EINTR { return }
            hasEnded = polled[0].revents != 0  // Proof: there are four, as written above
            if polled[1].revents != 0 { writeInput() }
            let wasTooLong = isTooLong
            read(&outputEnd, isLast: hasEnded) { bytes in
                isTooLong = isTooLong || output.count + bytes.count > limit
                output += bytes.prefix(limit - output.count)
            }
            if isTooLong, !wasTooLong { onTooLong() }
            read(&errorEnd, isLast: hasEnded) { bytes in
                errors(Array(bytes))
                lastErrors = Array((lastErrors + bytes).suffix(ProgramRun.errorBytes))
            }
        }
    }

    private func writeInput() {
        let count = input.withUnsafeBytes { write(inputEnd, $0.baseAddress, $0.count) }
        if count > 0 { input = input.dropFirst(count) }
        // A program that does not want its input closes it; that is not an error.
        if input.isEmpty || (count < 0 && errno != EAGAIN && errno != EINTR) { Self.end(&inputEnd) }
    }

    /// Reads available bytes.
    ///
    /// - Parameter isLast: True if nothing more is awaited; then reads all available bytes, up to a bound.
    private func read(_ end: inout Int32, isLast: Bool, _ take: (ArraySlice<UInt8>) -> Void) {
        var buffer = [UInt8](repeating: 0, count: Self.chunk)
        // A process that the program has left behind may write for ever.
        var rest = 64
        while end >= 0, rest > 0 {
            rest -= 1
            let count = buffer.withUnsafeMutableBytes { Self.read(end, $0.baseAddress, $0.count) }
            if count > 0 {
                take(buffer[..<count])
                if !isLast { return }
            } else if count == 0 {
                Self.end(&end)
            } else if errno != EINTR {
                return
            }
        }
    }

    private static func read(_ end: Int32, _ buffer: UnsafeMutableRawPointer?, _ count: Int) -> Int {
        #if canImport(Glibc)
            Glibc.read(end, buffer, count)
        #elseif canImport(Musl)
            Musl.read(end, buffer, count)
        #else
            Darwin.read(end, buffer, count)
        #endif
    }

    private static func end(_ end: inout Int32) {
        guard end >= 0 else { return }
        #if canImport(Glibc)
            Glibc.close(end)
        #elseif canImport(Musl)
            Musl.close(end)
        #else
            Darwin.close(end)
        #endif
        end = -1
    }
}
