import WorkflowAccess
import WorkflowEngine
import WorkflowServer
import WorkflowSettings
import WorkflowStore

/// The exit codes of the daemon, from `sysexits.h`.
enum DaemonExit: Int32 {
    /// A flag or a variable is wrong.
    case usage = 64
    /// The file is not a database of wfd, has a newer schema, or is damaged; the file of tokens cannot be
    /// trusted; or the settings have a mistake.
    case badData = 65
    /// The file of settings cannot be read.
    case noInput = 66
    /// The daemon cannot listen on an address, has no certificate for it, or may open too few files.
    case unavailable = 69
    /// A fault without a code of its own.
    case software = 70
    /// The machine's clock is behind the database.
    case clockBehind = 71
    /// The database cannot be created or opened.
    case cannotCreate = 73
    /// The disk failed; the last commit may or may not be on disk.
    case inputOutput = 74
    /// Another daemon holds the database, or the system's databases of users do not answer.
    case tryAgain = 75

    init(_ error: any Error) {
        switch error {
        case let error as StoreError: self = DaemonExit(error.code)
        case let error as SettingError: self = error.isWithoutFile ? .noInput : error.isOfFile ? .badData : .usage
        case is ListenAddressError, is CertificateError, is TooFewDescriptors: self = .unavailable
        case is MissingPlaceError: self = .cannotCreate
        case let error as AccessError: self = error.code == .unanswered ? .tryAgain : .badData
        default: self = .software
        }
    }

    private init(_ code: StoreError.Code) {
        switch code {
        case .foreignFile, .newerSchema, .olderBuild, .otherClock, .damaged, .corrupt: self = .badData
        case .clockBehind: self = .clockBehind
        case .cannotOpen: self = .cannotCreate
        case .locked, .fenced: self = .tryAgain
        case .unavailable, .outcomeUnknown: self = .inputOutput
        case .unsupported: self = .usage
        case .constraint, .closed: self = .software
        }
    }
}
