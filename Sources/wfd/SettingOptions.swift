import ArgumentParser
import Foundation
import WorkflowSettings

/// The flags that set what a file and the environment can set too, and the file.
struct SettingOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Read settings from this file. (default: $CONFIGURATION_DIRECTORY/wfd.yaml if it exists)",
            valueName: "file"))
    var config: String?

    @OptionGroup var daemon: SettingFlags<DaemonGroup>

    @OptionGroup(title: "Effects") var effects: SettingFlags<EffectGroup>

    /// The sources of the settings.
    var sources: SettingSources {
        SettingSources(
            flags: daemon.texts.merging(effects.texts) { first, _ in first }, file: config,
            environment: ProcessInfo.processInfo.environment)
    }
}

extension SettingSources {
    /// Returns the settings; after a mistake prints all mistakes, and throws the exit code.
    func resolveOrTell() throws -> ResolvedSettings {
        do {
            return try resolve()
        } catch {
            Console.tell(error.description)
            throw ExitCode(DaemonExit(error).rawValue)
        }
    }

    /// Returns the settings of a command that works on the daemon's file while the daemon is stopped.
    ///
    /// - Parameter database: The file that a flag names, before all other sources.
    static func ofCommand(database: String?, place: String? = nil) throws -> Settings {
        var flags: [String: [String]] = [:]
        flags["database"] = database.map { [$0] }
        flags["place"] = place.map { [$0] }
        return try SettingSources(flags: flags, environment: ProcessInfo.processInfo.environment).resolve().settings
    }
}
