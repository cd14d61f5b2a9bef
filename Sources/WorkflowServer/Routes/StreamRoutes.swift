import HTTPTypes
import Hummingbird
import Statechart
import WorkflowAPI
import WorkflowEngine
import WorkflowSpelling
import WorkflowStore

/// The routes that stream rows of the journal as they are written.
struct StreamRoutes: Sendable {
    let engine: Engine
    let budget: AnswerBudget
    let limits: ServerLimits
    /// The newest rows of the partitions, in their order.
    private let tails: [JournalTail]
    private let reads: StreamReads

    init(engine: Engine, budget: AnswerBudget, limits: ServerLimits) {
        self.engine = engine
        self.budget = budget
        self.limits = limits
        reads = StreamReads(budget: budget)
        tails = JournalTail.all(of: engine, for: .process(in: .default), limits: limits, reads: reads)
    }

    func register(on routes: inout RouteHandlers) {
        routes.on(.streamAll) { try await streamAll($0) }
        routes.on(.streamInstance) { try await stream($0, of: try $0.instance) }
    }

    private func streamAll(_ request: RoutedRequest) async throws -> Response {
        let caller = request.caller
        let (parameters, filter) = try read(request, ofInstance: false)
        for machine in filter.machines {
            _ = try await asking { try await engine.machine(named: machine, by: caller) }
        }
        // The bell is set up before the beginning of the stream is read, so that no row is missed.
        let place = try budget.lasting.stream(for: caller.actor)
        let known = engine.feed.recordedChanges
        let bell = try heard(engine.journalBell())
        let begin: JournalPlace
        switch try start(request, parameters) {
        case .now: begin = try await asking { try await engine.lastPlace(by: caller) }
        case .beginning: begin = .beginning(of: engine.store.partitions)
        case .recorded(let time):
            begin = try await asking {
                try await engine.place(recordedBefore: Timestamp(rawValue: time.milliseconds), by: caller)
            }
        case .behind(let cursor, let name):
            begin = try await engine.place(ofCursor: cursor, in: name, by: caller)
        }
        // The streams that share rows are those of one namespace.
        let tails =
            caller.namespace == .default
            ? self.tails
            : JournalTail.all(of: engine, for: .process(in: caller.namespace), limits: limits, reads: reads)
        let rows = StreamRows(
            after: begin, of: tails, filter, engine: engine, by: caller, limits: limits, reads: reads)
        return stream(rows, bell, place, known, for: request)
    }

    private func stream(_ request: RoutedRequest, of name: InstanceName) async throws -> Response {
        let caller = request.caller
        let (parameters, filter) = try read(request, ofInstance: true)
        let start = try start(request, parameters)
        // Read before the instance is looked up: a restore may have removed the instance.
        var position: Position?
        switch start {
        case .behind(let cursor, let place):
            position = try await engine.position(ofCursor: cursor, in: place, instance: name, by: caller)
        case .recorded(let time): position = try await self.position(of: name, recordedBefore: time, by: caller)
        case .now, .beginning: break
        }
        let place = try budget.lasting.stream(for: caller.actor)
        let found = try await asking { try await engine.instance(named: name, by: caller) }.record
        let bell = try heard(try await asking { try engine.bell(of: found, by: caller) })
        // Read again: a row may have been written before the bell was set up.
        let record = try await asking { try await engine.instance(named: name, by: caller) }.record
        var seq = Seq(rawValue: 0)
        switch start {
        case .now: (seq, position) = (record.seq, record.head)
        case .beginning: break
        case .behind, .recorded:
            if let position {
                seq = try await asking { try await engine.seq(of: record, upTo: position, by: caller) } ?? seq
            }
        }
        let rows = StreamRows(
            of: record, after: seq, at: position ?? .beginning(of: record.id.partition), filter, engine: engine,
            by: caller, limits: limits, reads: reads)
        return stream(rows, bell, place, nil, for: request)
    }

    private func position(
        of name: InstanceName, recordedBefore time: WireTime, by caller: Caller
    ) async throws -> Position {
        try await asking {
            try await engine.position(
                recordedBefore: Timestamp(rawValue: time.milliseconds), in: engine.partition(of: name, by: caller),
                by: caller)
        }
    }

    private func stream(
        _ rows: StreamRows, _ bell: Bell, _ place: LastingAnswers.Place, _ known: Int64?,
        for request: RoutedRequest
    ) -> Response {
        RowStream(
            engine: engine, budget: budget, limits: limits, connection: request.connection, rows: rows, bell: bell,
            place: place, known: known
        ).response
    }

    private func heard(_ bell: Bell?) throws(Problem) -> Bell {
        guard let bell else { throw Problem(.overloaded, detail: "Too many requests wait for history") }
        return bell
    }
}

// MARK: What is asked for

extension StreamRoutes {
    /// The place where a stream begins.
    private enum Start {
        case now, beginning
        /// Begins with the rows that were recorded at a time or later.
        case recorded(WireTime)
        /// Begins after a cursor; `in` is the beginning of the message for an invalid cursor.
        case behind(cursor: String, in: String)
    }

    /// Returns the place where a stream begins. A client that reconnects gives its place in the header, which precedes
    /// the query.
    private func start(_ request: RoutedRequest, _ parameters: StreamParameters) throws -> Start {
        if let last = request.head.headerFields[.lastEventID], !last.isEmpty {
            return .behind(cursor: last, in: "Header '\(EventStream.lastEventHeader)' must be")
        }
        switch parameters.after {
        case nil: return .now
        case EventStream.start: return .beginning
        case let text?:
            if let time = WireTime(text: text) { return .recorded(time) }
            return .behind(
                cursor: text,
                in: "Parameter 'after' must be '\(EventStream.start)', a time as 2026-11-24T15:07:52.901Z, or")
        }
    }

    private func read(_ request: RoutedRequest, ofInstance: Bool) throws -> (StreamParameters, JournalFilter) {
        if engine.currentHealth == .draining {
            throw Problem(.draining, detail: "The daemon is stopping; connect again later")
        }
        let parameters = try reading {
            try StreamParameters(query: try request.queryItems, ofInstance: ofInstance)
        }
        let filter = JournalFilter(
            machines: parameters.machines.map(MachineName.init(rawValue:)), kinds: try parameters.kinds.map(kind),
            events: parameters.events.map(EventDescriptor.init), states: parameters.states)
        return (parameters, filter)
    }

    private func kind(_ word: String) throws(Problem) -> JournalKind {
        if let kind = JournalKind(rawValue: word) { return kind }
        let words = JournalKind.allCases.map(\.rawValue)
        let hint = Spelling.closest(to: word, among: words).map { "; did you mean '\($0)'?" } ?? ""
        throw Problem(
            .invalidParameter,
            detail: "Parameter 'kind' must be one of \(words.joined(separator: ", ")), not '\(word.prefix(40))'\(hint)")
    }
}

extension HTTPField.Name {
    static let lastEventID = known(EventStream.lastEventHeader)
}
