import Hummingbird
import NIOCore
import WorkflowAPI
import WorkflowEngine
import WorkflowJSON

/// Sends the lines of a body and writes their answers concurrently: lines are read while earlier lines are applied, and
/// answered while later lines are read.
struct BatchStream {
    let engine: Engine
    let metrics: RequestMetrics
    let request: RoutedRequest
    /// True if answers contain the context. Then few lines are under way, and large answers are written before the next
    /// answer is made.
    let withContext: Bool

    /// Returns when every line is answered, and logs the number of refused lines. If reading fails, the lines before
    /// are answered first. When the caller disconnects, reading ends.
    func run(_ writer: inout LineWriter) async throws {
        let (groups, groupSink) = AsyncStream.makeStream(of: BegunGroup.self)
        let (rests, restSink) = AsyncStream.makeStream(of: BegunGroup.self)
        // The tasks are awaited below, and cancelled if writing throws.
        try await withThrowingTaskGroup(of: Void.self) { [self] tasks in
            tasks.addTask {
                defer { groupSink.finish() }
                try await read(into: groupSink, answered: rests)
            }
            var suggestions = BatchSuggestions(engine, for: request.caller)
            var refused = RefusedLines()
            defer {
                engine.log.tell(refused)
                metrics.refused(refused.types)
            }
            for await begun in groups {
                try await Self.answer(begun, &suggestions, &refused, &writer)
                restSink.yield(begun)
            }
            try await tasks.next()
        }
    }

    @concurrent private static func answer(
        _ begun: BegunGroup, _ suggestions: inout BatchSuggestions, _ refused: inout RefusedLines,
        _ writer: inout LineWriter
    ) async throws {
        var outcomes = await begun.sends.outcomes()[...]
        await suggestions.lookUp(Array(outcomes))
        var text = JSONWriter(capacity: 256 * outcomes.count)
        var offset = 0
        while var answer = begun.group.answer(at: offset, &outcomes) {
            suggestions.complete(&answer)
            refused.count(answer)
            answer.write(to: &text)
            text.endLine()
            offset += 1
            // Few answers are so large that they must be written before the next answer is made.
            guard text.bytes.count >= BatchLimits.answerBytesAtOnce else { continue }
            try await writer.write(lines: text)
            text = JSONWriter(capacity: 256)
        }
        if !text.bytes.isEmpty { try await writer.write(lines: text) }
    }

    /// Reads lines and puts them into the writer's queue, group by group and in order. A group is full, or has the
    /// lines that are there when no more have arrived. So a caller that waits for an answer gets it.
    private func read(
        into groups: AsyncStream<BegunGroup>.Continuation, answered: AsyncStream<BegunGroup>
    ) async throws {
        let linesUnderWay = withContext ? BatchLimits.contextLinesAtOnce : BatchLimits.linesUnderWay
        var lines = BodyLines(request.request.body, on: request.connection)
        var answers = answered.makeAsyncIterator()
        let sequence = CommandSequence()
        var underWay = (lines: 0, bytes: 0)
        while try await lines.more() {
            while true {
                try request.requireAdmission()
                var group = BatchGroup(by: request.caller, withContext: withContext)
                try lines.forEach { line, number in
                    if !line.isEmpty { group.add(line, number: number) }
                    return !group.isFull
                }
                if group.count == 0 { break }
                while underWay.lines >= linesUnderWay || underWay.bytes >= BatchLimits.bytesUnderWay {
                    guard let begun = await answers.next(isolation: #isolation) else { throw CancellationError() }
                    underWay.lines -= begun.group.count
                    underWay.bytes -= begun.group.bytes
                }
                groups.yield(try await group.begin(in: engine, sequence))
                underWay.lines += group.count
                underWay.bytes += group.bytes
            }
        }
    }
}

/// The number of refused lines of a body, and the first of them.
struct RefusedLines {
    /// The number of answered lines.
    private(set) var all = 0
    private(set) var count = 0
    private(set) var first: BatchAnswer?
    private(set) var types: [ProblemType: Int] = [:]

    mutating func count(_ answer: BatchAnswer) {
        all += 1
        guard let error = answer.error else { return }
        types[error.type, default: 0] += 1
        count += 1
        if first == nil { first = answer }
    }
}
