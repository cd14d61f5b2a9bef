internal import Statechart
internal import Synchronization
internal import WorkflowJSON

/// A task that an instance in a `MemoryHost` waits for.
struct MemoryTask {
    /// The worker that has the task, and the time at which its lease ends.
    struct Lease {
        let token: String
        let length: Duration
        var until: LogicalTime
    }

    /// The number of the task among all tasks; a lower number is older.
    let number: Int
    let instance: String
    let invocation: Pending.ID
    /// The id of the invocation.
    let name: String
    let queue: String
    let priority: Int64
    /// The input, and the retry rules of the definition.
    let request: JSONObject
    /// The time from which workers can take the task.
    var due: LogicalTime
    var attempts: Int64 = 0
    /// The number of failed attempts by the index of the matching retry rule.
    var failures: [Int: Int64] = [:]
    var lease: Lease?
    var progress: JSONValue?
}

extension MemoryState {
    /// Adds and removes tasks as the last moves of an instance request.
    mutating func changeTasks(of name: String, after count: Int) {
        guard let stored = instances[name] else { return }
        let armed = stored.instance.snapshot.armed.filter { $0.kind == .invocation && !$0.isKept }.map(\.id)
        tasks.removeAll { $0.instance == name && !armed.contains($0.invocation) }
        for move in stored.history[count...] {
            for case .invoke(let pending, let request) in move.requests where armed.contains(pending.id) {
                lastTask += 1
                let text = try? JSONReader.value(from: request.text)  // The step has written it.
                tasks.append(
                    MemoryTask(
                        number: lastTask, instance: name, invocation: pending.id, name: request.name,
                        queue: request.queue, priority: request.priority, request: text?.object ?? JSONObject(),
                        due: move.time))
            }
        }
    }

    /// Leases tasks by priority, then by due time, then by age.
    mutating func lease(_ queue: String, max: Int, lease: Duration) -> [HandedTask] {
        let ready = tasks.indices.filter {
            tasks[$0].queue == EffectRequest.tasks + queue && tasks[$0].lease == nil && tasks[$0].due <= time
        }
        let order = ready.sorted {
            let (one, other) = (tasks[$0], tasks[$1])
            return (one.priority, one.due, one.number) < (other.priority, other.due, other.number)
        }
        return order.prefix(max).map { index in
            tasks[index].attempts += 1
            let task = tasks[index]
            let token = "\(task.number).\(task.attempts)"
            tasks[index].lease = .init(token: token, length: lease, until: LogicalTime(now + lease))
            return HandedTask(
                token: token, instance: task.instance, id: task.name,
                key: "\(task.instance)/\(task.invocation.seq).\(task.invocation.number)", attempt: Int(task.attempts),
                input: task.request["input"] ?? .null, progress: task.progress)
        }
    }

    private var now: Duration { .milliseconds(time.milliseconds) }

    private func place(of token: String) throws(HostError) -> Int {
        guard let place = tasks.firstIndex(where: { $0.lease?.token == token }) else {
            throw .leaseLost("the task has ended or was cancelled, or others may have it")
        }
        return place
    }

    mutating func complete(_ token: String, with output: JSONValue) throws(HostError) {
        end(try place(of: token), with: EventName.done, output)
    }

    mutating func fail(_ token: String, _ failure: TaskFailure) throws(HostError) {
        fail(try place(of: token), failure)
    }

    mutating func prolong(_ token: String, progress: JSONValue?) throws(HostError) {
        let place = try place(of: token)
        if let progress { tasks[place].progress = progress }
        guard let lease = tasks[place].lease else { return }
        let until = LogicalTime(now + lease.length)
        tasks[place].lease?.until = until
    }

    mutating func giveBack(_ token: String) throws(HostError) {
        let place = try place(of: token)
        tasks[place].attempts -= 1
        tasks[place].lease = nil
        tasks[place].due = time
    }

    /// Fails the attempt whose lease was not extended in time.
    mutating func expire(_ token: String) {
        guard let place = tasks.firstIndex(where: { $0.lease?.token == token }) else { return }
        fail(place, TaskFailure(type: "lease-expired", message: "the worker gave no sign of life in time"))
    }

    /// Ends a failed attempt: the task is retried later, or has failed for good.
    private mutating func fail(_ place: Int, _ failure: TaskFailure) {
        let task = tasks[place]
        let wait = RetryPolicy(task.request["retry"]).wait(
            after: RetryFailure(type: failure.type), canRetry: failure.retry,
            retryAfter: failure.retryAfter?.wholeMilliseconds, seed: UInt64(task.number)
        ) { rule in
            tasks[place].failures[rule, default: 0] += 1
            return tasks[place].failures[rule, default: 0]
        }
        if let wait {
            tasks[place].lease = nil
            tasks[place].due = LogicalTime(now + .milliseconds(wait))
            return
        }
        var error: JSONObject = ["type": .string(failure.type), "message": .string(failure.message)]
        error["details"] = failure.details
        error["attempts"] = .int(task.attempts)
        end(place, with: EventName.failed, .object(error))
    }

    /// Gives an instance the result of its task. A failed instance takes no more results, because nobody retries it.
    private mutating func end(_ place: Int, with prefix: String, _ data: JSONValue) {
        let task = tasks.remove(at: place)
        guard let instance = instances[task.instance]?.instance, instance.snapshot.status == .running,
            let invocation = instance.snapshot.armed.first(where: { $0.id == task.invocation })
        else { return }
        _ = take(instance.move(of: invocation, ending: prefix + task.name, with: data, at: time), of: task.instance)
        // As in the daemon, events beyond the limit of a chain follow right after.
        advance(by: .zero)
    }
}

/// The tasks of a `MemoryHost`.
struct MemoryTasks: TaskSource {
    let host: MemoryHost

    func lease(_ queue: String, max: Int, lease: Duration) async throws(HostError) -> [HandedTask] {
        let (changes, changed) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let worker = host.state.withLock { state in
            state.lastFollower += 1
            state.workers[state.lastFollower] = { changed.yield() }
            return state.lastFollower
        }
        defer { host.state.withLock { $0.workers[worker] = nil } }
        var iterator = changes.makeAsyncIterator()
        while !Task.isCancelled {
            // Leasing is not a change to report: no other worker waits for a task that is taken.
            let tasks = host.state.withLock { $0.lease(queue, max: max, lease: lease) }
            if !tasks.isEmpty { return tasks }
            // `next` also returns when the task is cancelled.
            _ = await iterator.next()
        }
        return []
    }

    func complete(_ token: String, with output: JSONValue) async throws(HostError) {
        try host.change { state throws(HostError) in try state.complete(token, with: output) }
    }

    func fail(_ token: String, _ failure: TaskFailure) async throws(HostError) {
        try host.change { state throws(HostError) in try state.fail(token, failure) }
    }

    func prolong(_ token: String, progress: JSONValue?) async throws(HostError) {
        try host.change { state throws(HostError) in try state.prolong(token, progress: progress) }
    }

    func giveBack(_ token: String) async throws(HostError) {
        try host.change { state throws(HostError) in try state.giveBack(token) }
    }

    func isTransient(_ error: HostError) -> Bool { false }
}
