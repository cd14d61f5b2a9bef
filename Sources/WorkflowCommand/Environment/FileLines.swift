import WorkflowAPI

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The lines of a file of the operating system, read on demand.
final class FileLines: LineSource {
    private static let chunk = 64 << 10

    let size: Int64?
    private(set) var position: Int64 = 0
    private let name: String
    private let descriptor: CInt
    private var unread: [UInt8] = []
    /// The start of the next line in the unread bytes.
    private var start = 0
    /// The place before which there is no line end.
    private var searched = 0
    private var isAtEnd = false
    /// The number of returned lines.
    private var number = 0

    init(_ path: String) throws {
        let isInput = path == "-"
        name = isInput ? "standard input" : path
        descriptor = isInput ? dup(STDIN_FILENO) : open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw Self.unreadable(name) }
        var status = stat()
        let isFile = fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
        size = isFile ? Int64(status.st_size) : nil
    }

    deinit {
        close(descriptor)
    }

    func isNextThere(limit: Int) throws -> Bool {
        while try findEnd(limit: limit) == nil, !isAtEnd {
            guard isReadable else { return false }
            try fill()
        }
        return true
    }

    func next(limit: Int) throws -> [UInt8]? {
        while true {
            if let end = try findEnd(limit: limit) { return take(upTo: end, skipping: 1) }
            if isAtEnd { return start == unread.count ? nil : take(upTo: unread.count, skipping: 0) }
            try fill()
        }
    }

    /// Returns the end of the line that begins at `start`, or `nil` if the end has not been read.
    private func findEnd(limit: Int) throws -> Int? {
        let end = unread[searched...].firstIndex(of: UInt8(ascii: "\n"))
        searched = end ?? unread.count
        guard searched - start <= limit else {
            throw CommandFailure(.badData, "Cannot use '\(name)': line \(number + 1) is longer than \(limit) bytes")
        }
        return end
    }

    /// True if a read returns at once, with data, the end or an error.
    private var isReadable: Bool {
        var file = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&file, 1, 0) != 0
    }

    private func take(upTo end: Int, skipping separator: Int) -> [UInt8] {
        var line = Array(unread[start..<end])
        position += Int64(end + separator - start)
        start = end + separator
        searched = start
        number += 1
        if line.last == UInt8(ascii: "\r") { line.removeLast() }
        return line
    }

    private func fill() throws {
        unread.removeFirst(start)
        searched -= start
        start = 0
        var buffer = [UInt8](repeating: 0, count: Self.chunk)
        while true {
            let count = read(descriptor, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw Self.unreadable(name) }
            isAtEnd = count == 0
            unread += buffer[..<count]
            return
        }
    }

    private static func unreadable(_ name: String) -> CommandFailure {
        CommandFailure(.fileUnreadable, "Cannot read '\(name)': \(String(cString: strerror(errno)))")
    }
}
