import ServiceLifecycle
import UnixSignals
import WorkflowSettings

/// Reloads the settings at each `SIGHUP`.
struct ReloadService: Service {
    let signals: UnixSignalsSequence
    let reload: SettingReload

    func run() async {
        for await _ in signals.cancelOnGracefulShutdown() { reload.run() }
    }
}
