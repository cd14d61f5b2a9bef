import Foundation
import Logging
import WorkflowTerminal
import WorkflowThreads

/// Tells the service manager about the daemon's state, by the protocol of sd_notify(3). Without a service manager
/// nothing is told.
struct ServiceManager: Sendable {
    /// The seconds after which a start is late, unless the daemon has said again that it goes on.
    private static let patience = 60
    /// The seconds after which the daemon says so again.
    private static let pause = 15.0

    /// The address of the service manager's socket; `nil` if there is none.
    private let socket: String?
    /// The time within which the service manager wants to be fed; `nil` if it does not watch.
    let watch: Duration?
    private let logger: Logger

    init(environment: [String: String], process: Int32 = getpid(), logger: Logger) {
        let name = environment["NOTIFY_SOCKET"] ?? ""
        // Other kinds, such as vsock, are for virtual machines.
        socket = name.hasPrefix("/") || name.hasPrefix("@") ? name : nil
        // A child of the watched process inherits the variables.
        let isMeant = environment["WATCHDOG_PID"].map { $0 == "\(process)" } ?? true
        let microseconds = environment["WATCHDOG_USEC"].flatMap(Int64.init) ?? 0
        watch = isMeant && socket != nil && microseconds > 0 ? .microseconds(microseconds) : nil
        self.logger = logger
    }

    /// True if there is a service manager that wants to be told.
    var isThere: Bool { socket != nil }

    /// Tells that everything is served.
    func isReady(_ status: String) { send("READY=1\nSTATUS=\(Printable.text(status))") }

    /// Tells that the writer is alive.
    func feed() { send("WATCHDOG=1") }

    /// Tells that the daemon stops.
    func isStopping() { send("STOPPING=1\nSTATUS=stopping") }

    /// Tells in a line what the daemon does; the line may quote a path with any character.
    func show(_ status: String) { send("STATUS=\(Printable.text(status))") }

    /// Tells that settings are reloaded while a body runs.
    func reloading(_ body: () -> Void) {
        // The clock of this time is CLOCK_MONOTONIC.
        send("RELOADING=1\nMONOTONIC_USEC=\(DispatchTime.now().uptimeNanoseconds / 1_000)")
        body()
        send("READY=1")
    }

    /// Asks for more time again and again while a body runs, which may have a large file to recover or to upgrade.
    func extending<Value>(_ body: () async throws -> Value) async rethrows -> Value {
        guard socket != nil else { return try await body() }
        let end = DispatchSemaphore(value: 0)
        extend()
        // On one core, opening a large file keeps the only thread of Swift's pool.
        startThread("wfd-start", turns: .later) {
            while end.wait(timeout: .now() + Self.pause) == .timedOut { extend() }
        }
        defer { end.signal() }
        return try await body()
    }

    private func extend() { send("EXTEND_TIMEOUT_USEC=\(Self.patience * 1_000_000)") }

    private func send(_ text: String) {
        guard let socket else { return }
        let code = NotifySocket.send(text, to: socket)
        guard code != 0 else { return }
        logger.warning(
            "the service manager cannot be told", metadata: ["error": "\(String(cString: strerror(code)))"])
    }
}

/// The service manager's datagram socket.
private enum NotifySocket {
    /// The longest wait for a service manager that reads nothing.
    private static let seconds = 2

    /// Sends a message to an address: a path, or a name in the abstract namespace after `@` (unix(7)). Returns the
    /// error, or 0.
    static func send(_ text: String, to name: String) -> Int32 {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        var path = Array(name.utf8)
        if path.first == UInt8(ascii: "@") { path[0] = 0 }
        let room = MemoryLayout.size(ofValue: address.sun_path)
        guard path.count < room else { return ENAMETOOLONG }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path) }
        // An abstract name has exactly these bytes; a path ends with a zero.
        let length = MemoryLayout<sockaddr_un>.size - room + path.count + (path.first == 0 ? 0 : 1)

        let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return errno }
        defer { close(descriptor) }
        var time = timeval(tv_sec: seconds, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &time, socklen_t(MemoryLayout<timeval>.size))
        let bytes = Array(text.utf8)
        let sent = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                sendto(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL), $0, socklen_t(length))
            }
        }
        return sent == bytes.count ? 0 : errno
    }
}
