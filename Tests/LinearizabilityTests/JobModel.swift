/// The machine `job`, as a reader of its manual would write it: it hands out one task at a time, which ends once.
struct JobModel: SequentialModel {
    /// A request. A lease is known by the number of the request for it.
    enum Action: Hashable, Sendable {
        case read
        case send(Event)
        case lease(Int)
        case complete(Int)
        case fail(Int, canRetry: Bool)
        case stayAlive(Int, progress: Int)
    }

    /// An event. `begin` is accepted everywhere except in `working`, `leave` only there.
    enum Event: String, CaseIterable, Hashable, Sendable {
        case begin, leave
    }

    enum State: String, Hashable, Sendable {
        case working, resting, broken
    }

    /// The answer to a request that was processed.
    enum Answer: Hashable, Sendable {
        case isAt(Int64, State, last: Int?)
        case moved(Int64, State)
        case notAccepted(Int64, State)
        case task(round: Int, attempt: Int, progress: Int?)
        case nothing
        /// The lease was the worker's, or this worker ended its task before.
        case taken
        case lost
    }

    /// The task while the job is working.
    struct Work: Hashable, Sendable {
        var attempts = 0
        /// The lease that holds the task; `nil` if anybody may lease it.
        var holder: Int?
        var progress: Int?
    }

    struct Place: Hashable, CustomStringConvertible, Sendable {
        var seq: Int64 = 1
        var state = State.working
        /// The number of times that the state was entered.
        var round = 1
        var work: Work? = Work()
        /// The lease that ended the last task.
        var last: Int?

        var description: String {
            "seq \(seq) \(state) (\(work.map { "attempts \($0.attempts), leased by \($0.holder ?? 0)" } ?? "no task"))"
        }
    }

    private(set) var place = Place()
    /// The leases that have completed their task.
    private var completed: Set<Int> = []

    var seq: Int64 { place.seq }

    mutating func answer(to action: Action) -> Answer {
        switch action {
        case .read: return .isAt(place.seq, place.state, last: place.last)
        case .send(let event):
            guard (event == .begin) != (place.state == .working) else { return .notAccepted(place.seq, place.state) }
            if event == .begin { place.round += 1 }
            move(to: event == .begin ? .working : .resting)
            return .moved(place.seq, place.state)
        case .lease(let number):
            guard let work = place.work, work.holder == nil else { return .nothing }
            place.work = Work(attempts: work.attempts + 1, holder: number, progress: work.progress)
            return .task(round: place.round, attempt: work.attempts + 1, progress: work.progress)
        case .complete(let number):
            guard place.work?.holder == number else { return completed.contains(number) ? .taken : .lost }
            completed.insert(number)
            place.last = number
            move(to: .resting)
            return .taken
        case .fail(let number, let canRetry):
            guard place.work?.holder == number else { return .lost }
            if canRetry {
                place.work?.holder = nil
            } else {
                place.last = number
                move(to: .broken)
            }
            return .taken
        case .stayAlive(let number, let progress):
            guard place.work?.holder == number else { return .lost }
            place.work?.progress = progress
            return .taken
        }
    }

    private mutating func move(to state: State) {
        place.seq += 1
        place.state = state
        place.work = state == .working ? Work() : nil
    }

    static func seq(of answer: Answer) -> Int64? {
        if case .moved(let seq, _) = answer { seq } else { nil }
    }

    static func key(of action: Action) -> String? { nil }

    /// Hashes without the leases, which would be slow. Equal models have equal hashes all the same.
    func hash(into hasher: inout Hasher) {
        hasher.combine(place)
        hasher.combine(completed.count)
    }
}
