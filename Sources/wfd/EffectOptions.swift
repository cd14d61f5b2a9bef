import ArgumentParser
import Foundation
import WorkflowAPI
import WorkflowEffects
import WorkflowEngine
import WorkflowPrograms
import WorkflowStore

/// The options that permit effects of instances.
struct EffectOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            """
            Let effects call these addresses outside the public internet; with a port (127.0.0.1:8402, [::1]:8402), \
            only that port. May be repeated.
            """,
            valueName: "cidr"),
        transform: { text in
            guard let range = AddressRange(text) else {
                throw ValidationError(
                    "'\(text)' is no range of addresses; write one as 10.1.0.0/16, ::1/128 or 127.0.0.1:8402")
            }
            return range
        })
    var allowHttp: [AddressRange] = []

    @Option(
        help: ArgumentHelp(
            "Let effects run this program, by the name that machines use; may be repeated.", valueName: "name=/path"),
        transform: { text in
            let parts = text.split(separator: "=", maxSplits: 1).map(String.init)
            guard parts.count == 2, parts[1].hasPrefix("/") else {
                throw ValidationError("'\(text)' is no program; write NAME=/path/of/its/file")
            }
            return NamedProgram(name: parts[0], path: parts[1])
        })
    var exec: [NamedProgram] = []

    @Option(
        help: ArgumentHelp(
            "The folder with the secrets that effects may use. (default: $CREDENTIALS_DIRECTORY)", valueName: "folder"))
    var secrets: String?

    @Option(
        help: ArgumentHelp(
            "Trust these certificate authorities (PEM) for calls, beside those of the system.", valueName: "file"))
    var ca: String?

    /// A program, under the name that machines use.
    struct NamedProgram: Sendable {
        let name: String
        let path: String
    }

    func validate() throws {
        var known: Set<String> = []
        for program in exec where !known.insert(program.name).inserted {
            throw ValidationError("'\(program.name)' is named twice with --exec")
        }
        if let ca, !HTTPExecutor.hasCertificates(ca) {
            throw ValidationError("--ca: '\(ca)' has no certificates in PEM that can be read")
        }
        var isFolder: ObjCBool = false
        if let secrets, !FileManager.default.fileExists(atPath: secrets, isDirectory: &isFolder) || !isFolder.boolValue
        {
            throw ValidationError("--secrets: '\(secrets)' is no folder")
        }
    }

    /// The executors of effects.
    struct Executors {
        let http: HTTPExecutor
        let programs: ProgramExecutor

        var all: [any EffectExecutor] { [http, programs] }
    }

    /// The programs of `--exec` whose file is missing or cannot be run now.
    var missingPrograms: [NamedProgram] {
        exec.filter { ProgramStart.path(of: $0.path, in: [:]) == nil }
    }

    /// - Parameters:
    ///   - calls: The number of concurrent calls.
    ///   - log: Records the begins of programs.
    func executors(environment: [String: String], calls: Int, log: any AttemptLog) throws -> Executors {
        Executors(
            http: try HTTPExecutor(
                allowing: allowHttp, secrets: SecretFolder(secrets ?? environment["CREDENTIALS_DIRECTORY"]),
                authority: ca, agent: "wfd/\(Build.version)", places: calls),
            programs: ProgramExecutor(
                Dictionary(exec.map { ($0.name, $0.path) }, uniquingKeysWith: { first, _ in first }),
                places: ProcessInfo.processInfo.activeProcessorCount, search: environment["PATH"], log: log))
    }
}
