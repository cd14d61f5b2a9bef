/// The exit codes of `wfctl`; from 64 up they are those of `sysexits.h`.
public enum CommandExit: Int32, CaseIterable, Sendable {
    case done = 0
    /// Anything without a code of its own.
    case other = 1
    case notFound = 4
    /// Refused by the machine; the same may be accepted later.
    case refused = 5
    case precondition = 6
    case keyConflict = 7
    case nameTaken = 8
    case usage = 64
    /// A wrong definition, event, name or data; a damaged database.
    case badData = 65
    case fileUnreadable = 66
    case unreachable = 69
    /// A file cannot be created or written.
    case cannotCreate = 73
    case tryAgain = 75
    case notPermitted = 77
}
