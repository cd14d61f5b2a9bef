// The table of routes: every method and path that the daemon serves.

extension Route {
    /// All routes, in the order in which they are documented.
    public static let all: [Route] = [
        applyDefinition, listMachines, showMachine, showMachineVersion, activateMachine, suspendMachine,
        resumeMachine, retainMachine, startInstance, listInstances,
        listFailures, listTally, showInstance, sendEvent, cancelInstance, retryInstance, skipInstance, setInstance,
        migrateInstance, suspendInstance, resumeInstance, resetInstance, undoMigration, redactInstance, deleteInstance,
        purge, listAudit, runBulk, listRuns, showRun, listLeftOut, stopRun, resumeRun, listEvents, sendEvents,
        leaseTasks, completeTask, failTask, prolongTask, reportTasks, listEffects, listAttempts,
        decideEffect, listQueues, setQueue, release, listTimers, listInstanceTimers, showClock, moveClock, listHistory,
        streamInstance, streamAll, replayInstance, backtestInstance,
        backtestMachine, verifyInstance, verifyAll, makeBackup, fetchBackup, live, ready, status,
        metrics,
    ]

    /// What every route may be answered, whatever it does.
    public static let commonProblems: [ProblemType] = [
        .invalidRequest, .invalidParameter, .unsupportedMediaType, .wrongHost, .crossSite, .expectationFailed,
        .headTooLarge, .requestTimeout, .notImplemented, .overloaded, .storageUnavailable,
        .databaseDamaged, .internalError,
    ]
}

// MARK: Machines

extension Route {
    /// Makes a definition the next version of its machine.
    public static let applyDefinition = Route(
        .post, "/v1/machines", for: .define, body: .definition, query: ["activate"],
        answer: .object(
            "201 {machine, version, semantics, active?, digest, createdAt, warnings, differences?}; 200 when it is the "
                + "latest already"),
        problems: [.invalidDefinition, .invalidData, .payloadTooLarge] + writing)
    /// The latest version of each machine.
    public static let listMachines = Route(
        .get, "/v1/machines", for: .read, query: ["limit", "page"], answer: .object("{items: [machine…], nextPage?}"),
        problems: paging)
    /// The latest version of a machine.
    public static let showMachine = Route(
        .get, "/v1/machines/{machine}", for: .read, answer: .object("the machine with its source"),
        problems: [.machineNotFound, .routeNotFound])
    /// A version of a machine.
    public static let showMachineVersion = Route(
        .get, "/v1/machines/{machine}/versions/{version}", for: .read, answer: .object("the machine with its source"),
        problems: [.machineNotFound, .routeNotFound])
    /// Says which version new instances of a machine take.
    public static let activateMachine = Route(
        .post, "/v1/machines/{machine}/active", for: .define, body: .object("{version: int or 'latest'}"),
        answer: .object(
            "{machine, latest, active, suspended?: {machine, at, actor?, reason?}, retentionInMilliseconds?}"),
        problems: [.machineNotFound, .invalidData, .routeNotFound, .payloadTooLarge] + writing)
    /// Lets nothing of a machine start, and its instances take nothing.
    public static let suspendMachine = Route(
        .post, "/v1/machines/{machine}/suspend", for: .operate, body: .object("{reason?, dryRun?}"),
        answer: .object("as for active, with {instances, dryRun?}: how many run"),
        problems: [.machineNotFound, .invalidData, .routeNotFound, .payloadTooLarge] + writing)
    /// Ends the suspension of a machine, and resumes those that it has suspended.
    public static let resumeMachine = Route(
        .post, "/v1/machines/{machine}/resume", for: .operate, body: .object("{run, reason?, dryRun?}"),
        answer: .object("as for active, with {instances, run?, dryRun?}: how many go on by the run"),
        problems: [.machineNotFound, .keyReused, .routeNotFound, .payloadTooLarge] + writing)
    /// Says how long finished instances of a machine are kept.
    public static let retainMachine = Route(
        .post, "/v1/machines/{machine}/retention", for: .operate,
        body: .object("{retention: delay or 'none', dryRun?}"),
        answer: .object("as for active; of a dry run with {instances, dryRun}: how many would be deleted now"),
        problems: [.machineNotFound, .invalidData, .routeNotFound, .payloadTooLarge] + writing)
    /// Replays the histories of a machine's instances with another definition.
    public static let backtestMachine = Route(
        .post, "/v1/machines/{machine}/replay", for: .read, body: .definition, query: ["version"],
        answer: .lines("progress, what parts, counts"),
        problems: [.machineNotFound, .routeNotFound, .invalidDefinition, .payloadTooLarge])
}

// MARK: Instances

extension Route {
    /// Starts an instance.
    public static let startInstance = Route(
        .post, "/v1/instances", for: .send, body: .object("{machine, version?, instance?, data?}"),
        answer: .object("201, the instance"),
        problems: [
            .machineNotFound, .machineSuspended, .instanceExists, .invalidName, .invalidData, .expressionFailed,
            .livelock,
        ] + keyed + [.instancePurged, .payloadTooLarge] + writing)
    /// A page of instances.
    public static let listInstances = Route(
        .get, "/v1/instances", for: .read,
        query: ["machine", "status", "state", "olderThan", "ahead", "failure", "sort", "limit", "page"],
        answer: .object("{items: [instance…], nextPage?}"), problems: [.machineNotFound] + paging)
    /// Why instances have failed.
    public static let listFailures = Route(
        .get, "/v1/failures", for: .read, query: ["machine"],
        answer: .object(
            "{items: [{machine, version, failedVersion?, count, since, sinceInMilliseconds, instance, event, type, "
                + "state?, line?, expression?, message, error?}…], others?}"), problems: [.machineNotFound])
    /// How many instances are where.
    public static let listTally = Route(
        .get, "/v1/tally", for: .read, query: ["machine", "outdated", "limit", "page"],
        answer: .object("{items: [{machine, version, semantics, status, configuration, count}…], nextPage?}"),
        problems: [.machineNotFound] + paging)
    /// An instance as it is, or as it was.
    public static let showInstance = Route(
        .get, "/v1/instances/{instance}", for: .read, query: ["seq"],
        answer: .object(
            "{instance, machine, version, status, configuration, tags?, context, output?, failure?, "
                + "suspended?: {at, actor?, reason?}, machineSuspended?: {machine, at, actor?, reason?}, "
                + "redacted?, waitsFor?: [effect…], timerSkipped?: {event, at, lateMilliseconds, accepted}, seq, "
                + "enteredAt?, inState?, createdAt, updatedAt}"),
        problems: missing + [.redacted])
    /// Sends an event to an instance.
    public static let sendEvent = Route(
        .post, "/v1/instances/{instance}/events", for: .send, body: .object(event),
        query: ["dryRun", "detail", "explain"],
        answer: .object(
            "{instance, event, seq, fromSeq, from, to, status, configuration, tags?, context?, output?, exited?, "
                + "entered?, dryRun?, begun?, cancelled?, candidates?}"),
        problems: missing + sending + keyed + [.payloadTooLarge] + writing)
    /// What an instance takes now.
    public static let listEvents = Route(
        .get, "/v1/instances/{instance}/events", for: .read,
        answer: .object("{items: [{event, accepted}…], tags?, status, failure?}"),
        problems: missing)
    /// Sends events to many instances, and starts others, a line each.
    public static let sendEvents = Route(
        .post, "/v1/events", for: .send,
        body: .lines("{instance, event, data?, expect?, key?} or {instance, start: {machine, version?, data?}, key?}"),
        query: ["atomic", "context"], answer: .lines("{line, status, repeated?, answer?, error?}"),
        problems: [.instanceNotFound, .machineNotFound, .instanceExists] + sending + keyed
            + [.instancePurged, .payloadTooLarge] + writing)
    /// The macrosteps of an instance.
    public static let listHistory = Route(
        .get, "/v1/instances/{instance}/history", for: .read,
        query: ["limit", "after", "cursor", "reverse", "page", "detail", "wait"],
        answer: .object(
            "{items: [{seq, at, realAt?, kind, event, data?, from, to, actor?, key?, note?, redacted?, cursor, retry?, "
                + "exited?, entered?}…], nextPage?}"), problems: missing + paging)
    /// The macrosteps of an instance as they come.
    public static let streamInstance = Route(
        .get, "/v1/instances/{instance}/stream", for: .read, query: ["kind", "event", "state", "after"],
        answer: .events("{instance, machine, version, …}, behind these as in the history"),
        problems: missing + [.generationChanged])
    /// The macrosteps of all instances as they come.
    public static let streamAll = Route(
        .get, "/v1/stream", for: .read, query: ["machine", "kind", "event", "state", "after"],
        answer: .events("{instance, machine, version, …}, behind these as in the history"),
        problems: [.machineNotFound, .generationChanged])
    /// Takes the macrosteps of an instance again.
    public static let replayInstance = Route(
        .get, "/v1/instances/{instance}/replay", for: .read, query: ["to", "trace"],
        answer: .lines("one for each macrostep"), problems: missing)
    /// Replays the history of an instance with another definition.
    public static let backtestInstance = Route(
        .post, "/v1/instances/{instance}/replay", for: .read, body: .definition,
        answer: .lines("progress, what parts"), problems: missing + [.invalidDefinition, .payloadTooLarge])
    /// Compares an instance with its history.
    public static let verifyInstance = Route(
        .post, "/v1/instances/{instance}/verify", for: .read, answer: .lines("progress, differences, counts"),
        problems: missing)
}

// MARK: What operators do to instances

extension Route {
    /// Ends an instance where it stands.
    public static let cancelInstance = Route(
        .post, "/v1/instances/{instance}/cancel", for: .operate, body: .object("{reason, actions?, seq?, dryRun?}"),
        answer: .object("as for an event"), problems: repairing + [.instanceFinished] + undone)
    /// Takes an instance over to another version of its machine.
    public static let migrateInstance = Route(
        .post, "/v1/instances/{instance}/migrate", for: .operate,
        body: .object(
            "{reason, to?, map?: {old: new…}, assign?: {path: CEL…}, drop?: [path…], timers?: 'since-entry' or "
                + "'from-now', cancelInvocations?, retry?, seq?, dryRun?}"),
        answer: .object(
            "as for an event, with migration: {from, to, kept: [{event, due}…], new: [{event, due}…], ended, "
                + "cancelled, forgotten, undeclared}"),
        problems: repairing + [.machineNotFound, .instanceFinished, .instanceNotFailed, .invalidData, .misfit] + undone)
    /// Lets a failed instance go on.
    public static let retryInstance = Route(
        .post, "/v1/instances/{instance}/retry", for: .operate, body: .object("{reason?, seq?, dryRun?}"),
        answer: .object("as for an event; status is failed when it failed again"),
        problems: repairing + [.instanceNotFailed])
    /// Lets a failed instance go on without what it failed on.
    public static let skipInstance = Route(
        .post, "/v1/instances/{instance}/skip", for: .operate, body: .object("{reason, seq?, dryRun?}"),
        answer: .object("as for an event"), problems: repairing + [.instanceNotFailed] + undone)
    /// Changes the context of an instance.
    public static let setInstance = Route(
        .post, "/v1/instances/{instance}/set", for: .operate,
        body: .object("{reason, set?: {path: value…}, unset?: [path…], seq?, dryRun?}"),
        answer: .object("as for an event"), problems: repairing + [.instanceFinished, .invalidData] + undone)
    /// Lets an instance take nothing from now on.
    public static let suspendInstance = Route(
        .post, "/v1/instances/{instance}/suspend", for: .operate, body: .object("{reason?, seq?, dryRun?}"),
        answer: .object("as for an event"),
        problems: repairing + [.instanceFinished, .instanceFailed, .instanceSuspended])
    /// Ends a suspension.
    public static let resumeInstance = Route(
        .post, "/v1/instances/{instance}/resume", for: .operate, body: .object("{reason?, seq?, dryRun?}"),
        answer: .object("as for an event"), problems: repairing + [.instanceNotSuspended, .machineSuspended] + undone)
    /// Gives an instance the state again that it had after a seq.
    public static let resetInstance = Route(
        .post, "/v1/instances/{instance}/reset", for: .operate,
        body: .object("{to, reason, timers?, invocations?, seq?, dryRun?}"),
        answer: .object(
            "as for an event, with {reset: {to, timers, otherTimers?, invocations, fromVersion?, toVersion?}}"),
        problems: repairing + [.seqNotFound, .invocationsUndecided])
    /// Gives an instance the state again that it had before its migration.
    public static let undoMigration = Route(
        .post, "/v1/instances/{instance}/undo", for: .operate,
        body: .object("{reason, invocations?, seq?, dryRun?}"), answer: .object("as for a reset"),
        problems: repairing + [.notUndoable, .invocationsUndecided])
    /// Deletes an instance with its history.
    public static let deleteInstance = Route(
        .delete, "/v1/instances/{instance}", for: .operate, query: ["reason", "confirm", "cancelEffects", "dryRun"],
        answer: .object("{instance, uuid, machine, version, rows, digest?, at, cancelled?, pending?, dryRun?}"),
        problems: missing + [.instanceNotFinished, .effectsOpen, .preconditionFailed, .keyReused] + writing)
    /// Deletes instances that finished long ago.
    public static let purge = Route(
        .post, "/v1/purge", for: .operate, body: .object("{finishedBefore, machine?, reason, dryRun?}"),
        answer: .object("{deleted, rows, kept, done, pending?, dryRun?}; ask again until it is done"),
        problems: [.machineNotFound, .payloadTooLarge] + writing)
    /// What was deleted.
    public static let listAudit = Route(
        .get, "/v1/audit", for: .read, query: ["limit", "page"],
        answer: .object("{items: [{uuid, machine?, version?, rows, digest, at, actor?, reason?}…], nextPage?}"),
        problems: paging)
    /// Erases what rows of an instance say, and of its context what is named.
    public static let redactInstance = Route(
        .post, "/v1/instances/{instance}/redact", for: .operate,
        body: .object("{reason, seqs?, paths?: [path…], name?, seq?, dryRun?}"),
        answer: .object(
            "{instance, seq, status, configuration, seqs?, data?, paths?, context?, renamed?, emptied?, pending?, "
                + "dryRun?, repeated?}"),
        problems: repairing + [
            .invalidData, .invalidName, .seqNotFound, .effectsOpen, .instanceExists,
        ])
}

// MARK: What operators do to many instances

extension Route {
    /// One verb for many instances.
    public static let runBulk = Route(
        .post, "/v1/bulk", for: .operate,
        body: .object("{run, action, select, expect?, dryRun?, reason?}, or lines: this, then {instance}…"),
        answer: .lines("progress, {rehearsal} or {run}"),
        problems: [.machineNotFound, .unknownEvent, .selectionChanged, .keyReused, .payloadTooLarge] + writing)
    /// The runs that are kept.
    public static let listRuns = Route(
        .get, "/v1/bulk", for: .read, answer: .object("{items: [run…]}, the last begun first"))
    /// A run, and how far it is.
    public static let showRun = Route(
        .get, "/v1/bulk/{run}", for: .read,
        answer: .object(
            "{run, action, select?, names?, expect?, reason?, actor?, state, paused?, undoneBy?, selected, "
                + "counts: {done, misfit, refused, changed, failed, passedOver}, "
                + "told: [{outcome, instance, message?}…], begunAt, updatedAt, endedAt?}"),
        problems: [.runNotFound, .routeNotFound])
    /// The instances that a run has left out.
    public static let listLeftOut = Route(
        .get, "/v1/bulk/{run}/instances", for: .read, query: ["outcome"],
        answer: .lines("{outcome, instance, message?}"), problems: [.runNotFound, .notUndoable, .routeNotFound])
    /// Stops a run.
    public static let stopRun = Route(
        .post, "/v1/bulk/{run}/stop", for: .operate, answer: .object("the run"),
        problems: [.runNotFound, .routeNotFound] + writing)
    /// Lets a run go on that was stopped.
    public static let resumeRun = Route(
        .post, "/v1/bulk/{run}/resume", for: .operate, answer: .object("the run"),
        problems: [.runNotFound, .routeNotFound] + writing)
}

// MARK: Tasks

extension Route {
    /// Hands out tasks of a queue.
    public static let leaseTasks = Route(
        .post, "/v1/tasks/{queue}/lease", for: .work, body: .object("{max?, wait?, lease?, worker?}"),
        answer: .object(
            "{tasks: [{task, instance, id, attempt, key, input, progress?, leasedUntil, deadline?, traceparent}…]}"),
        problems: [.invalidName, .routeNotFound, .payloadTooLarge] + writing)
    /// Takes the result of a task.
    public static let completeTask = Route(
        .post, "/v1/tasks/{task}/complete", for: .work, body: .value("the result"), answer: .nothing,
        problems: [.invalidData] + reporting)
    /// Takes that an attempt at a task has failed.
    public static let failTask = Route(
        .post, "/v1/tasks/{task}/fail", for: .work, body: .object("{type?, message, details?, retry?, retryAfter?}"),
        answer: .nothing, problems: reporting)
    /// Takes that somebody still works on a task.
    public static let prolongTask = Route(
        .post, "/v1/tasks/{task}/heartbeat", for: .work, body: .object("{progress?}"),
        answer: .object("{leasedUntil}"), problems: reporting)
    /// Takes what workers say of many tasks, a line each.
    public static let reportTasks = Route(
        .post, "/v1/tasks", for: .work, body: .lines("{task, complete | fail | heartbeat}"),
        answer: .lines("{line, status, leasedUntil?, error?}"),
        problems: [.invalidData, .leaseLost, .payloadTooLarge] + writing)
    /// What instances ask of the world.
    public static let listEffects = Route(
        .get, "/v1/effects", for: .read, query: ["instance", "queue", "state", "limit", "page"],
        answer: .object(
            "{items: [{instance, id, seq, queue, state, priority, due, dueInMilliseconds, turn?, attempts, worker?, "
                + "progress?, error?, failedAttempts?: [{attempt, begun, ended, outcome, error?}…]}…], nextPage?}"),
        problems: [.instanceNotFound] + paging)
}

extension Route {
    /// The attempts at an instance's effects, also at those that have ended.
    public static let listAttempts = Route(
        .get, "/v1/instances/{instance}/attempts", for: .read, query: ["limit", "page"],
        answer: .object("{items: [{id?, seq, attempt, begun, ended, outcome, error?}…], nextPage?}"),
        problems: missing + paging)
}

// MARK: What operators say of effects

extension Route {
    /// Says what becomes of an effect.
    public static let decideEffect = Route(
        .post, "/v1/instances/{instance}/effects/{effect}", for: .operate,
        body: .object("{action: retry | skip | cancel, seq?, result?, newKey?, reason?}"),
        answer: .object("{instance, id, action, seq, from, to, failed?, turn?, repeated?}"),
        problems: missing + [.effectNotFound, .effectNotWaiting, .preconditionFailed] + keyed + [.payloadTooLarge]
            + writing)
    /// The queues, with what waits in them.
    public static let listQueues = Route(
        .get, "/v1/queues", for: .read, query: ["limit", "page"],
        answer: .object(
            "{items: [{queue, ready, waiting, leased, running, failed, held, answered, workers?, oldestDue?, "
                + "oldestDueInMilliseconds?, settings}…], nextPage?}"), problems: paging)
    /// Says how much of a queue may run.
    public static let setQueue = Route(
        .patch, "/v1/queues/{queue}", for: .operate,
        body: .object("{concurrency?: int or null, rate?: {count, milliseconds} or null, paused?, new?}"),
        answer: .object("{queue, concurrency?, rate?, paused, actor?, setAt?}"),
        problems: [.invalidName, .invalidData, .routeNotFound, .queueNotFound, .payloadTooLarge] + writing)
    /// Lets held effects start.
    public static let release = Route(
        .post, "/v1/release", for: .operate, answer: .object("{wasHeld}"), problems: writing)
}

// MARK: Time, files and health

extension Route {
    /// What comes by itself, of all instances.
    public static let listTimers = Route(
        .get, "/v1/timers", for: .read, query: ["limit", "page"],
        answer: .object("{items: [{instance, event, due, dueInMilliseconds, waits?, suspended?}…], nextPage?}"),
        problems: paging)
    /// What comes to an instance by itself.
    public static let listInstanceTimers = Route(
        .get, "/v1/instances/{instance}/timers", for: .read,
        answer: .object(
            "{items: [{instance, event, due, dueInMilliseconds, state?, id?, skipMilliseconds?, rearms?, "
                + "waits?, suspended?}…]}"),
        problems: missing)
    /// The daemon's clock.
    public static let showClock = Route(.get, "/v1/clock", for: .read, answer: .object("{clock, now}"))
    /// Moves a virtual clock.
    public static let moveClock = Route(
        .post, "/v1/clock", for: .operate, body: .object("{to, stopAtTasks?}"),
        answer: .object("{clock, now, fired, done, tasks?}; ask again until it is done or names queues as tasks"),
        problems: [.clockNotVirtual, .invalidTime, .payloadTooLarge] + writing)
    /// Compares all that the store holds with what its histories lead to.
    public static let verifyAll = Route(
        .post, "/v1/verify", for: .operate, answer: .lines("progress, differences, counts"))
    /// Makes a backup.
    public static let makeBackup = Route(
        .post, "/v1/backups", for: .backup, answer: .lines("progress, {backup, bytes, digest…}"),
        problems: [.backupRunning, .draining])
    /// The bytes of a backup, once.
    public static let fetchBackup = Route(
        .get, "/v1/backups/{backup}", for: .backup, answer: .bytes("the database"),
        problems: [.backupNotFound, .routeNotFound])
    /// Whether the process answers.
    public static let live = Route(.get, "/livez", for: .health, query: nil, answer: .object("{status, version}"))
    /// Whether the daemon takes requests.
    public static let ready = Route(
        .get, "/readyz", for: .health, query: nil, answer: .object("{status, version, held?, holdReason?}"),
        problems: [.draining])
    /// What an operator looks at first.
    public static let status = Route(
        .get, "/v1/status", for: .read,
        answer: .object(
            "{status, reason?, version, held?, holdReason?, suspendedMachines?: [{machine, at, actor?, reason?}…], "
                + "behind?, lateTimers?, waiting, instances: [{status, count}…], failures: [failure…], otherFailures?, "
                + "queues?: [queue…], otherQueues?, deleting?, "
                + "disk?: {file, pages?, freePages?, log, logHeld?, logErased?, free?}, runs?: [run…], otherRuns?, "
                + "lastBackupAt?, lastVerificationAt?}"))
    /// What monitoring reads.
    public static let metrics = Route(
        .get, "/metrics", for: .read, answer: .bytes("metrics in the text format of Prometheus"))
}

// MARK: Problems that several have

extension Route {
    private static let event = "{event, data?, expect?: {seq?, state?}}"
    /// A path whose parameter is not percent-encoded names no route.
    private static let missing: [ProblemType] = [.instanceNotFound, .routeNotFound]
    private static let paging: [ProblemType] = [.invalidPageToken, .generationChanged]
    private static let writing: [ProblemType] = [.draining, .outcomeUnknown]
    /// A path that is not percent-encoded names no task.
    private static let reporting: [ProblemType] = [.leaseLost, .routeNotFound, .payloadTooLarge] + writing
    private static let keyed: [ProblemType] = [.keyReused, .keyExpired, .keyAhead, .redacted]
    private static let repairing: [ProblemType] =
        missing + [.preconditionFailed] + keyed + [.payloadTooLarge] + writing
    /// What an operator does lets the machine settle.
    private static let undone: [ProblemType] = [.expressionFailed, .livelock]
    private static let sending: [ProblemType] = [
        .eventNotAccepted, .guardRejected, .instanceFinished, .instanceFailed, .instanceSuspended, .machineSuspended,
        .expressionFailed, .livelock,
        .unknownEvent, .reservedEvent, .invalidName, .invalidData, .preconditionFailed,
    ]
}
