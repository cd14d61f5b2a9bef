/// What can go wrong in a request: stable names, each with its HTTP status and wfctl's exit code.
public enum ProblemType: String, WireWord {
    /// The machine knows the event, but no state of this configuration takes it.
    case eventNotAccepted = "event-not-accepted"
    /// A state takes the event, but its guard said no.
    case guardRejected = "guard-rejected"
    /// The instance is done or cancelled.
    case instanceFinished = "instance-finished"
    /// The instance needs an operator.
    case instanceFailed = "instance-failed"
    /// A retry or a skip of an instance that has not failed.
    case instanceNotFailed = "instance-not-failed"
    /// Somebody has stopped the instance: it takes no events until it is resumed.
    case instanceSuspended = "instance-suspended"
    /// Somebody has suspended the machine: nothing starts, and its instances take nothing until it is resumed.
    case machineSuspended = "machine-suspended"
    /// A deletion of an instance that may still go on.
    case instanceNotFinished = "instance-not-finished"
    /// What the key was used for was deleted.
    case instancePurged = "instance-purged"
    /// A resume of an instance that is not suspended.
    case instanceNotSuspended = "instance-not-suspended"
    /// A reset that does not say what becomes of invocations that lived then and do not live now.
    case invocationsUndecided = "invocations-undecided"
    /// Something else has happened since what is to be undone.
    case notUndoable = "not-undoable"
    /// An expression failed and nothing handled it; the macrostep was undone.
    case expressionFailed = "expression-failed"
    /// An invocation failed for good, and no transition takes that: why an instance has failed.
    case invocationFailed = "invocation-failed"
    /// The machine never settles; the macrostep was undone.
    case livelock
    /// No state of the machine takes an event of this name.
    case unknownEvent = "unknown-event"
    /// Only the engine may use this event name.
    case reservedEvent = "reserved-event"
    /// The data does not fit what the machine declares.
    case invalidData = "invalid-data"
    /// Something of the instance has no place in the other version; `Problem.misfits` lists all of it.
    case misfit
    /// The definition has mistakes; `Problem.diagnostics` lists them all.
    case invalidDefinition = "invalid-definition"
    /// A name of a machine or an instance that breaks the grammar of names.
    case invalidName = "invalid-name"
    case instanceNotFound = "instance-not-found"
    case machineNotFound = "machine-not-found"
    /// The instance has not come that far.
    case seqNotFound = "seq-not-found"
    /// What is asked for was erased.
    case redacted
    /// The name is taken.
    case instanceExists = "instance-exists"
    /// The instance has another seq or state than the caller expects.
    case preconditionFailed = "precondition-failed"
    /// No run over many instances has the name.
    case runNotFound = "run-not-found"
    /// Other instances are selected than were rehearsed.
    case selectionChanged = "selection-changed"
    /// The key was used for another event.
    case keyReused = "key-reused"
    /// The key is older than the window in which keys are remembered.
    case keyExpired = "key-expired"
    /// The key says a time that has not come yet on the daemon's clock.
    case keyAhead = "key-ahead"
    /// The daemon's clock is the machine's, which nobody moves.
    case clockNotVirtual = "clock-not-virtual"
    /// A time that the clock cannot be moved to.
    case invalidTime = "invalid-time"
    /// A body that is not JSON or has wrong fields.
    case invalidRequest = "invalid-request"
    /// A page token that is not one, or belongs to another list.
    case invalidPageToken = "invalid-page-token"
    /// A query parameter that is unknown or has a wrong value.
    case invalidParameter = "invalid-parameter"
    /// A cursor or page token of before a restore; `Problem.parted` tells where that history ends in this one.
    case generationChanged = "generation-changed"
    /// A backup is made already, or waits to be fetched.
    case backupRunning = "backup-running"
    /// The backup was fetched, its time is over, or it never was.
    case backupNotFound = "backup-not-found"
    /// The head of a request is larger than the daemon reads.
    case headTooLarge = "head-too-large"
    /// The head of a request did not come to its end in time.
    case requestTimeout = "request-timeout"
    case payloadTooLarge = "payload-too-large"
    case unsupportedMediaType = "unsupported-media-type"
    case routeNotFound = "route-not-found"
    /// Over TCP, for a host that the daemon does not answer for.
    case wrongHost = "wrong-host"
    /// Over TCP, from a web page of another origin.
    case crossSite = "cross-site"
    case methodNotAllowed = "method-not-allowed"
    /// An `Expect` other than `100-continue`.
    case expectationFailed = "expectation-failed"
    /// A worker speaks of a task that it does not have, or has no more; nothing was changed.
    case leaseLost = "lease-lost"
    /// Effects are under way that what was asked for would end, or leave without what they ask.
    case effectsOpen = "effects-open"
    /// The instance waits for no such effect.
    case effectNotFound = "effect-not-found"
    /// Somebody works on the effect, or it has its result; nothing was changed.
    case effectNotWaiting = "effect-not-waiting"
    /// No definition names the queue, no effect is in it, and nothing is set for it.
    case queueNotFound = "queue-not-found"
    /// The queue is full; nothing was changed.
    case overloaded
    /// The daemon is stopping; nothing was changed.
    case draining
    /// The store could not write; nothing was changed.
    case storageUnavailable = "storage-unavailable"
    /// The commit may have happened or not; nobody knows before a restart.
    case outcomeUnknown = "outcome-unknown"
    /// The database is not what was written: waiting does not help, restoring a backup does.
    case databaseDamaged = "database-damaged"
    case notImplemented = "not-implemented"
    case internalError = "internal-error"

    /// The HTTP status of the answer.
    public var status: Int {
        switch self {
        case .eventNotAccepted, .guardRejected, .instanceFinished, .instanceFailed, .instanceNotFailed,
            .instanceSuspended, .machineSuspended, .instanceNotSuspended, .expressionFailed, .invocationFailed,
            .livelock, .instanceExists, .keyAhead, .clockNotVirtual, .instanceNotFinished, .effectsOpen,
            .invocationsUndecided, .notUndoable, .backupRunning, .effectNotWaiting:
            409
        case .unknownEvent, .reservedEvent, .invalidData, .invalidDefinition, .invalidName, .keyReused, .keyExpired,
            .invalidTime, .misfit:
            422
        case .instanceNotFound, .machineNotFound, .seqNotFound, .routeNotFound, .backupNotFound,
            .effectNotFound, .runNotFound, .queueNotFound:
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
        case .crossSite: 403
        case .overloaded, .draining, .storageUnavailable, .outcomeUnknown: 503
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
            .queueNotFound:
            .notFound
        case .preconditionFailed, .selectionChanged: .precondition
        case .keyReused, .keyExpired, .keyAhead, .instancePurged: .keyConflict
        case .overloaded, .draining, .storageUnavailable, .outcomeUnknown, .backupRunning, .requestTimeout:
            .tryAgain
        case .wrongHost, .crossSite: .notPermitted
        case .instanceExists: .nameTaken
        case .clockNotVirtual, .generationChanged, .leaseLost, .redacted, .routeNotFound,
            .methodNotAllowed, .expectationFailed, .notImplemented,
            .internalError:
            .other
        }
    }

    /// What happened, in a few words, the same for every occurrence.
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
        case .expectationFailed: "Expectation cannot be met"
        case .wrongHost: "Host is not served here"
        case .crossSite: "Request comes from another site"
        case .overloaded: "Too much to do"
        case .draining: "Daemon is stopping"
        case .storageUnavailable: "Store cannot write"
        case .outcomeUnknown: "Outcome is unknown"
        case .databaseDamaged: "Database is damaged"
        case .notImplemented: "Not implemented"
        case .internalError: "Internal error"
        }
    }

    /// What a server answers as `Retry-After`; nil where trying again is pointless.
    public var retryAfterSeconds: Int? {
        status == 503 ? 1 : nil
    }
}
