import Foundation
import ThreadTesting

/// A terminal without a user.
package enum PseudoTerminal {
    /// `TIOCSPTLCK` and `TIOCGPTN` of Linux, which Swift's module of the C library leaves out.
    private static let unlock: UInt = 0x4004_5431
    private static let numberOf: UInt = 0x8004_5430

    /// Runs a program whose output and errors are a terminal. Returns the text that it shows.
    package static func run(
        _ executable: String, _ arguments: [String], environment: [String: String], columns: UInt16
    ) async throws -> (end: ProgramEnd, shown: String) {
        let master = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
        var number: CInt = 0
        var isLocked: CInt = 0
        guard master >= 0, ioctl(master, unlock, &isLocked) == 0, ioctl(master, numberOf, &number) == 0 else {
            throw TestingError("cannot make a terminal: \(String(cString: strerror(errno)))")
        }
        defer { close(master) }
        var size = winsize(ws_row: 24, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
        guard ioctl(master, UInt(TIOCSWINSZ), &size) == 0 else { throw TestingError("cannot set the width") }
        let path = "/dev/pts/\(number)"
        // Held open, so that reading ends when this end is closed, not between two programs.
        let slave = open(path, O_RDWR | O_NOCTTY | O_CLOEXEC)
        async let shown = onOwnThread { read(master) }
        let program = try RunningProgram(
            "/bin/sh", ["-c", "exec \"$0\" \"$@\" >\(path) 2>&1", executable] + arguments, environment: environment)
        let result = try? await program.result()
        close(slave)
        let text = try await shown
        guard let end = result?.end else { throw TestingError("the program did not end: \(text)") }
        return (end, text)
    }

    /// Reads until no program has the other end open.
    private static func read(_ master: Int32) -> String {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4_096)
        while true {
            let count = Foundation.read(master, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return String(decoding: bytes, as: UTF8.self) }
            bytes += buffer[..<count]
        }
    }
}
