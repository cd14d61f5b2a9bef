import CPQ

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The state of a pipeline whose results are read.
struct PipelineReading {
    /// The sent statements in order, each with the place of its request, or `nil` for a rollback. A statement that is
    /// only prepared has its name.
    var sent: [(place: Int?, prepared: String?)] = []
    /// The answers of the requests so far.
    var answers: [Answer] = []
    /// The first refusal.
    var refusal: PostgresFailure?
}

extension Connection {
    /// Puts a request into the pipeline, after its statement if the session does not have that yet.
    func send(_ request: Request, _ place: Int?, _ reading: inout PipelineReading) throws(PostgresFailure) {
        let statement = request.statement
        if !prepared.contains(statement.name), !reading.sent.contains(where: { $0.prepared == statement.name }) {
            guard PQsendPrepare(handle, statement.name, statement.sql, 0, nil) == 1 else { throw lost() }
            reading.sent.append((place, statement.name))
        }
        let (bytes, places) = (request.parameters.bytes, request.parameters.places)
        // An empty value has an address too, because none means NULL.
        let empty = UnsafeRawPointer(("" as StaticString).utf8Start)
        let isSent = bytes.withUnsafeBytes { bytes in
            let values = places.map { place -> UnsafePointer<CChar>? in
                guard let place else { return nil }
                let start = place.isEmpty ? nil : bytes.baseAddress.map { $0 + place.lowerBound }
                return (start ?? empty).assumingMemoryBound(to: CChar.self)
            }
            let lengths = places.map { CInt(truncatingIfNeeded: $0?.count ?? 0) }
            return PQsendQueryPrepared(
                handle, statement.name, CInt(truncatingIfNeeded: places.count), values, lengths,
                places.map { _ in 1 }, 1)
        }
        guard isSent == 1 else { throw lost() }
        reading.sent.append((place, nil))
    }

    /// Hands everything to the socket, and takes answers meanwhile: a server that cannot send stops reading.
    func flush(_ deadline: Deadline) throws(PostgresFailure) {
        while true {
            switch PQflush(handle) {
            case 0: return
            case 1: break
            default: throw lost()
            }
            guard wait(for: POLLIN | POLLOUT, deadline) else { throw late }
            guard PQconsumeInput(handle) == 1 else { throw lost() }
        }
    }

    /// Reads the results up to the end of the pipeline.
    func read(_ reading: inout PipelineReading, _ deadline: Deadline) throws(PostgresFailure) {
        var (next, gaps) = (0, 0)
        while true {
            while PQisBusy(handle) == 1 {
                guard wait(for: POLLIN, deadline) else { throw late }
                guard PQconsumeInput(handle) == 1 else { throw lost() }
            }
            guard let result = PQgetResult(handle) else {
                // One ends each statement. More of them come from a connection that is closed.
                gaps += 1
                guard gaps <= 2, PQstatus(handle) == CONNECTION_OK else { throw lost() }
                continue
            }
            gaps = 0
            let answer = Answer(result)
            if PQresultStatus(result) == PGRES_PIPELINE_SYNC { break }
            guard next < reading.sent.count else { throw lost() }
            try take(answer, result, reading.sent[next], &reading)
            next += 1
        }
        guard PQstatus(handle) == CONNECTION_OK else { throw lost() }
    }

    private func take(
        _ answer: Answer, _ result: OpaquePointer, _ sent: (place: Int?, prepared: String?),
        _ reading: inout PipelineReading
    ) throws(PostgresFailure) {
        switch PQresultStatus(result) {
        case PGRES_COMMAND_OK, PGRES_TUPLES_OK:
            if let name = sent.prepared {
                prepared.insert(name)
            } else if sent.place != nil {
                reading.answers.append(answer)
            }
        case PGRES_PIPELINE_ABORTED: break
        default:
            let message = field("M", of: result) ?? errorText
            // After an error of another severity, or without one, the session is over.
            guard let state = field("C", of: result), field("V", of: result) == "ERROR" else {
                throw PostgresFailure(.lost, message)
            }
            let table = field("t", of: result).map { ", table '\($0)'" } ?? ""
            reading.refusal =
                reading.refusal
                ?? PostgresFailure(.refused(state: state), Self.primary(message, state) + table, place: sent.place)
        }
    }

    /// Returns a message that has no data. Those of constraints and of values may quote what the row has.
    private static func primary(_ message: String, _ state: String) -> String {
        switch state.prefix(2) {
        case "22" where state == "22012": "a row that changes or ends is not there"
        case "22": "a value has a form that PostgreSQL does not take"
        case "23": "a row breaks a constraint"
        default: message
        }
    }

    /// Returns a field of a refusal by its letter (https://www.postgresql.org/docs/current/protocol-error-fields.html).
    private func field(_ letter: Unicode.Scalar, of result: OpaquePointer) -> String? {
        PQresultErrorField(result, CInt(letter.value)).map { String(cString: $0) }
    }

    private var late: PostgresFailure { PostgresFailure(.lost, "the server did not answer in time") }
}
