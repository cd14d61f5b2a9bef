import Logging
import ServiceLifecycle

/// Keeps a server on a unix socket reachable. When the socket's file was removed, another server binds the path again.
/// The previous server answers the requests that it has, and ends.
struct SocketKeeper {
    let path: String
    /// The interval between two checks of the socket's file.
    let look: Duration
    let logger: Logger
    /// Creates a server on the socket.
    let server: (UnixSocketFile) -> any Service

    private enum Event {
        /// The server of this number has stopped in order, or (`failed`) could not listen.
        case ended(Int)
        case failed(any Error)
        /// The path names another file, or none.
        case lost
        /// The time for another attempt has come.
        case again
        case stopping
    }

    /// Serves until graceful shutdown; throws if the socket cannot be bound the first time.
    func run() async throws {
        try await withThrowingTaskGroup(of: Event.self) { tasks in
            var number = 0
            var isTold = false
            var file = try UnixSocketFile(path: path)
            var group = listen(file, number, &tasks)
            while let event = try await tasks.next() {
                switch event {
                case .ended(let ended) where ended == number:
                    // Earlier servers need not be awaited: they have had their time.
                    tasks.cancelAll()
                case .ended, .stopping: break
                case .failed(let error):
                    tell(error, &isTold)
                    tasks.addTask { [look] in await Self.rest(look) }
                case .lost, .again:
                    if case .lost = event {
                        logger.warning("the socket was removed, listening there anew", metadata: ["path": "\(path)"])
                        isTold = false
                    }
                    do {
                        let next = try UnixSocketFile(path: path, number: number + 1)
                        file.abandon()
                        file = next
                        await group.triggerGracefulShutdown()
                        number += 1
                        group = listen(file, number, &tasks)
                    } catch {
                        tell(error, &isTold)
                        tasks.addTask { [look] in await Self.rest(look) }
                    }
                }
            }
        }
    }

    /// Starts a server and the watch of its file.
    private func listen(
        _ file: UnixSocketFile, _ number: Int, _ tasks: inout ThrowingTaskGroup<Event, any Error>
    ) -> ServiceGroup {
        let group = ServiceGroup(services: [server(file)], logger: logger.quieter)
        tasks.addTask {
            defer { file.remove() }
            do {
                try await group.run()
                return .ended(number)
            } catch {
                if number == 0 { throw error }
                file.abandon()
                return .failed(error)
            }
        }
        tasks.addTask { [look] in await file.isLost(lookingEvery: look) ? .lost : .stopping }
        return group
    }

    /// Logs the error once for each time that the socket is lost.
    private func tell(_ error: any Error, _ isTold: inout Bool) {
        if !isTold {
            logger.error("cannot listen on the socket anew, it is tried again", metadata: ["error": "\(error)"])
        }
        isTold = true
    }

    private static func rest(_ look: Duration) async -> Event {
        do {
            try await cancelWhenGracefulShutdown { try await Task.sleep(for: look) }
            return .again
        } catch {
            return .stopping
        }
    }
}
