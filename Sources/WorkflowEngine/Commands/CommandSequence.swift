import Synchronization

/// Commands that are sent one behind the other, in as many groups as it takes. Where one could not be carried out for a
/// reason that is not its own, as on a full disk, none behind it is applied: who sends them again keeps their order.
package final class CommandSequence: Sendable {
    private struct Gap {
        /// The command that could not be carried out, until that is told: by then it may be applied again.
        var command: ObjectIdentifier?
        let rejection: Rejection
    }

    private let gap = Mutex<Gap?>(nil)

    package init() {}

    /// Why a command may not be applied: one before it was not carried out.
    func rejection(of command: some QueuedCommand) -> Rejection? {
        gap.withLock { gap in
            if gap?.command == ObjectIdentifier(command) { gap = nil }
            return gap?.rejection
        }
    }

    /// A command could not be applied. That is not told yet.
    func rejected(_ command: some QueuedCommand, _ rejection: Rejection) {
        guard rejection.code.isOfDaemon else { return }
        gap.withLock { $0 = $0 ?? Gap(command: ObjectIdentifier(command), rejection: rejection) }
    }

    /// Who asked for a command is told why it was not carried out.
    func told(_ command: some QueuedCommand, _ rejection: Rejection) {
        guard rejection.code.isOfDaemon else { return }
        gap.withLock { gap in
            if gap == nil { gap = Gap(rejection: rejection) }
            if gap?.command == ObjectIdentifier(command) { gap?.command = nil }
        }
    }
}

extension Rejection.Code {
    /// Whether the daemon could not carry out the command now: sent again as it is, it may be.
    fileprivate var isOfDaemon: Bool {
        switch self {
        case .overloaded, .draining, .storageUnavailable, .outcomeUnknown: true
        default: false
        }
    }
}
