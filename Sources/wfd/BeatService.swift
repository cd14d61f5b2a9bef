import ServiceLifecycle
import WorkflowEngine

/// Tells the service manager when everything is served, and feeds its watchdog each time a beat has come through the
/// writer. A writer that hangs is not fed.
struct BeatService: Service {
    let engine: Engine
    let manager: ServiceManager
    /// The number of addresses, and the numbers of those that listen, as they do.
    let addresses: Int
    let listening: AsyncStream<Int>
    /// The line that the service manager shows.
    let status: String

    func run() async {
        await withGracefulShutdownHandler {
            await cancelWhenGracefulShutdown { await beat() }
        } onGracefulShutdown: {
            manager.isStopping()
        }
    }

    private func beat() async {
        var heard: Set<Int> = []
        for await number in listening {
            heard.insert(number)
            if heard.count == addresses { break }
        }
        await engine.beat()
        if Task.isCancelled { return }
        manager.isReady(status)
        while !Task.isCancelled {
            // Without a watchdog this waits for the end. A cancelled wait ends the loop.
            try? await Task.sleep(for: manager.watch.map { $0 / 4 } ?? .seconds(3_600))
            guard manager.watch != nil else { continue }
            await engine.beat()
            if !Task.isCancelled { manager.feed() }
        }
    }
}
