import Synchronization
import WorkflowStore

/// Passes each command to the queue of its partition's lane.
final class CommandRouter: Sendable {
    /// The queues of all lanes, in the order of their partitions.
    let queues: [CommandQueue]
    /// The queue of the first partition.
    let first: CommandQueue
    /// The queue of a store with one partition, for which no place is computed.
    private let only: CommandQueue?
    private let placement: Placement
    /// The number of commands so far for which every lane would do.
    private let turns = Atomic<Int>(0)

    init(_ queues: [CommandQueue], placement: Placement) {
        self.queues = queues
        // Proof: a store has at least one partition.
        first = queues[0]
        only = queues.count == 1 ? first : nil
        self.placement = placement
    }

    /// All queues, each time from another one on, so that none is always first.
    var inTurn: [CommandQueue] {
        if only != nil { return queues }
        let first = nextTurn
        return Array(queues[first...] + queues[..<first])
    }

    private var nextTurn: Int {
        Int(UInt(bitPattern: turns.wrappingAdd(1, ordering: .relaxed).newValue) % UInt(queues.count))
    }

    /// Returns the queue of a partition. A number from outside may name no partition; every lane finds nothing then.
    private func queue(of partition: PartitionID) -> CommandQueue {
        let place = Int(clamping: partition.rawValue)
        return queues.indices.contains(place) ? queues[place] : first
    }

    /// Returns the partition of a place; `nil` if every partition would do.
    func partition(of place: CommandPlace) -> PartitionID? {
        switch place {
        case .instance(let key): return placement.partition(of: key)
        case .partition(let partition): return partition
        case .unnamed(let machine, let key): return key.map { placement.partition(of: $0, startedBy: machine) }
        case .first: return .first
        }
    }

    /// Returns the partitions of places, in order, each with the offsets of its places. A place for which every
    /// partition would do goes with the first of the others.
    func shares(of places: [CommandPlace]) -> [(partition: PartitionID, offsets: [Int])] {
        if only != nil { return [(.first, Array(places.indices))] }
        var shares: [PartitionID: [Int]] = [:]
        var anywhere: [Int] = []
        for (offset, place) in places.enumerated() {
            if let partition = partition(of: place) {
                shares[partition, default: []].append(offset)
            } else {
                anywhere.append(offset)
            }
        }
        if !anywhere.isEmpty {
            let partition = shares.keys.min() ?? .first
            shares[partition] = (shares[partition, default: []] + anywhere).sorted()
        }
        return shares.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }

    /// Invites the lanes of partitions to a meeting. If one has ended, nothing is carried out.
    func invite(_ partitions: [PartitionID], to invitation: any LaneInvitation) {
        for partition in partitions {
            if let rejection = queue(of: partition).invite(to: invitation) { invitation.decline(rejection) }
        }
    }

    private func queue(for command: some PlacedCommand) -> CommandQueue {
        if let only { return only }
        return partition(of: command.place).map(queue) ?? queues[nextTurn]
    }
}

extension CommandRouter {
    /// Queues a command and waits for its lane's answer. A change in the first partition, which may concern all lanes,
    /// holds in each of them on return.
    func submit<Command: PlacedCommand>(_ command: Command) async throws(Rejection) -> Command.Answer {
        let answer = try await queue(for: command).submit(command)
        if only == nil, case .first = command.place {
            await beat(queues.dropFirst(), looksForHeld: true)
        }
        return answer
    }

    /// Waits until every lane has begun, and has seen all settings that are committed now.
    func beat() async { await beat(queues[...], looksForHeld: false) }

    private func beat(_ queues: ArraySlice<CommandQueue>, looksForHeld: Bool) async {
        // A lane that refuses the beat has ended, and begins nothing any more.
        _ = await withCheckedContinuation { all in
            spread(BeatCommand(looksForHeld: looksForHeld), over: queues) { all.resume(returning: $0) }
        }
    }

    /// Queues a command in every lane, and returns all answers in the order of partitions.
    func submitToEach<Command: WriterCommand>(_ command: Command) async throws(Rejection) -> [Command.Answer] {
        if let only { return [try await only.submit(command)] }
        let answers = await withCheckedContinuation { all in spread(command) { all.resume(returning: $0) } }
        var told: [Command.Answer] = []
        for case .some(let answer) in answers { told.append(try answer.get()) }
        return told
    }

    /// Queues a command in every lane; all answers come together.
    func spread<Command: WriterCommand>(
        _ command: Command, _ answered: @escaping @Sendable ([Result<Command.Answer, Rejection>?]) -> Void
    ) {
        spread(command, over: queues[...], answered)
    }

    private func spread<Command: WriterCommand>(
        _ command: Command, over queues: ArraySlice<CommandQueue>,
        _ answered: @escaping @Sendable ([Result<Command.Answer, Rejection>?]) -> Void
    ) {
        let answers = AnswerCollection<Command.Answer>(count: queues.count, in: nil, answered)
        for (place, queue) in queues.enumerated() { queue.begin(command) { answers.set($0, at: place) } }
    }

    /// Does `CommandQueue.begin` with the command's queue.
    func begin<Command: PlacedCommand>(
        _ command: Command, _ answered: @escaping @Sendable (Result<Command.Answer, Rejection>) -> Void
    ) {
        queue(for: command).begin(command, answered)
    }

    /// Does `CommandQueue.begin(part:)` in a partition.
    func begin<Command: WriterCommand>(
        part command: Command, in partition: PartitionID, isPatient: Bool,
        _ answered: @escaping @Sendable (Result<Command.Answer, Rejection>) -> Void
    ) {
        queue(of: partition).begin(part: command, isPatient: isPatient, answered)
    }
}

// MARK: Several commands

extension CommandRouter {
    /// Does `CommandQueue.begin`. With several lanes, only the commands of each lane keep their order, and a lane
    /// without room refuses its own.
    func begin<Command: PlacedCommand>(
        _ commands: [Command], in sequence: CommandSequence?,
        _ answered: @escaping @Sendable ([Result<Command.Answer, Rejection>?]) -> Void
    ) throws(Rejection) {
        if let only { return try only.begin(commands, in: sequence, answered) }
        for share in shares(of: commands, answered) {
            do throws(Rejection) {
                try share.queue.begin(share.commands, in: sequence?.part(share.number), share.answered)
            } catch {
                share.refuse(error)
            }
        }
    }

    /// Does `CommandQueue.beginWhenRoom`, as `begin` does with several lanes.
    func beginWhenRoom<Command: PlacedCommand>(
        _ commands: [Command], in sequence: CommandSequence?,
        _ answered: @escaping @Sendable ([Result<Command.Answer, Rejection>?]) -> Void
    ) async throws(Rejection) {
        if let only { return try await only.beginWhenRoom(commands, in: sequence, answered) }
        for share in shares(of: commands, answered) {
            do throws(Rejection) {
                try await share.queue.beginWhenRoom(share.commands, in: sequence?.part(share.number), share.answered)
            } catch {
                share.refuse(error)
            }
        }
    }

    /// The commands of one lane among others.
    private struct Share<Command: WriterCommand> {
        let queue: CommandQueue
        let number: Int
        var commands: [Command] = []
        /// The places of the commands among all.
        var places: [Int] = []
        let all: AnswerCollection<Command.Answer>

        var answered: @Sendable ([Result<Command.Answer, Rejection>?]) -> Void {
            { [all, places] answers in
                for case (let place, .some(let answer)) in zip(places, answers) { all.set(answer, at: place) }
            }
        }

        func refuse(_ rejection: Rejection) { for place in places { all.set(.failure(rejection), at: place) } }
    }

    private func shares<Command: PlacedCommand>(
        of commands: [Command], _ answered: @escaping @Sendable ([Result<Command.Answer, Rejection>?]) -> Void
    ) -> [Share<Command>] {
        if commands.isEmpty {
            answered([])
            return []
        }
        let all = AnswerCollection<Command.Answer>(count: commands.count, in: nil, answered)
        var shares = queues.enumerated().map { Share<Command>(queue: $1, number: $0, all: all) }
        for (place, command) in commands.enumerated() {
            let queue = queue(for: command)
            // Proof: the queue is one of those above.
            guard let lane = queues.firstIndex(where: { $0 === queue }) else { continue }
            shares[lane].commands.append(command)
            shares[lane].places.append(place)
        }
        return shares.filter { !$0.places.isEmpty }
    }
}

// MARK: All queues

extension CommandRouter {
    /// Does `CommandQueue.moveClock` in the first partition: a store with a virtual clock has no other.
    func moveClock(
        to target: Timestamp, stoppingAtTasks: Bool, by caller: Caller?
    ) async throws(Rejection) -> ClockMove {
        try await first.moveClock(to: target, stoppingAtTasks: stoppingAtTasks, by: caller)
    }

    func hurry() { for queue in queues { queue.hurry() } }

    func wake() { for queue in queues { queue.wake() } }

    func close(_ reason: Rejection) { for queue in queues { queue.close(reason) } }

    /// Refuses what waits in closed queues whose lanes never began.
    func abandon(with reason: Rejection) { for queue in queues { queue.abandon(with: reason) } }

    /// The number of waiting commands, and the waiting times of the oldest commands taken.
    var load: (commands: Int, waits: Histogram) {
        queues.dropFirst().reduce(into: first.load) { sum, queue in
            let load = queue.load
            sum.commands += load.commands
            sum.waits.add(load.waits)
        }
    }
}

extension Rejection {
    /// Refuses commands that are to be carried out together and belong to several partitions.
    static let apart = Rejection(
        .notImplemented,
        "The instances are in several partitions of the database, where nothing is carried out all or not at all; "
            + "ask for them one by one")
}
