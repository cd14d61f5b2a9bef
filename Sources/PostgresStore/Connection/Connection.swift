import CPQ
import WorkflowStore

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A connection to the server. One thread uses it at a time.
///
/// The socket does not block, and every wait has a deadline. After a failure of kind `lost` the connection is of no use
/// any more.
final class Connection {
    /// The longest wait for answers, where the caller names no other.
    static let patience: Duration = .seconds(10)
    let handle: OpaquePointer
    /// The names of the statements that the session has prepared.
    var prepared: Set<String> = []
    private let warnings = WarningCount()
    private var isLost = false

    /// Connects to the first host of an address that answers, and prepares the session.
    ///
    /// libpq looks up names without a deadline.
    ///
    /// - Parameter name: The name of the session in the server's view of activity.
    init(
        _ address: PostgresAddress, within time: Duration = patience, name: String = "wfd"
    ) throws(PostgresFailure) {
        let deadline = Deadline(after: time)
        guard let handle = Self.start(address, name) else {
            throw PostgresFailure(.lost, "cannot connect to '\(address)': no memory is left")
        }
        self.handle = handle
        PQsetNoticeReceiver(handle, countWarning, Unmanaged.passUnretained(warnings).toOpaque())
        try connect(address, deadline)
        guard PQsetnonblocking(handle, 1) == 0, PQenterPipelineMode(handle) == 1 else { throw lost() }
        let settings = [
            // Every statement finds its rows by an index, whatever is known of the tables when it is planned.
            ("plan_cache_mode", "force_generic_plan"), ("enable_seqscan", "off"), ("enable_hashjoin", "off"),
            ("enable_mergejoin", "off"),
            // The costs of what is switched off would let the server compile every such statement.
            ("jit", "off"), ("idle_in_transaction_session_timeout", "60s"),
            ("timezone", "UTC"),
            // The server ends the session of a machine that died, so that another daemon may begin.
            ("tcp_keepalives_idle", "5"), ("tcp_keepalives_interval", "2"), ("tcp_keepalives_count", "3"),
        ]
        let requests = settings.map { name, value in
            Request(Self.set) {
                $0.add(name)
                $0.add(value)
            }
        }
        _ = try run(requests, within: deadline.left)
    }

    /// Returns the name of the sessions by which a daemon writes.
    static func writerName(of owner: UniqueID) -> String { "wfd-writer \(owner.text)" }

    deinit {
        PQfinish(handle)
    }

    /// The number of warnings so far. A warning at COMMIT may mean that no standby has the commit.
    var warningCount: Int { warnings.count }

    /// Runs requests as one pipeline, and returns their answers. A transaction that an earlier failure left open is
    /// rolled back first.
    ///
    /// - Parameter isContinuing: True to go on in an open transaction.
    /// - Throws: The first refusal; later requests are then not carried out. `lost` once the connection is of no use.
    func run(
        _ requests: [Request], within time: Duration = patience, continuing isContinuing: Bool = false
    ) throws(PostgresFailure) -> [Answer] {
        guard !isLost else { throw PostgresFailure(.lost, "the connection was lost before") }
        let deadline = Deadline(after: time)
        var reading = PipelineReading()
        do throws(PostgresFailure) {
            let state = PQtransactionStatus(handle)
            if state != PQTRANS_IDLE, !isContinuing || state != PQTRANS_INTRANS {
                try send(Request(.rollback), nil, &reading)
            }
            for (place, request) in requests.enumerated() { try send(request, place, &reading) }
            guard PQpipelineSync(handle) == 1 else { throw lost() }
            try flush(deadline)
            try read(&reading, deadline)
        } catch {
            isLost = true
            // A refusal before the loss decides what was carried out.
            throw reading.refusal ?? error
        }
        if let refusal = reading.refusal { throw refusal }
        return reading.answers
    }

    private func connect(_ address: PostgresAddress, _ deadline: Deadline) throws(PostgresFailure) {
        func failure(_ why: String) -> PostgresFailure {
            var failure = PostgresFailure(.lost, "cannot connect to '\(address)': \(why)")
            failure.isDenied = isDenied
            return failure
        }
        // A refusal then has its SQLSTATE in the text.
        let (usual, verbose): (CInt, CInt) = (1, 2)
        PQsetErrorVerbosity(handle, verbose)
        defer { PQsetErrorVerbosity(handle, usual) }
        var state = PGRES_POLLING_WRITING
        while state != PGRES_POLLING_OK {
            guard PQstatus(handle) != CONNECTION_BAD, state != PGRES_POLLING_FAILED else { throw failure(errorText) }
            let events = state == PGRES_POLLING_READING ? POLLIN : POLLOUT
            guard wait(for: events, deadline) else { throw failure("the server did not answer in time") }
            state = PQconnectPoll(handle)
        }
    }

    /// True if every host that was tried refused the user or the database: the classes 28 and 3D of SQLSTATE.
    private var isDenied: Bool {
        let text = PQerrorMessage(handle).map { String(cString: $0) } ?? ""
        let hosts = text.split(whereSeparator: \.isNewline).filter { $0.hasPrefix("connection to server") }
        return !hosts.isEmpty && hosts.allSatisfy { $0.contains(":  28") || $0.contains(":  3D") }
    }

    private static func start(_ address: PostgresAddress, _ name: String) -> OpaquePointer? {
        let options = [
            ("dbname", address.url), ("application_name", name), ("client_encoding", "UTF8"),
        ]
        let texts = (options.map(\.0) + options.map(\.1)).map { strdup($0) }
        defer { for text in texts { free(text) } }
        let pointers = texts.map { UnsafePointer($0) }
        let keywords = Array(pointers[..<options.count]) + [nil]
        let values = Array(pointers[options.count...]) + [nil]
        return PQconnectStartParams(keywords, values, 1)
    }

    private static let set = Statement(name: "set", sql: "SELECT set_config($1::text, $2::text, false)")
}

// MARK: Waiting

extension Connection {
    /// Waits for events of the socket; returns false if the deadline came first.
    func wait(for events: CInt, _ deadline: Deadline) -> Bool {
        while true {
            let left = deadline.milliseconds
            if left == 0 { return false }
            var descriptor = pollfd(fd: PQsocket(handle), events: Int16(truncatingIfNeeded: events), revents: 0)
            // At most an hour, so that the number fits.
            let ready = poll(&descriptor, 1, CInt(truncatingIfNeeded: min(left, 3_600_000)))
            if ready > 0 { return true }
            // The socket may be closed by now: libpq says so at its next call.
            if ready < 0, errno != EINTR { return true }
        }
    }

    /// The failure of a broken connection.
    func lost() -> PostgresFailure { PostgresFailure(.lost, errorText) }

    /// The last error of the connection on one line.
    var errorText: String {
        let text = PQerrorMessage(handle).map { String(cString: $0) } ?? ""
        let lines = text.split(whereSeparator: \.isNewline)
        return lines.first.map(String.init) ?? "the connection is broken"
    }
}

/// Counts a notice if it is a warning; the context is a `WarningCount`.
private func countWarning(_ context: UnsafeMutableRawPointer?, _ notice: OpaquePointer?) {
    guard let context, let notice, let severity = PQresultErrorField(notice, severityField) else { return }
    if String(cString: severity) == "WARNING" {
        Unmanaged<WarningCount>.fromOpaque(context).takeUnretainedValue().count += 1
    }
}

/// The warnings that the server has sent on a connection.
private final class WarningCount {
    var count = 0
}

/// `PG_DIAG_SEVERITY_NONLOCALIZED`, a macro that Swift does not import.
let severityField = CInt(UInt8(ascii: "V"))
