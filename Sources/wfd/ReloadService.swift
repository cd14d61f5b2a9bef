import ServiceLifecycle
import UnixSignals
import WorkflowSettings

/// Reloads the settings at each `SIGHUP`.
struct ReloadService: Service {
    let signals: UnixSignalsSequence
    let reload: SettingReload
    let manager: ServiceManager

    func run() async {
        for await _ in signals.cancelOnGracefulShutdown() { manager.reloading { reload.run() } }
    }
}
