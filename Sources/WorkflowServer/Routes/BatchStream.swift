import Hummingbird
import NIOCore
import WorkflowAPI
import WorkflowEngine
import WorkflowJSON

/// Sends the lines of a body and writes their answers, both at once: lines are read while earlier ones are applied, and
/// answered while later ones are read.
struct BatchStream {
    let engine: Engine
    let metrics: RequestMetrics
    let body: RequestBody
    let connection: CallerConnection
    let caller: Caller
    /// Whether answers say the context: then few lines are under way, and each is written before the next is made.
    let withContext: Bool

    /// Ends when every line is answered, and tells the operator how many were refused. When reading fails, the lines
    /// before are answered first; when the caller goes away, reading ends.
    func run(_ writer: inout LineWriter) async throws {
        let (groups, groupSink) = AsyncStream.makeStream(of: BegunGroup.self)
        let (rests, restSink) = AsyncStream.makeStream(of: BegunGroup.self)
        // Awaited below, also when writing throws; cancelled then.
        try await withThrowingTaskGroup(of: Void.self) { [self] tasks in
            tasks.addTask {
                defer { groupSink.finish() }
                try await read(into: groupSink, answered: rests)
            }
            var suggestions = BatchSuggestions(engine, for: caller)
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
            // Few answers are so large that they must go before the next one is made.
            guard text.bytes.count >= BatchLimits.answerBytesAtOnce else { continue }
            try await writer.write(lines: text)
            text = JSONWriter(capacity: 256)
        }
        if !text.bytes.isEmpty { try await writer.write(lines: text) }
    }

    /// Reads lines and puts them into the writer's queue, group by group, in order: full groups, and what there is when
    /// no more has come yet, so that a caller who waits for an answer gets it.
    private func read(
        into groups: AsyncStream<BegunGroup>.Continuation, answered: AsyncStream<BegunGroup>
    ) async throws {
        let linesUnderWay = withContext ? BatchLimits.contextLinesAtOnce : BatchLimits.linesUnderWay
        var lines = BodyLines(body, on: connection)
        var answers = answered.makeAsyncIterator()
        let sequence = CommandSequence()
        var underWay = (lines: 0, bytes: 0)
        while try await lines.more() {
            while true {
                var group = BatchGroup(by: caller, withContext: withContext)
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

/// How many lines of a body were refused, and which one first.
struct RefusedLines {
    /// Lines that were answered.
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
