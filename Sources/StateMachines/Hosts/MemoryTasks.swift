internal import Statechart
internal import Synchronization
internal import WorkflowJSON

/// Work that an instance in a `MemoryHost` waits for.
struct MemoryTask {
    /// Who has it, and until when without a sign of life.
    struct Lease {
        let token: String
        let length: Duration
        var until: LogicalTime
    }

    /// Of all tasks: the age.
    let number: Int
    let instance: String
    let invocation: Pending.ID
    /// The id of the invocation.
    let name: String
    let queue: String
    let priority: Int64
    /// Input, and what the definition says about trying again.
    let request: JSONObject
    /// When it can be taken.
    var due: LogicalTime
    var attempts: Int64 = 0
    /// The number of failed attempts by the index of the retry rule that fitted.
    var failures: [Int: Int64] = [:]
    var lease: Lease?
    var progress: JSONValue?
}

extension MemoryState {
    /// Begins and ends tasks as the last moves of an instance ask.
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

    /// Hands out tasks: by priority, then by when they are due, then by age.
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

    /// Nobody spoke of the task within its lease.
    mutating func expire(_ token: String) {
        guard let place = tasks.firstIndex(where: { $0.lease?.token == token }) else { return }
        fail(place, TaskFailure(type: "lease-expired", message: "the worker gave no sign of life in time"))
    }

    /// An attempt failed: the task is tried again later, or has failed for good.
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

    /// Gives an instance the end of a task. One that has failed takes nothing more: there is nobody to retry it.
    private mutating func end(_ place: Int, with prefix: String, _ data: JSONValue) {
        let task = tasks.remove(at: place)
        guard let instance = instances[task.instance]?.instance, instance.snapshot.status == .running,
            let invocation = instance.snapshot.armed.first(where: { $0.id == task.invocation })
        else { return }
        _ = take(instance.move(of: invocation, ending: prefix + task.name, with: data, at: time), of: task.instance)
        // What it sent to itself beyond a chain comes right after, as in the daemon.
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
            // Not one of the changes: nobody else waits for what is taken away.
            let tasks = host.state.withLock { $0.lease(queue, max: max, lease: lease) }
            if !tasks.isEmpty { return tasks }
            // Ends when it is cancelled.
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
