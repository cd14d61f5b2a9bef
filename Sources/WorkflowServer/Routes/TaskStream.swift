import Hummingbird
import NIOCore
import WorkflowAPI
import WorkflowEngine
import WorkflowJSON
import WorkflowStore

/// Takes workers' reports on tasks, one per line, and answers each line. One group of lines is under way at a time.
struct TaskStream {
    let engine: Engine
    let request: RoutedRequest

    /// Returns when every line is answered. If reading fails, the lines before are answered first.
    @concurrent func run(_ writer: inout LineWriter) async throws {
        var lines = BodyLines(request.request.body, on: request.connection)
        while try await lines.more() {
            while true {
                try request.requireAdmission()
                var group = Group(by: request.caller)
                var failure: (any Error)?
                do {
                    try lines.forEach { line, number in
                        if !line.isEmpty { group.add(line, number: number) }
                        return !group.isFull
                    }
                } catch {
                    failure = error
                }
                if !group.isEmpty { try await Self.answer(group, of: engine, &writer) }
                if let failure { throw failure }
                if !group.isFull { break }
            }
        }
    }

    @concurrent private static func answer(
        _ group: Group, of engine: Engine, _ writer: inout LineWriter
    ) async throws {
        var outcomes = await engine.report(group.commands)[...]
        var text = JSONWriter(capacity: 128 * group.lines.count)
        for line in group.lines {
            answer(to: line, &outcomes).write(to: &text)
            text.endLine()
        }
        try await writer.write(lines: text)
    }

    private static func answer(
        to line: Group.Line, _ outcomes: inout ArraySlice<Result<Timestamp?, Rejection>>
    ) -> TaskLineAnswer {
        if let problem = line.problem {
            return TaskLineAnswer(line: line.number, status: problem.type.status, error: problem)
        }
        switch outcomes.popFirst() {
        case .success(let until)?:
            let leasedUntil = until.map { WireTime(milliseconds: $0.rawValue) }
            return TaskLineAnswer(line: line.number, status: until == nil ? 204 : 200, leasedUntil: leasedUntil)
        case .failure(let rejection)?:
            let problem = Problem(rejection)
            return TaskLineAnswer(line: line.number, status: problem.type.status, error: problem)
        // Proof: the engine gives an outcome for each command, and a line without one has its problem.
        case nil: preconditionFailure("every command has an outcome")
        }
    }

    /// Lines that are carried out together.
    private struct Group: Sendable {
        struct Line {
            let number: Int64
            /// The reason why the line is not a report; `nil` if its command is in `commands`.
            let problem: Problem?
        }

        private(set) var lines: [Line] = []
        private(set) var commands: [EndTaskCommand] = []
        private var bytes = 0
        private let caller: Caller

        init(by caller: Caller) {
            self.caller = caller
        }

        var isEmpty: Bool { lines.isEmpty }
        var isFull: Bool { lines.count >= BatchLimits.linesAtOnce || bytes >= BatchLimits.bytesAtOnce }

        mutating func add(_ text: UnsafeBufferPointer<UInt8>, number: Int64) {
            bytes += text.count
            do throws(Problem) {
                commands.append(try EndTaskCommand(line: text, by: caller))
                lines.append(Line(number: number, problem: nil))
            } catch {
                lines.append(Line(number: number, problem: error))
            }
        }
    }
}

extension EndTaskCommand {
    /// Parses a line with a report.
    fileprivate init(line text: UnsafeBufferPointer<UInt8>, by caller: Caller) throws(Problem) {
        let line: TaskLine
        do throws(WireError) {
            line = try TaskLine(line: text)
        } catch {
            throw Problem(error)
        }
        guard let task = TaskToken(text: line.task) else { throw TaskRoutes.noTask }
        let report: Report =
            switch line.report {
            case .complete(let result): .completed(result)
            case .fail(let fail): .failed(TaskFailure(fail))
            case .heartbeat(let heartbeat): .alive(progress: heartbeat.progress)
            }
        self.init(task: task, report: report, by: caller)
    }
}
