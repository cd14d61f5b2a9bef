/// The exit codes of `wfctl`; those from 64 on are the codes of `sysexits.h`.
public enum CommandExit: Int32, CaseIterable, Sendable {
    case done = 0
    /// An error without a code of its own.
    case other = 1
    case notFound = 4
    /// The machine refused the request; it may accept the same request later.
    case refused = 5
    case precondition = 6
    case keyConflict = 7
    case nameTaken = 8
    case usage = 64
    /// The definition, event, name or data is wrong, or the database is damaged.
    case badData = 65
    case fileUnreadable = 66
    case unreachable = 69
    /// A file cannot be created or written.
    case cannotCreate = 73
    case tryAgain = 75
    case notPermitted = 77
}
