import WorkflowStore

// Rejections by the daemon and its store, independent of the command: what failed, in the words that a caller reads.

extension Rejection {
    static var realClock: Rejection {
        Rejection(.realClock, "The daemon runs on the machine's clock; only 'wfd --clock virtual' is moved")
    }

    static func invalidTime(_ message: String) -> Rejection { Rejection(.invalidTime, message) }

    static var backupUnderWay: Rejection {
        Rejection(
            .backupUnderWay,
            "A backup is made already, or waits to be fetched, for a minute at most; there is one at a time")
    }

    static var noBackups: Rejection {
        Rejection(.notImplemented, "Cannot make a backup: the daemon's store has none; back it up by its own means")
    }

    static func backupFailed(_ error: StoreError) -> Rejection {
        Rejection(error.code == .damaged ? .damaged : .storageUnavailable, error.message)
    }

    static var overloaded: Rejection {
        Rejection(.overloaded, "Too many requests are waiting; nothing was changed")
    }

    /// Rejects a worker's request for a task whose lease the worker does not hold, or holds no longer.
    static func leaseLost(_ reason: String) -> Rejection {
        Rejection(.leaseLost, "The lease is lost: \(reason)")
    }

    /// Rejects commands while the daemon stops.
    package static var draining: Rejection {
        Rejection(.draining, "The daemon is stopping; nothing was changed")
    }

    static func storageUnavailable(_ reason: String) -> Rejection {
        Rejection(.storageUnavailable, "Nothing was changed: \(reason)")
    }

    static var outcomeUnknown: Rejection {
        Rejection(
            .outcomeUnknown,
            "The commit failed and its outcome is unknown: after a restart the change may be there or not; send again "
                + "with the same key")
    }

    /// Rejects commands after the daemon has stopped writing.
    static func stopped(by error: StoreError) -> Rejection {
        let reason = "the daemon has stopped writing: \(error.message)"
        return error.code == .corrupt ? .damaged(reason) : .storageUnavailable(reason)
    }

    static func damaged(_ reason: String) -> Rejection { Rejection(.damaged, "Nothing was changed: \(reason)") }

    /// Reports contents of the store that contradict each other.
    static func inconsistent(_ what: String) -> Rejection {
        Rejection(.damaged, "\(what); 'wfctl verify --all' says what else is wrong")
    }

    /// Reports an instance that is marked as failed without a stored failure.
    static func keepsNothing(_ name: InstanceName) -> Rejection {
        inconsistent("Instance '\(name)' has failed, and does not keep what it failed on")
    }

    static func fault(_ message: String) -> Rejection { Rejection(.fault, message) }

    /// Returns the rejection of a command that was not carried out because of an error of the store.
    static func notCarriedOut(_ error: StoreError) -> Rejection {
        let rejection = Rejection(error)
        return switch rejection.code {
        case .damaged: .damaged(error.message)
        case .storageUnavailable: .storageUnavailable(error.message)
        default: rejection
        }
    }

    /// Returns the rejection for an error of the store.
    init(_ error: StoreError) {
        self =
            switch error.code {
            case .outcomeUnknown: .outcomeUnknown
            case .closed: .draining
            case .unsupported: Rejection(.notImplemented, error.message)
            case .constraint: .fault(error.message)
            case .damaged, .corrupt: Rejection(.damaged, error.message)
            default: Rejection(.storageUnavailable, error.message)
            }
    }
}
