import ServiceLifecycle
import UnixSignals
import WorkflowSettings
import WorkflowThreads

/// Reloads the settings at each `SIGHUP`, on a thread of its own: files and users may be on a network that does not
/// answer. Neither requests nor a shutdown wait for it.
struct ReloadService: Service {
    /// The time after which a reload that never ends is left alone.
    private static let patience = Duration.seconds(3_600)

    let signals: UnixSignalsSequence
    let reload: SettingReload
    let manager: ServiceManager

    func run() async {
        await cancelWhenGracefulShutdown {
            for await _ in signals {
                await onOwnThread("wfd-reload", within: Self.patience) { [manager, reload] in
                    manager.reloading { reload.run() }
                }
            }
        }
    }
}
