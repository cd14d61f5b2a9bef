import Foundation
import WorkflowEffects
import WorkflowEngine
import WorkflowPrograms
import WorkflowSettings
import WorkflowStore

/// The executors of effects.
struct Executors {
    let http: HTTPExecutor
    let programs: ProgramExecutor

    var all: [any EffectExecutor] { [http, programs] }

    /// - Parameters:
    ///   - calls: The number of concurrent calls.
    ///   - log: Records the begins of programs; `nil` for no record.
    init(_ settings: Settings, environment: [String: String], calls: Int, log: (any AttemptLog)?) throws {
        let secrets = settings.secrets ?? DefaultPlaces(environment: environment).secrets
        http = try HTTPExecutor(
            allowing: settings.callable, secrets: SecretFolder(secrets), authority: settings.authority,
            agent: "wfd/\(Build.version)", places: calls)
        programs = ProgramExecutor(
            Dictionary(settings.programs.map { ($0.name, $0.path) }, uniquingKeysWith: { first, _ in first }),
            places: ProcessInfo.processInfo.activeProcessorCount, search: environment["PATH"], log: log)
    }
}

extension Settings {
    /// The programs whose file is missing or cannot be run now.
    var missingPrograms: [NamedProgram] {
        programs.filter { ProgramStart.path(of: $0.path, in: [:]) == nil }
    }
}
