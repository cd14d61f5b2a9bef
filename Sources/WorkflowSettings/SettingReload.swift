package import Logging
import Synchronization

/// Takes new values of settings while the daemon runs: returns the function that makes them valid, which cannot fail.
/// Throws the reason why the values cannot be used.
package typealias SettingTaker = @Sendable (Settings) throws -> @Sendable () -> Void

/// Reads the settings again, and takes the values that need no restart: all of them, or none.
package final class SettingReload: Sendable {
    private let sources: SettingSources
    private let started: ResolvedSettings
    private let current: Mutex<ResolvedSettings>
    private let takers: [SettingTaker]
    private let logger: Logger

    /// - Parameter started: The settings with which the daemon began.
    package init(sources: SettingSources, started: ResolvedSettings, takers: [SettingTaker], logger: Logger) {
        self.sources = sources
        self.started = started
        current = Mutex(started)
        self.takers = takers
        self.logger = logger
    }

    /// Reloads, and logs the outcome. One call at a time.
    package func run() {
        let settings: ResolvedSettings
        do {
            settings = try sources.resolve()
        } catch {
            for mistake in error.mistakes { refuse("\(mistake)") }
            return
        }
        do {
            let steps = try takers.map { try $0(settings.settings) }
            for step in steps { step() }
        } catch {
            return refuse("\(error)")
        }
        let taken = settings.changes(since: current.withLock { $0 }).filter(\.isReloadable)
        let waiting = settings.changes(since: started).filter { !$0.isReloadable }
        current.withLock { $0 = settings }
        logger.notice("the settings were reloaded", metadata: ["changed": "\(Self.names(taken))"])
        if !waiting.isEmpty {
            logger.warning("changed settings wait for a restart", metadata: ["settings": "\(Self.names(waiting))"])
        }
    }

    private func refuse(_ mistake: String) {
        logger.error("a mistake: no setting was changed", metadata: ["mistake": "\(mistake)"])
    }

    private static func names(_ settings: [Setting]) -> String {
        settings.isEmpty ? "nothing" : settings.map(\.key).joined(separator: ", ")
    }
}
