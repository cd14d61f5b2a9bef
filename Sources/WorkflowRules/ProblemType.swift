/// The types of problems: stable names, each with its HTTP status and the exit code of `wfctl`.
public enum ProblemType: String, CaseIterable, Sendable {
    /// The machine knows the event, but no active state accepts it.
    case eventNotAccepted = "event-not-accepted"
    /// A state accepts the event, but its guard is false.
    case guardRejected = "guard-rejected"
    /// The instance is done or cancelled.
    case instanceFinished = "instance-finished"
    /// The instance needs an operator.
    case instanceFailed = "instance-failed"
    /// The instance has not failed, so there is nothing to retry or skip.
    case instanceNotFailed = "instance-not-failed"
    /// The instance is suspended: it accepts no events until somebody resumes it.
    case instanceSuspended = "instance-suspended"
    /// The machine is suspended: no instance starts, and its instances accept nothing until somebody resumes it.
    case machineSuspended = "machine-suspended"
    /// The instance to delete may still continue.
    case instanceNotFinished = "instance-not-finished"
    /// The instance that the key was used for was deleted.
    case instancePurged = "instance-purged"
    /// The instance to resume is not suspended.
    case instanceNotSuspended = "instance-not-suspended"
    /// The request does not decide about invocations that were live then and are not live now.
    case invocationsUndecided = "invocations-undecided"
    /// The last step was no migration, or the bulk run cannot be undone or resumed.
    case notUndoable = "not-undoable"
    /// An expression failed, and no transition handled the failure; the macrostep was undone.
    case expressionFailed = "expression-failed"
    /// An invocation failed for good, and no transition handles the failure. A reason of a failed instance.
    case invocationFailed = "invocation-failed"
    /// The machine never becomes stable; the macrostep was undone.
    case livelock
    /// No state of the machine accepts an event of this name.
    case unknownEvent = "unknown-event"
    /// Only the engine may use this event name.
    case reservedEvent = "reserved-event"
    /// The data does not match the machine's declaration.
    case invalidData = "invalid-data"
    /// Parts of the instance have no place in the other version; `Problem.misfits` lists all of them.
    case misfit
    /// The definition has mistakes; `Problem.diagnostics` lists them all.
    case invalidDefinition = "invalid-definition"
    /// A name of a machine or an instance breaks the grammar of names.
    case invalidName = "invalid-name"
    case instanceNotFound = "instance-not-found"
    case machineNotFound = "machine-not-found"
    /// The instance has not reached this seq.
    case seqNotFound = "seq-not-found"
    /// The requested data was erased.
    case redacted
    /// The name is taken.
    case instanceExists = "instance-exists"
    /// The instance has another seq or state than the caller expects.
    case preconditionFailed = "precondition-failed"
    /// No run over many instances has this name.
    case runNotFound = "run-not-found"
    /// The selection differs from the one that was rehearsed.
    case selectionChanged = "selection-changed"
    /// The key was used for another event.
    case keyReused = "key-reused"
    /// The key is older than the time for which keys are remembered.
    case keyExpired = "key-expired"
    /// The time in the key is ahead of the daemon's clock.
    case keyAhead = "key-ahead"
    /// The daemon uses the computer's clock, which nobody can move.
    case clockNotVirtual = "clock-not-virtual"
    /// The clock cannot be moved to this time.
    case invalidTime = "invalid-time"
    /// The body is not JSON, or has wrong fields.
    case invalidRequest = "invalid-request"
    /// The page token is malformed, or belongs to another list.
    case invalidPageToken = "invalid-page-token"
    /// A query parameter is unknown, or has a wrong value.
    case invalidParameter = "invalid-parameter"
    /// The cursor or page token is from before a restore; `Problem.parted` has the point where the histories diverge.
    case generationChanged = "generation-changed"
    /// Another backup is being made, or waits to be fetched.
    case backupRunning = "backup-running"
    /// The backup was fetched or has expired, or never existed.
    case backupNotFound = "backup-not-found"
    /// The head of the request is larger than the daemon reads.
    case headTooLarge = "head-too-large"
    /// The head of the request did not arrive in time.
    case requestTimeout = "request-timeout"
    case payloadTooLarge = "payload-too-large"
    case unsupportedMediaType = "unsupported-media-type"
    case routeNotFound = "route-not-found"
    /// A request over TCP names a host that the daemon does not serve.
    case wrongHost = "wrong-host"
    /// A request over TCP comes from a web page of another origin.
    case crossSite = "cross-site"
    case methodNotAllowed = "method-not-allowed"
    /// The request has no credentials, or credentials that are unknown, revoked or expired.
    case unauthenticated
    /// The caller's roles do not permit the request; `Problem.permission` names what it needs.
    case forbidden
    /// No token has this name.
    case tokenNotFound = "token-not-found"
    /// A token has this name already.
    case tokenExists = "token-exists"
    /// The header `Expect` has another value than `100-continue`.
    case expectationFailed = "expectation-failed"
    /// The worker does not hold the task, or not any more; nothing was changed.
    case leaseLost = "lease-lost"
    /// Open effects are in the way: a deletion would end them, or a redaction would erase data that they need.
    case effectsOpen = "effects-open"
    /// The instance waits for no such effect.
    case effectNotFound = "effect-not-found"
    /// The effect is being worked on, or has its result; nothing was changed.
    case effectNotWaiting = "effect-not-waiting"
    /// The queue is unknown: no definition names it, no effect is in it, and it has no settings.
    case queueNotFound = "queue-not-found"
    /// The queue is full; nothing was changed.
    case overloaded
    /// The daemon is stopping; nothing was changed.
    case draining
    /// Another daemon is taking the data over; nothing was changed.
    case partitionMoving = "partition-moving"
    /// The store could not write; nothing was changed.
    case storageUnavailable = "storage-unavailable"
    /// The commit may have happened or not; only a restart can tell.
    case outcomeUnknown = "outcome-unknown"
    /// The database does not have the data that was written: restore a backup; waiting does not help.
    case databaseDamaged = "database-damaged"
    case notImplemented = "not-implemented"
    case internalError = "internal-error"

    /// The HTTP status of the answer.
    public var status: Int {
        switch self {
        case .eventNotAccepted, .guardRejected, .instanceFinished, .instanceFailed, .instanceNotFailed,
            .instanceSuspended, .machineSuspended, .instanceNotSuspended, .expressionFailed, .invocationFailed,
            .livelock, .instanceExists, .keyAhead, .clockNotVirtual, .instanceNotFinished, .effectsOpen,
            .invocationsUndecided, .notUndoable, .backupRunning, .effectNotWaiting, .tokenExists:
            409
        case .unknownEvent, .reservedEvent, .invalidData, .invalidDefinition, .invalidName, .keyReused, .keyExpired,
            .invalidTime, .misfit:
            422
        case .instanceNotFound, .machineNotFound, .seqNotFound, .routeNotFound, .backupNotFound,
            .effectNotFound, .runNotFound, .queueNotFound, .tokenNotFound:
            404
        case .generationChanged, .leaseLost, .instancePurged, .redacted: 410
        case .preconditionFailed, .selectionChanged: 412
        case .invalidRequest, .invalidPageToken, .invalidParameter: 400
        case .payloadTooLarge: 413
        case .headTooLarge: 431
        case .requestTimeout: 408
        case .unsupportedMediaType: 415
        case .methodNotAllowed: 405
        case .expectationFailed: 417
        case .wrongHost: 421
        case .crossSite, .forbidden: 403
        case .unauthenticated: 401
        case .overloaded, .draining, .partitionMoving, .storageUnavailable, .outcomeUnknown: 503
        case .notImplemented: 501
        case .internalError, .databaseDamaged: 500
        }
    }

    /// The exit code of `wfctl` after such an answer.
    public var exitStatus: CommandExit {
        switch self {
        case .eventNotAccepted, .guardRejected, .instanceFinished, .instanceFailed, .instanceNotFailed,
            .instanceSuspended, .machineSuspended, .instanceNotSuspended, .invocationsUndecided, .notUndoable,
            .expressionFailed, .invocationFailed, .livelock, .effectNotWaiting, .instanceNotFinished, .effectsOpen:
            .refused
        case .unknownEvent, .reservedEvent, .invalidData, .invalidDefinition, .invalidName, .invalidRequest,
            .invalidPageToken, .payloadTooLarge, .headTooLarge, .unsupportedMediaType, .invalidTime,
            .databaseDamaged, .misfit:
            .badData
        case .invalidParameter: .usage
        case .instanceNotFound, .machineNotFound, .seqNotFound, .backupNotFound, .effectNotFound, .runNotFound,
            .queueNotFound, .tokenNotFound:
            .notFound
        case .preconditionFailed, .selectionChanged: .precondition
        case .keyReused, .keyExpired, .keyAhead, .instancePurged: .keyConflict
        case .overloaded, .draining, .partitionMoving, .storageUnavailable, .outcomeUnknown, .backupRunning,
            .requestTimeout:
            .tryAgain
        case .wrongHost, .crossSite, .unauthenticated, .forbidden: .notPermitted
        case .instanceExists, .tokenExists: .nameTaken
        case .clockNotVirtual, .generationChanged, .leaseLost, .redacted, .routeNotFound,
            .methodNotAllowed, .expectationFailed, .notImplemented,
            .internalError:
            .other
        }
    }

    /// The problem in a few words, the same for every occurrence.
    public var title: String {
        switch self {
        case .eventNotAccepted: "Event not accepted in this state"
        case .guardRejected: "A guard said no"
        case .instanceFinished: "Instance is finished"
        case .instanceFailed: "Instance has failed"
        case .instanceNotFailed: "Instance has not failed"
        case .instanceSuspended: "Instance is suspended"
        case .machineSuspended: "Machine is suspended"
        case .instanceNotSuspended: "Instance is not suspended"
        case .instanceNotFinished: "Instance has not finished"
        case .instancePurged: "Instance was deleted"
        case .invocationsUndecided: "Invocations need a word"
        case .notUndoable: "It cannot be undone"
        case .expressionFailed: "An expression failed"
        case .invocationFailed: "An invocation failed"
        case .livelock: "The machine never settles"
        case .unknownEvent: "Event unknown to the machine"
        case .reservedEvent: "Event name is reserved"
        case .invalidData: "Data does not fit"
        case .misfit: "Instance does not fit the version"
        case .invalidDefinition: "Definition has mistakes"
        case .invalidName: "Name is not valid"
        case .instanceNotFound: "No such instance"
        case .machineNotFound: "No such machine"
        case .seqNotFound: "No such seq"
        case .redacted: "Was redacted"
        case .instanceExists: "Instance exists already"
        case .preconditionFailed: "Instance is not as expected"
        case .runNotFound: "No such run"
        case .selectionChanged: "Other instances are selected"
        case .keyReused: "Key was used for another request"
        case .keyExpired: "Key is too old"
        case .keyAhead: "Key is of a later time"
        case .clockNotVirtual: "Clock is not virtual"
        case .invalidTime: "Time is not valid"
        case .invalidRequest: "Request is not valid"
        case .invalidPageToken: "Page token is not valid"
        case .invalidParameter: "Query parameter is not valid"
        case .generationChanged: "The database was restored"
        case .leaseLost: "The task is no longer yours"
        case .effectsOpen: "Effects are under way"
        case .effectNotFound: "No such effect"
        case .effectNotWaiting: "Effect is not waiting"
        case .queueNotFound: "No such queue"
        case .backupRunning: "A backup is under way"
        case .backupNotFound: "No such backup"
        case .payloadTooLarge: "Body is too large"
        case .headTooLarge: "Head is too large"
        case .requestTimeout: "Request took too long"
        case .unsupportedMediaType: "Media type is not supported"
        case .routeNotFound: "No such route"
        case .methodNotAllowed: "Method is not allowed"
        case .unauthenticated: "Credentials are missing or not valid"
        case .forbidden: "Caller may not do this"
        case .tokenNotFound: "No such token"
        case .tokenExists: "Token exists already"
        case .expectationFailed: "Expectation cannot be met"
        case .wrongHost: "Host is not served here"
        case .crossSite: "Request comes from another site"
        case .overloaded: "Too much to do"
        case .draining: "Daemon is stopping"
        case .partitionMoving: "Another daemon takes over"
        case .storageUnavailable: "Store cannot write"
        case .outcomeUnknown: "Outcome is unknown"
        case .databaseDamaged: "Database is damaged"
        case .notImplemented: "Not implemented"
        case .internalError: "Internal error"
        }
    }

    /// The value of the header `Retry-After`; `nil` if another attempt is pointless.
    public var retryAfterSeconds: Int? {
        status == 503 ? 1 : nil
    }
}
