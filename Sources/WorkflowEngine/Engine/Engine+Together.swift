import Synchronization
import WorkflowStore

extension Engine {
    /// Carries out lines in one transaction, also if they belong to several partitions.
    func together(_ lines: [LineCommand]) async throws(Rejection) -> [KeyedAnswer<SendResult>] {
        let shares = queue.shares(of: lines.map(\.place))
        guard shares.count > 1 else {
            let partition = shares.first?.partition ?? .first
            return try await queue.submit(SendTogetherCommand(lines: lines, partition: partition))
        }
        let parts = shares.map { partition, offsets in
            let own = offsets.map { lines[$0] }
            return (partition, SendTogetherCommand(lines: own, offsets: offsets, partition: partition))
        }
        try refuseReuse(in: lines, shares)
        let size = lines.reduce(0) { $0 + $1.size }
        try meetings.take(size)
        defer { meetings.leave(size) }
        let answers: [[KeyedAnswer<SendResult>]]
        do throws(Rejection) {
            answers = try await meet(parts, compilesAtOnce: false)
        } catch {
            // A fault comes from a key that was used meanwhile in another partition; the second try finds the key.
            guard error.wait != nil || error.code == .fault else { throw error }
            // Reads compile the missing machine versions, so the lanes do not stand still meanwhile.
            for (partition, part) in parts {
                do throws(Rejection) {
                    _ = try await trial(in: partition) { batch throws(Rejection) in try part.apply(to: &batch) }
                } catch {
                    // The meeting gives the reason: by then the state may be another.
                }
            }
            answers = try await meet(parts, compilesAtOnce: true)
        }
        var told: [KeyedAnswer<SendResult>?] = Array(repeating: nil, count: lines.count)
        for (share, answers) in zip(shares, answers) {
            for (offset, answer) in zip(share.offsets, answers) { told[offset] = answer }
        }
        return told.compactMap(\.self)
    }

    /// Refuses starts with one key in several partitions: no lane sees the key of another.
    private func refuseReuse(
        in lines: [LineCommand], _ shares: [(partition: PartitionID, offsets: [Int])]
    ) throws(Rejection) {
        var used: [MachineKey: [RequestKey: PartitionID]] = [:]
        let places = shares.flatMap { share in share.offsets.map { ($0, share.partition) } }
        for (offset, partition) in places.sorted(by: { $0.0 < $1.0 }) {
            guard case .start(let line) = lines[offset], let key = line.command.key else { continue }
            let first = used[line.command.machineKey, default: [:]][key]
            if let first, first != partition { throw .keyReused(key.text).at(offset) }
            used[line.command.machineKey, default: [:]][key] = partition
        }
    }

    /// Lets the lanes of some partitions meet, and returns the answers to the parts.
    private func meet<Part: WriterCommand>(
        _ parts: [(partition: PartitionID, command: Part)], compilesAtOnce: Bool
    ) async throws(Rejection) -> [Part.Answer] {
        await meetings.turns.begin()
        defer { meetings.turns.end() }
        let answers = AsyncStream.makeStream(of: [Result<Part.Answer, Rejection>?].self)
        let collection = AnswerCollection<Part.Answer>(count: parts.count, in: nil) {
            answers.continuation.yield($0)
            answers.continuation.finish()
        }
        var entries: [PartitionID: any QueuedCommand] = [:]
        for (place, part) in parts.enumerated() {
            entries[part.partition] = part.command.queued(.collection(collection, place))
        }
        let meeting = LaneMeeting(entries, compilesAtOnce: compilesAtOnce)
        // Cancelled when the function returns.
        async let _ = expire(meeting)
        queue.invite(parts.map(\.partition), to: meeting)
        var told: [Part.Answer] = []
        // The wait is not cancelled with the caller: the lanes answer in any case.
        let outcome = await Task.detached { await answers.stream.first { _ in true } }.value
        for case .some(let answer) in outcome ?? [] { told.append(try answer.get()) }
        return told
    }

    /// Ends a meeting to which a lane does not come in time.
    private func expire(_ meeting: LaneMeeting) async {
        do {
            try await Task.sleep(for: limits.meetingWaiting)
        } catch {
            return
        }
        meeting.decline(.storageUnavailable("A partition of the database did not take part in time"))
    }
}

/// The commands that wait for a meeting of their lanes: one meets at a time.
final class MeetingRoom: Sendable {
    let turns = Turns()
    private let limits: EngineLimits
    private let waiting = Mutex((commands: 0, bytes: 0))

    init(limits: EngineLimits) {
        self.limits = limits
    }

    /// Takes room for a command; `leave` must follow.
    func take(_ bytes: Int) throws(Rejection) {
        let hasRoom = waiting.withLock { waiting in
            guard waiting.commands < limits.meetings, waiting.bytes + bytes <= limits.queuedBytes else { return false }
            waiting.commands += 1
            waiting.bytes += bytes
            return true
        }
        if !hasRoom { throw .overloaded }
    }

    func leave(_ bytes: Int) {
        waiting.withLock { waiting in
            waiting.commands -= 1
            waiting.bytes -= bytes
        }
    }
}
