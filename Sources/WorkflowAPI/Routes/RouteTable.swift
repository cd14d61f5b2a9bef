// The table of routes: every method and path that the daemon serves.

import WorkflowJSON

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
        backtestMachine, showStats, verifyInstance, verifyAll, makeBackup, fetchBackup, live, ready, status,
        listDaemons, metrics, openAPI, whoami, createSession, listTokens, createToken, rotateToken, revokeToken,
    ]

    /// The problems that can be the answer on every route. An address for metrics alone has no other route.
    public static let commonProblems: [ProblemType] = [
        .routeNotFound, .invalidRequest, .invalidParameter, .unsupportedMediaType, .wrongHost, .crossSite,
        .unauthenticated, .forbidden, .expectationFailed,
        .headTooLarge, .requestTimeout, .notImplemented, .overloaded, .partitionMoving,
        .storageUnavailable, .databaseDamaged, .internalError,
    ]
}

// MARK: Machines

extension Route {
    /// Makes a definition the next version of its machine.
    public static let applyDefinition = Route(
        "applyDefinition", .post, "/v1/machines", for: .define, body: .definition, query: ["activate"],
        answer: .object(
            .of(
                MachineSummary.self,
                "201 {machine, version, semantics, active?, digest, createdAt, warnings, differences?}; 200 when it is "
                    + "the latest already")),
        problems: [.invalidDefinition, .invalidData, .payloadTooLarge] + writing)
    /// The latest version of each machine.
    public static let listMachines = Route(
        "listMachines", .get, "/v1/machines", for: .read, query: ["limit", "page"],
        answer: .object(.of(Page<MachineSummary>.self)),
        problems: paging)
    /// The latest version of a machine.
    public static let showMachine = Route(
        "showMachine", .get, "/v1/machines/{machine}", for: .read,
        answer: .object(.of(MachineSummary.self, "the machine with its source")),
        problems: [.machineNotFound])
    /// A version of a machine.
    public static let showMachineVersion = Route(
        "showMachineVersion", .get, "/v1/machines/{machine}/versions/{version}", for: .read,
        answer: .object(.of(MachineSummary.self, "the machine with its source")),
        problems: [.machineNotFound])
    /// Sets the version that new instances of a machine take.
    public static let activateMachine = Route(
        "activateMachine", .post, "/v1/machines/{machine}/active", for: .define,
        body: .object(.of(ActivateRequest.self, "{version: int or 'latest'}")),
        answer: .object(.of(MachineSettingsItem.self)),
        problems: [.machineNotFound, .invalidData, .payloadTooLarge] + writing)
    /// Suspends a machine: no instance starts, and its instances accept nothing.
    public static let suspendMachine = Route(
        "suspendMachine", .post, "/v1/machines/{machine}/suspend", for: .operate,
        body: .object(.of(SuspendMachineRequest.self)),
        answer: .object(.of(MachineSettingsItem.self, "as for active, with {instances, dryRun?}: how many run")),
        problems: [.machineNotFound, .invalidData, .payloadTooLarge] + writing)
    /// Ends the suspension of a machine, and resumes the instances that were suspended with it.
    public static let resumeMachine = Route(
        "resumeMachine", .post, "/v1/machines/{machine}/resume", for: .operate,
        body: .object(.of(ResumeMachineRequest.self)),
        answer: .object(
            .of(MachineSettingsItem.self, "as for active, with {instances, run?, dryRun?}: how many go on by the run")),
        problems: [.machineNotFound, .keyReused, .payloadTooLarge] + writing)
    /// Sets the time for which finished instances of a machine are kept.
    public static let retainMachine = Route(
        "retainMachine", .post, "/v1/machines/{machine}/retention", for: .operate,
        body: .object(.of(RetentionRequest.self, "{retention: delay or 'none', dryRun?}")),
        answer: .object(
            .of(
                MachineSettingsItem.self,
                "as for active; of a dry run with {instances, dryRun}: how many would be deleted now")),
        problems: [.machineNotFound, .invalidData, .payloadTooLarge] + writing)
    /// Replays the histories of a machine's instances with another definition.
    public static let backtestMachine = Route(
        "backtestMachine", .post, "/v1/machines/{machine}/replay", for: .read, body: .definition, query: ["version"],
        answer: .lines(.of(BacktestLine.self, "progress, what parts, counts")),
        problems: [.machineNotFound, .invalidDefinition, .payloadTooLarge])
    /// Statistics of a machine: stays of instances in its states, taken transitions, and failures.
    public static let showStats = Route(
        "showStats", .get, "/v1/machines/{machine}/stats", for: .read, query: ["since", "version"],
        answer: .object(.of(MachineStats.self)), problems: [.machineNotFound])
}

// MARK: Instances

extension Route {
    /// Starts an instance.
    public static let startInstance = Route(
        "startInstance", .post, "/v1/instances", for: .send, body: .object(.of(StartRequest.self)),
        answer: .object(.of(Instance.self, "201, the instance")),
        problems: [
            .machineNotFound, .machineSuspended, .instanceExists, .invalidName, .invalidData, .expressionFailed,
            .livelock,
        ] + keyed + [.instancePurged, .payloadTooLarge] + writing)
    /// A page of instances.
    public static let listInstances = Route(
        "listInstances", .get, "/v1/instances", for: .read,
        query: [
            "prefix", "machine", "version", "status", "state", "olderThan", "ahead", "failure", "where", "sort",
            "limit", "page",
        ],
        answer: .object(.of(InstancePage.self)), problems: [.machineNotFound] + paging)
    /// The failures of instances, in groups.
    public static let listFailures = Route(
        "listFailures", .get, "/v1/failures", for: .read, query: ["machine"],
        answer: .object(.of(FailureList.self)), problems: [.machineNotFound])
    /// The numbers of instances by machine version, status and configuration.
    public static let listTally = Route(
        "listTally", .get, "/v1/tally", for: .read, query: ["machine", "outdated", "limit", "page"],
        answer: .object(.of(Page<TallyItem>.self)),
        problems: [.machineNotFound] + paging)
    /// An instance as it is, or as it was after a macrostep.
    public static let showInstance = Route(
        "showInstance", .get, "/v1/instances/{instance}", for: .read, query: ["seq"],
        answer: .object(.of(Instance.self)),
        problems: missing + [.redacted, .seqNotFound])
    /// Sends an event to an instance.
    public static let sendEvent = Route(
        "sendEvent", .post, "/v1/instances/{instance}/events", for: .send, body: .object(.of(SendRequest.self)),
        query: ["dryRun", "detail", "explain"],
        answer: .object(.of(SendAnswer.self)),
        problems: missing + sending + keyed + [.payloadTooLarge] + writing)
    /// The events that an instance accepts now.
    public static let listEvents = Route(
        "listEvents", .get, "/v1/instances/{instance}/events", for: .read,
        answer: .object(.of(AcceptedEvents.self)),
        problems: missing)
    /// Sends events to many instances and starts others, one in each line.
    public static let sendEvents = Route(
        "sendEvents", .post, "/v1/events", for: .send,
        body: .lines(
            .of(BatchLine.self, "{instance, event, data?, expect?, key?} or {instance, start: {machine}, key?}")),
        query: ["atomic", "context"], answer: .lines(.of(BatchAnswer.self)),
        problems: [.instanceNotFound, .machineNotFound, .instanceExists] + sending + keyed
            + [.instancePurged, .payloadTooLarge] + writing)
    /// The macrosteps of an instance.
    public static let listHistory = Route(
        "listHistory", .get, "/v1/instances/{instance}/history", for: .read,
        query: ["limit", "after", "cursor", "reverse", "page", "detail", "wait"],
        answer: .object(.of(Page<HistoryItem>.self)), problems: missing + paging)
    /// The macrosteps of an instance as they occur.
    public static let streamInstance = Route(
        "streamInstance", .get, "/v1/instances/{instance}/stream", for: .read,
        query: ["kind", "event", "state", "after"],
        answer: .events(.of(StreamItem.self, "{instance, machine, version, …}, behind these as in the history")),
        problems: missing + [.generationChanged])
    /// The macrosteps of all instances as they occur.
    public static let streamAll = Route(
        "streamAll", .get, "/v1/stream", for: .read, query: ["machine", "kind", "event", "state", "after"],
        answer: .events(.of(StreamItem.self, "{instance, machine, version, …}, behind these as in the history")),
        problems: [.machineNotFound, .generationChanged])
    /// Replays the macrosteps of an instance.
    public static let replayInstance = Route(
        "replayInstance", .get, "/v1/instances/{instance}/replay", for: .read, query: ["from", "to", "trace"],
        answer: .lines(.of(ReplayStep.self, "one for each macrostep")),
        problems: missing + [.seqNotFound])
    /// Replays the history of an instance with another definition.
    public static let backtestInstance = Route(
        "backtestInstance", .post, "/v1/instances/{instance}/replay", for: .read, body: .definition,
        answer: .lines(.of(BacktestLine.self, "progress, what parts")),
        problems: missing + [.invalidDefinition, .payloadTooLarge])
    /// Compares an instance with its history.
    public static let verifyInstance = Route(
        "verifyInstance", .post, "/v1/instances/{instance}/verify", for: .read,
        answer: .lines(.of(VerificationLine.self, "progress, differences, counts")),
        problems: missing)
}

// MARK: What operators do to instances

extension Route {
    /// Ends an instance in its present state.
    public static let cancelInstance = Route(
        "cancelInstance", .post, "/v1/instances/{instance}/cancel", for: .operate,
        body: .object(.of(CancelRequest.self)),
        answer: .object(.of(SendAnswer.self, "as for an event")), problems: repairing + [.instanceFinished] + undone)
    /// Migrates an instance to another version of its machine.
    public static let migrateInstance = Route(
        "migrateInstance", .post, "/v1/instances/{instance}/migrate", for: .operate,
        body: .object(
            .of(
                MigrateRequest.self,
                "{reason, to?, map?: {old: new…}, assign?: {path: CEL…}, drop?: [path…], timers?: 'since-entry' or "
                    + "'from-now', cancelInvocations?, retry?, seq?, dryRun?}")),
        answer: .object(
            .of(
                SendAnswer.self,
                "as for an event, with migration: {from, to, kept: [{event, due}…], new: [{event, due}…], ended, "
                    + "cancelled, forgotten, undeclared}")),
        problems: repairing + [.machineNotFound, .instanceFinished, .instanceNotFailed, .invalidData, .misfit] + undone)
    /// Applies again the event that a failed instance failed on.
    public static let retryInstance = Route(
        "retryInstance", .post, "/v1/instances/{instance}/retry", for: .operate, body: .object(.of(RepairRequest.self)),
        answer: .object(.of(SendAnswer.self, "as for an event; status is failed when it failed again")),
        problems: repairing + [.instanceNotFailed])
    /// Lets a failed instance continue without the event that it failed on.
    public static let skipInstance = Route(
        "skipInstance", .post, "/v1/instances/{instance}/skip", for: .operate,
        body: .object(.of(RepairRequest.self, "{reason, seq?, dryRun?}")),
        answer: .object(.of(SendAnswer.self, "as for an event")), problems: repairing + [.instanceNotFailed] + undone)
    /// Changes the context of an instance.
    public static let setInstance = Route(
        "setInstance", .post, "/v1/instances/{instance}/set", for: .operate,
        body: .object(.of(SetRequest.self)),
        answer: .object(.of(SendAnswer.self, "as for an event")),
        problems: repairing + [.instanceFinished, .invalidData] + undone)
    /// Suspends an instance.
    public static let suspendInstance = Route(
        "suspendInstance", .post, "/v1/instances/{instance}/suspend", for: .operate,
        body: .object(.of(RepairRequest.self)),
        answer: .object(.of(SendAnswer.self, "as for an event")),
        problems: repairing + [.instanceFinished, .instanceFailed, .instanceSuspended])
    /// Ends the suspension of an instance.
    public static let resumeInstance = Route(
        "resumeInstance", .post, "/v1/instances/{instance}/resume", for: .operate,
        body: .object(.of(RepairRequest.self)),
        answer: .object(.of(SendAnswer.self, "as for an event")),
        problems: repairing + [.instanceNotSuspended, .machineSuspended] + undone)
    /// Gives an instance the state that it had after a seq.
    public static let resetInstance = Route(
        "resetInstance", .post, "/v1/instances/{instance}/reset", for: .operate,
        body: .object(.of(ResetRequest.self)),
        answer: .object(
            .of(
                SendAnswer.self,
                "as for an event, with {reset: {to, timers, otherTimers?, invocations, fromVersion?, toVersion?}}")),
        problems: repairing + [.seqNotFound, .invocationsUndecided])
    /// Gives an instance the state that it had before its migration.
    public static let undoMigration = Route(
        "undoMigration", .post, "/v1/instances/{instance}/undo", for: .operate,
        body: .object(.of(UndoRequest.self)), answer: .object(.of(SendAnswer.self, "as for a reset")),
        problems: repairing + [.notUndoable, .invocationsUndecided])
    /// Deletes an instance with its history.
    public static let deleteInstance = Route(
        "deleteInstance", .delete, "/v1/instances/{instance}", for: .operate,
        query: ["reason", "confirm", "cancelEffects", "dryRun"],
        answer: .object(.of(DeletedInstance.self)),
        problems: missing + [.instanceNotFinished, .effectsOpen, .preconditionFailed, .keyReused] + writing)
    /// Deletes instances that finished long ago.
    public static let purge = Route(
        "purge", .post, "/v1/purge", for: .operate, body: .object(.of(PurgeRequest.self)),
        answer: .object(
            .of(PurgeAnswer.self, "{deleted, rows, kept, done, pending?, dryRun?}; ask again until it is done")),
        problems: [.machineNotFound, .payloadTooLarge] + writing)
    /// The deleted instances, and the changes that belong to no instance's history, latest first.
    public static let listAudit = Route(
        "listAudit", .get, "/v1/audit", for: .read, query: ["action", "actor", "since", "limit", "page"],
        answer: .object(.of(Page<AuditItem>.self)),
        problems: paging)
    /// Erases the content of an instance's rows, and values of its context.
    public static let redactInstance = Route(
        "redactInstance", .post, "/v1/instances/{instance}/redact", for: .operate,
        body: .object(.of(RedactRequest.self)),
        answer: .object(.of(RedactAnswer.self)),
        problems: repairing + [
            .invalidData, .invalidName, .seqNotFound, .effectsOpen, .instanceExists,
        ])
}

// MARK: What operators do to many instances

extension Route {
    /// Carries out one verb for many instances.
    public static let runBulk = Route(
        "runBulk", .post, "/v1/bulk", for: .operate,
        body: .objectOrLines(
            .of(BulkRequest.self, "{run, action, select, expect?, dryRun?, reason?}"), .of(BulkName.self)),
        answer: .lines(.of(BulkLine.self, "progress, {rehearsal} or {run}")),
        problems: [.machineNotFound, .unknownEvent, .selectionChanged, .keyReused, .payloadTooLarge] + writing)
    /// The stored runs over many instances.
    public static let listRuns = Route(
        "listRuns", .get, "/v1/bulk", for: .read,
        answer: .object(.of(Page<BulkRun>.self, "{items: [run…]}, the last begun first")))
    /// A run and its progress.
    public static let showRun = Route(
        "showRun", .get, "/v1/bulk/{run}", for: .read,
        answer: .object(.of(BulkRun.self)),
        problems: [.runNotFound])
    /// The instances that a run left out.
    public static let listLeftOut = Route(
        "listLeftOut", .get, "/v1/bulk/{run}/instances", for: .read, query: ["outcome"],
        answer: .lines(.of(BulkTold.self)), problems: [.runNotFound, .notUndoable])
    /// Stops a run.
    public static let stopRun = Route(
        "stopRun", .post, "/v1/bulk/{run}/stop", for: .operate, answer: .object(.of(BulkRun.self, "the run")),
        problems: [.runNotFound] + writing)
    /// Resumes a stopped run.
    public static let resumeRun = Route(
        "resumeRun", .post, "/v1/bulk/{run}/resume", for: .operate, answer: .object(.of(BulkRun.self, "the run")),
        problems: [.runNotFound] + writing)
}

// MARK: Tasks

extension Route {
    /// Hands out tasks of a queue.
    public static let leaseTasks = Route(
        "leaseTasks", .post, "/v1/tasks/{queue}/lease", for: .work, body: .object(.of(LeaseRequest.self)),
        answer: .object(.of(LeasedTasks.self)),
        problems: [.invalidName, .payloadTooLarge] + writing)
    /// Accepts the result of a task.
    public static let completeTask = Route(
        "completeTask", .post, "/v1/tasks/{task}/complete", for: .work, body: .value(.of(JSONValue.self, "the result")),
        answer: .nothing,
        problems: [.invalidData] + reporting)
    /// Accepts the report that an attempt at a task failed.
    public static let failTask = Route(
        "failTask", .post, "/v1/tasks/{task}/fail", for: .work, body: .object(.of(FailRequest.self)),
        answer: .nothing, problems: reporting)
    /// Accepts a heartbeat: the worker is still working on a task.
    public static let prolongTask = Route(
        "prolongTask", .post, "/v1/tasks/{task}/heartbeat", for: .work, body: .object(.of(HeartbeatRequest.self)),
        answer: .object(.of(Heartbeat.self)), problems: reporting)
    /// Accepts reports about many tasks, one in each line.
    public static let reportTasks = Route(
        "reportTasks", .post, "/v1/tasks", for: .work,
        body: .lines(.of(TaskLine.self, "{task, complete | fail | heartbeat}")),
        answer: .lines(.of(TaskLineAnswer.self)),
        problems: [.invalidData, .leaseLost, .payloadTooLarge] + writing)
    /// The open effects of instances.
    public static let listEffects = Route(
        "listEffects", .get, "/v1/effects", for: .read, query: ["instance", "queue", "state", "limit", "page"],
        answer: .object(.of(Page<EffectItem>.self)),
        problems: [.instanceNotFound] + paging)
}

extension Route {
    /// The attempts at an instance's effects, also at those that have ended.
    public static let listAttempts = Route(
        "listAttempts", .get, "/v1/instances/{instance}/attempts", for: .read, query: ["limit", "page"],
        answer: .object(.of(Page<AttemptItem>.self)),
        problems: missing + paging)
}

// MARK: What operators say of effects

extension Route {
    /// Carries out an operator's decision about an effect.
    public static let decideEffect = Route(
        "decideEffect", .post, "/v1/instances/{instance}/effects/{effect}", for: .operate,
        body: .object(.of(EffectVerbRequest.self, "{action: retry | skip | cancel, seq?, result?, newKey?, reason?}")),
        answer: .object(.of(EffectVerbAnswer.self)),
        problems: missing + [.effectNotFound, .effectNotWaiting, .preconditionFailed] + keyed + [.payloadTooLarge]
            + writing)
    /// The queues with their counts and settings.
    public static let listQueues = Route(
        "listQueues", .get, "/v1/queues", for: .read, query: ["limit", "page"],
        answer: .object(.of(Page<QueueItem>.self)), problems: paging)
    /// Sets the limits of a queue.
    public static let setQueue = Route(
        "setQueue", .patch, "/v1/queues/{queue}", for: .operate,
        body: .object(
            .of(QueueRequest.self, "{concurrency?: int or null, rate?: {count, milliseconds} or null, paused?, new?}")),
        answer: .object(.of(QueueSettingsItem.self)),
        problems: [.invalidName, .invalidData, .queueNotFound, .payloadTooLarge] + writing)
    /// Lets held effects start.
    public static let release = Route(
        "release", .post, "/v1/release", for: .operate, answer: .object(.of(ReleasedEffects.self)), problems: writing)
}

// MARK: Time, files and health

extension Route {
    /// The timers and delayed events of all instances.
    public static let listTimers = Route(
        "listTimers", .get, "/v1/timers", for: .read, query: ["limit", "page"],
        answer: .object(.of(Page<TimerItem>.self)),
        problems: paging)
    /// The timers and delayed events of an instance.
    public static let listInstanceTimers = Route(
        "listInstanceTimers", .get, "/v1/instances/{instance}/timers", for: .read,
        answer: .object(.of(Page<TimerItem>.self)),
        problems: missing)
    /// The daemon's clock.
    public static let showClock = Route(
        "showClock", .get, "/v1/clock", for: .read, answer: .object(.of(ClockStatus.self)))
    /// Moves a virtual clock.
    public static let moveClock = Route(
        "moveClock", .post, "/v1/clock", for: .operate, body: .object(.of(ClockRequest.self)),
        answer: .object(
            .of(
                ClockStatus.self,
                "{clock, now, fired, done, tasks?}; ask again until it is done or names queues as tasks")),
        problems: [.clockNotVirtual, .invalidTime, .payloadTooLarge] + writing)
    /// Compares the whole store with the results of its histories.
    public static let verifyAll = Route(
        "verifyAll", .post, "/v1/verify", for: .operate,
        answer: .lines(.of(VerificationLine.self, "progress, differences, counts")))
    /// Makes a backup.
    public static let makeBackup = Route(
        "makeBackup", .post, "/v1/backups", for: .backup,
        answer: .lines(.of(BackupLine.self, "progress, {backup, bytes, digest…}")),
        problems: [.backupRunning, .draining])
    /// The bytes of a backup, which can be fetched once.
    public static let fetchBackup = Route(
        "fetchBackup", .get, "/v1/backups/{backup}", for: .backup, answer: .bytes("the database"),
        problems: [.backupNotFound])
    /// Liveness: the process answers.
    public static let live = Route(
        "live", .get, "/livez", for: .health, at: .here, query: nil, answer: .object(.of(Health.self)))
    /// Readiness: the daemon accepts requests.
    public static let ready = Route(
        "ready", .get, "/readyz", for: .health, at: .here, query: nil, answer: .object(.of(Health.self)),
        problems: [.draining])
    /// An overview for the operator.
    public static let status = Route(
        "status", .get, "/v1/status", for: .status,
        answer: .object(.of(DaemonStatus.self)))
    /// The API's description, for programs that generate clients or check requests.
    public static let openAPI = Route(
        "openAPI", .get, "/openapi.json", for: .health, at: .here, query: nil,
        answer: .object("OpenAPI 3.1, for programs"))
    /// The metrics for monitoring.
    public static let metrics = Route(
        "metrics", .get, "/metrics", for: .status, at: .here, answer: .bytes("metrics in the text format of Prometheus")
    )
    /// The daemons of the store, in the order of their ids.
    public static let listDaemons = Route(
        "listDaemons", .get, "/v1/daemons", for: .status, at: .here, answer: .object(.of(Page<DaemonItem>.self)))
}

// MARK: Access

extension Route {
    /// The caller, as the daemon sees it.
    public static let whoami = Route(
        "whoami", .get, "/v1/whoami", for: .status, at: .here, answer: .object(.of(Whoami.self)))
    /// Gives the caller a code for a session in the console.
    public static let createSession = Route(
        "createSession", .post, "/v1/sessions", for: .status, at: .here,
        answer: .object(.of(SessionCode.self, "201, a code that begins one session")))
    /// The tokens, in the order of their names.
    public static let listTokens = Route(
        "listTokens", .get, "/v1/tokens", for: .access, answer: .object(.of(Page<TokenItem>.self)))
    /// Creates a token.
    public static let createToken = Route(
        "createToken", .post, "/v1/tokens", for: .access, body: .object(.of(CreateTokenRequest.self)),
        answer: .object(.of(TokenItem.self, "201, the token with its secret, which nobody can read again")),
        problems: [.tokenExists, .invalidData, .payloadTooLarge] + writing)
    /// Gives a token a new secret.
    public static let rotateToken = Route(
        "rotateToken", .post, "/v1/tokens/{token}/rotate", for: .access, body: .object(.of(RotateTokenRequest.self)),
        answer: .object(.of(TokenItem.self, "the token with its new secret")),
        problems: [.tokenNotFound, .invalidData, .payloadTooLarge] + writing)
    /// Ends a token, and every request that it has open.
    public static let revokeToken = Route(
        "revokeToken", .delete, "/v1/tokens/{token}", for: .access, answer: .object(.of(TokenItem.self)),
        problems: [.tokenNotFound] + writing)
}

// MARK: Problems that several have

extension Route {
    /// The problems of a route with an instance. A path whose parameter is not percent-encoded correctly names no
    /// route.
    private static let missing: [ProblemType] = [.instanceNotFound]
    private static let paging: [ProblemType] = [.invalidPageToken, .generationChanged]
    private static let writing: [ProblemType] = [.draining, .outcomeUnknown]
    /// The problems of a route with a task. A path that is not percent-encoded correctly names no task.
    private static let reporting: [ProblemType] = [.leaseLost, .payloadTooLarge] + writing
    private static let keyed: [ProblemType] = [.keyReused, .keyExpired, .keyAhead, .redacted]
    private static let repairing: [ProblemType] =
        missing + [.preconditionFailed] + keyed + [.payloadTooLarge] + writing
    /// The problems of an operator's action that lets the machine take steps.
    private static let undone: [ProblemType] = [.expressionFailed, .livelock]
    private static let sending: [ProblemType] = [
        .eventNotAccepted, .guardRejected, .instanceFinished, .instanceFailed, .instanceSuspended, .machineSuspended,
        .expressionFailed, .livelock,
        .unknownEvent, .reservedEvent, .invalidName, .invalidData, .preconditionFailed,
    ]
}
