import WorkflowAPI
import WorkflowClient

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

extension CommandEnvironment {
    /// Returns an environment with the process's own streams and files.
    package static func ofProcess(variables: [String: String]) -> CommandEnvironment {
        // A write to a closed pipe then returns an error, which has an exit code of its own.
        signal(SIGPIPE, SIG_IGN)
        return CommandEnvironment(
            variables: variables,
            output: FileSink(descriptor: STDOUT_FILENO),
            errors: FileSink(descriptor: STDERR_FILENO),
            files: SystemFiles(),
            connect: { try WorkflowClient(address: $0, access: $1) },
            askSecret: { prompt in
                guard isatty(STDIN_FILENO) == 1, let text = getpass(prompt) else { return nil }
                return String(cString: text)
            },
            makeKey: {
                var time = timespec()
                clock_gettime(CLOCK_REALTIME, &time)
                let milliseconds = Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000
                var random = SystemRandomNumberGenerator()
                return IdempotencyKey.make(milliseconds: milliseconds, random: &random)
            }, interruptions: Interruptions.ofProcess)
    }
}

/// Writes to a file descriptor, unbuffered, so that the rows of `tail` appear as they arrive.
private struct FileSink: TextSink {
    let descriptor: CInt

    var isTerminal: Bool { isatty(descriptor) == 1 }

    var columns: Int? {
        var size = winsize()
        guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
        return Int(size.ws_col)
    }

    func write(_ text: String) throws { try write(Array(text.utf8)) }

    func write(_ bytes: [UInt8]) throws {
        guard let code = Descriptor.write(bytes, to: descriptor) else { return }
        if code == EPIPE { throw OutputClosed() }
        throw CommandFailure(
            .other, "Cannot write to the output: \(String(cString: strerror(code))); the command was carried out")
    }
}

/// The files of the operating system.
private struct SystemFiles: FileAccess {
    private static let chunk = 64 << 10

    func read(_ path: String, limit: Int) throws -> [UInt8] {
        if path == "-" { return try content(of: STDIN_FILENO, named: "standard input", limit: limit) }
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw unreadable(path) }
        defer { close(descriptor) }
        return try content(of: descriptor, named: path, limit: limit)
    }

    func readPrivate(_ path: String, limit: Int) throws -> [UInt8] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw unreadable(path) }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw unreadable(path) }
        // As ssh does for keys. The group of another user's file is how systemd and Kubernetes pass a secret.
        guard status.st_mode & (status.st_uid == geteuid() ? 0o077 : 0o007) == 0 else {
            throw CommandFailure(
                .notPermitted,
                "Cannot use '\(path)': others than its owner may use it, and it has a token; 'chmod 600' it")
        }
        return try content(of: descriptor, named: path, limit: limit)
    }

    func lines(_ path: String) throws -> any LineSource { try FileLines(path) }

    func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

    func createFolder(_ path: String) throws {
        if let slash = path.lastIndex(of: "/"), slash > path.startIndex, !exists(path) {
            try createFolder(String(path[..<slash]))
        }
        guard mkdir(path, 0o700) == 0 || errno == EEXIST else {
            throw CommandFailure(.cannotCreate, "Cannot create '\(path)': \(String(cString: strerror(errno)))")
        }
    }

    func create(_ path: String, isPrivate: Bool) throws -> any NewFile {
        try SystemNewFile(path, isPrivate: isPrivate)
    }

    private func content(of descriptor: CInt, named name: String, limit: Int) throws -> [UInt8] {
        var content: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: Self.chunk)
        while true {
            let count = buffer.withUnsafeMutableBytes { bytes in
                #if canImport(Glibc)
                    Glibc.read(descriptor, bytes.baseAddress, bytes.count)
                #elseif canImport(Musl)
                    Musl.read(descriptor, bytes.baseAddress, bytes.count)
                #else
                    Darwin.read(descriptor, bytes.baseAddress, bytes.count)
                #endif
            }
            if count == 0 { return content }
            if count < 0 {
                if errno == EINTR { continue }
                throw unreadable(name)
            }
            content += buffer[..<count]
            guard content.count <= limit else {
                throw CommandFailure(.badData, "Cannot use '\(name)': it is longer than \(limit) bytes")
            }
        }
    }

    private func unreadable(_ name: String) -> CommandFailure {
        CommandFailure(.fileUnreadable, "Cannot read '\(name)': \(String(cString: strerror(errno)))")
    }
}
