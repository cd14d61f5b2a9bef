import Crypto
import WorkflowAPI
import WorkflowClient
import WorkflowJSON

/// Sends the lines of a file, events and starts, in groups, and reports their outcomes.
struct BatchSending {
    /// The largest number of lines in one request.
    private static let linesAtOnce = 250
    /// The approximate largest number of bytes in one request.
    private static let bytesAtOnce = 512 << 10

    private let session: Session
    /// The name from which keys are made for lines without one: the same line of the same run has the same key.
    private let run: String?
    private let isAtomic: Bool
    private var counts: Counts
    private var progress: Progress
    private var failure: CommandExit?
    /// The number of occurrences so far of each line without a key, by the line's digest.
    private var occurrences: [UInt64: Int32] = [:]

    /// The counts of the lines' outcomes.
    struct Counts: JSONWritable {
        /// The kind that the verb is for, reported if no line can be read.
        let usual: Kind
        /// The kinds that occurred.
        var kinds: Set<Kind> = []
        var lines: Int64 = 0
        var applied: Int64 = 0
        var repeated: Int64 = 0
        var refused: Int64 = 0
        /// The number of applied lines, including those applied before, whose instance has failed.
        var failed: Int64 = 0

        func write(to writer: inout JSONWriter) {
            writer.object { writer in
                writer.field("lines", lines)
                writer.field("applied", applied)
                writer.field("repeated", repeated)
                writer.field("refused", refused)
                writer.field("failed", failed)
            }
        }

        var text: String {
            let kind = kinds.count > 1 ? "line" : (kinds.first ?? usual).rawValue
            let noun = lines == 1 ? kind : kind + "s"
            let failures = failed == 0 ? "" : "; \(failed) left their instance failed"
            return "\(lines) \(noun): \(applied) applied, \(repeated) applied before, \(refused) refused\(failures)"
        }
    }

    /// The kinds of lines.
    enum Kind: String {
        case event, start
    }

    /// - Parameter usual: The kind to report if no line of the file can be read.
    init(_ session: Session, of usual: Kind, run: String?, isAtomic: Bool) {
        self.session = session
        counts = Counts(usual: usual)
        self.run = run
        self.isAtomic = isAtomic
        progress = Progress(session, unit: .bytes)
    }

    /// Sends all lines of a file; throws if one was refused.
    mutating func send(_ path: String, with client: WorkflowClient) async throws {
        let source = try session.environment.files.lines(path)
        var group = Group()
        var number: Int64 = 0
        do {
            while true {
                // The writer of a pipe may wait for the outcome of the lines that are there.
                if !isAtomic, try group.isFull || !group.isEmpty && !isNextThere(in: source) {
                    try await send(group, with: client)
                    group = Group()
                    try progress.show("sending", done: source.position, total: source.size ?? 0)
                }
                guard let line = try next(of: source) else { break }
                number += 1
                if line.allSatisfy({ $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }) { continue }
                if let read = try readable(line, number, &group) {
                    counts.kinds.insert(Kind(of: read))
                    try group.add(try withKey(read, number), number: number)
                }
            }
            if !group.isEmpty { try await send(group, with: client) }
            try progress.end()
        } catch {
            try progress.end()
            throw error
        }
        try finish()
    }

    private func isNextThere(in source: any LineSource) throws -> Bool {
        try reading { try source.isNextThere(limit: APILimits.bodyBytes) }
    }

    private func next(of source: any LineSource) throws -> [UInt8]? {
        try reading { try source.next(limit: APILimits.bodyBytes) }
    }

    private func reading<Found>(_ read: () throws -> Found) throws -> Found {
        do {
            return try read()
        } catch let failure as CommandFailure {
            throw CommandFailure(failure.exitStatus, failure.message, notes: failure.notes + sent)
        }
    }

    private func finish() throws {
        if session.format == .table {
            try session.print("\(counts.text)\n")
        } else {
            try session.say(counts.text)
        }
        if let failure { throw CommandFailure(failure, nil) }
    }

    /// Parses a line; `nil` for a line that is neither an event nor a start. Such a line is refused together with the
    /// answers around it.
    private func readable(_ bytes: [UInt8], _ number: Int64, _ group: inout Group) throws -> BatchLine? {
        do throws(WireError) {
            return try BatchLine(line: bytes)
        } catch {
            let problem = Problem(error)
            if isAtomic { throw CommandFailure(.badData, "Line \(number): \(problem.detail)") }
            group.unreadable.append(BatchAnswer(line: number, status: problem.type.status, error: problem))
            return nil
        }
    }

    /// Returns the line with a key, so that the line can be sent again. The key is made of the line's content and the
    /// number of equal lines before, so other lines may be added or removed in between.
    private mutating func withKey(_ line: BatchLine, _ number: Int64) throws -> BatchLine {
        if line.key != nil { return line }
        guard let run else {
            throw CommandFailure(
                .usage, "Line \(number) has no key",
                notes: sent + [
                    "'--run NAME' makes keys for such lines: the same NAME continues where it stopped, a new one sends "
                        + "all lines again"
                ])
        }
        let digest = Array(SHA256.hash(data: JSONWriter.bytes(line)).prefix(8))
        let hash = digest.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        occurrences[hash, default: 0] += 1
        var line = line
        line.key = "\(run):\(String(hash, radix: 16)):\(occurrences[hash, default: 0])"
        return line
    }

    private var sent: [String] {
        counts.lines == 0 ? [] : ["sent so far: \(counts.text)"]
    }

    /// Sends a group of lines until their outcome is known; lines that were applied are not applied again.
    private mutating func send(_ group: Group, with client: WorkflowClient) async throws {
        var answers: [BatchAnswer] = []
        if !group.lines.isEmpty { answers = try await self.answers(to: group, from: client) }
        answers = (answers + group.unreadable).sorted { $0.line < $1.line }
        for answer in answers where !Self.isOpen(answer) { try tell(answer) }
        guard let open = Self.obstacle(in: answers), let problem = open.error else { return }
        let unknown = answers.filter { $0.error?.type == .outcomeUnknown }.map(\.line)
        let range = unknown.first.map { "lines \($0) to \(unknown.last ?? $0)" }
        throw CommandFailure(
            problem.type.exitStatus, "Stopped at line \(open.line): \(problem.detail)",
            notes: sent + (range.map { ["\($0): it is unknown whether all of them were applied"] } ?? [])
                + [Self.goesOn])
    }

    /// Returns the daemon's answers to lines, with their numbers in the file.
    private func answers(to group: Group, from client: WorkflowClient) async throws -> [BatchAnswer] {
        var answers: [BatchAnswer] = []
        do throws(ClientError) {
            try await client.untilKnown(waitsForDaemon: counts.lines > 0) { () async throws(ClientError) in
                answers = try await client.send(group.lines, isAtomic: isAtomic)
                // The daemon is stopping or overloaded: the lines are sent again with their keys.
                if let problem = Self.obstacle(in: answers)?.error, !Self.isStandstill(problem) {
                    throw .problem(problem)
                }
            }
        } catch  where answers.isEmpty {
            let failure = CommandFailure(Self.renumbered(error, group))
            // If a daemon goes away in the middle, the user should try again.
            let isBroken = counts.lines > 0 && failure.exitStatus == .unreachable
            throw CommandFailure(
                isBroken ? .tryAgain : failure.exitStatus, failure.message,
                notes: failure.notes + sent + (error.isTransient ? [Self.goesOn] : []))
        } catch {
            // The answers have the outcome of each line.
        }
        for index in answers.indices { answers[index].line = group.number(of: answers[index].line) }
        return answers
    }

    private static let goesOn = "the same command continues where this one stopped"

    /// Returns true if the line has no outcome yet, because the obstacle has nothing to do with the line.
    private static func isOpen(_ answer: BatchAnswer) -> Bool {
        answer.error.map { $0.type.retryAfterSeconds != nil || isStandstill($0) } ?? false
    }

    /// Returns true if every other line meets the same problem until somebody corrects it: a full disk, a damaged
    /// database.
    private static func isStandstill(_ problem: Problem) -> Bool {
        problem.type == .storageUnavailable || problem.type == .databaseDamaged
    }

    /// Returns the first line without an outcome; a full disk or a damaged database takes precedence.
    private static func obstacle(in answers: [BatchAnswer]) -> BatchAnswer? {
        answers.first { $0.error.map(isStandstill) ?? false } ?? answers.first(where: isOpen)
    }

    /// Replaces the line number in the request, which the daemon reports, by the line number in the file.
    private static func renumbered(_ error: ClientError, _ group: Group) -> ClientError {
        guard var problem = error.problem, let line = problem.line else { return error }
        problem.detail = "Line \(group.number(of: line)): \(problem.detail)"
        return .problem(problem)
    }

    private mutating func tell(_ answer: BatchAnswer) throws {
        counts.lines += 1
        if let error = answer.error {
            counts.refused += 1
            failure = failure ?? error.type.exitStatus
            if session.format == .table {
                try progress.end()
                let suggestion = error.suggestion.map { "; did you mean '\($0)'?" } ?? ""
                try session.say("\("line \(answer.line):", .bad) \(error.detail)\(suggestion)")
            }
        } else if answer.repeated == true {
            counts.repeated += 1
        } else {
            counts.applied += 1
        }
        if answer.answer?.status == .failed {
            counts.failed += 1
            failure = failure ?? .refused
        }
        if session.format != .table { try session.write(json: JSONWriter.string(answer) + "\n") }
    }

    /// The lines of one request.
    private struct Group {
        private(set) var lines: [BatchLine] = []
        /// The lines between them that are neither events nor starts.
        var unreadable: [BatchAnswer] = []
        private var numbers: [Int64] = []
        private var bytes = 0

        var isEmpty: Bool { lines.isEmpty && unreadable.isEmpty }
        var isFull: Bool { lines.count + unreadable.count >= linesAtOnce || bytes >= bytesAtOnce }

        mutating func add(_ line: BatchLine, number: Int64) throws {
            lines.append(line)
            numbers.append(number)
            bytes += JSONWriter.bytes(line).count
        }

        /// Returns the number in the file of a line of the request.
        func number(of line: Int64) -> Int64 {
            numbers.indices.contains(Int(line) - 1) ? numbers[Int(line) - 1] : line
        }
    }
}

extension BatchSending.Kind {
    fileprivate init(of line: BatchLine) {
        self =
            switch line.content {
            case .event: .event
            case .start: .start
            }
    }
}
