import HTTPTypes
import Hummingbird
import NIOCore
import ServiceLifecycle
import WorkflowAPI
import WorkflowEngine
import WorkflowJSON
import WorkflowStore

/// The routes that make a backup of the whole database and fetch it.
struct BackupRoutes: Sendable {
    let engine: Engine
    let limits: ServerLimits

    func register(on routes: inout RouteHandlers) {
        routes.on(.makeBackup) { try make($0) }
        routes.on(.fetchBackup) { try await fetch(try $0.value("backup"), by: $0.caller) }
    }

    /// Reports progress at most every 100 ms. The backup ends when the caller disconnects or the daemon stops.
    private func make(_ request: RoutedRequest) throws -> Response {
        let events: AsyncThrowingStream<BackupEvent, any Error>
        do {
            events = try engine.backup(by: request.caller)
        } catch {
            throw Problem(error)
        }
        return Response(lines: engine.log) { lines in
            var next = ContinuousClock.now
            for try await event in events.cancelOnGracefulShutdown() {
                let line = BackupLine(event)
                if case .progress = line {
                    guard ContinuousClock.now >= next else { continue }
                    next = .now + limits.progressInterval
                }
                try await lines.write(line)
                if case .ready = line { return }
            }
            throw Problem(Rejection.draining)
        }
    }

    private func fetch(_ name: String, by caller: Caller) async throws -> Response {
        let found: BackupFetch?
        do {
            found = try await engine.fetchBackup(name, by: caller)
        } catch {
            throw Problem(error)
        }
        guard let fetch = found else {
            throw Problem(
                .backupNotFound, detail: "There is no backup '\(name)' (any more); they are kept for a short time only")
        }
        let body = ResponseBody(contentLength: Int(fetch.backup.bytes)) { writer in
            defer { fetch.end(isWhole: false) }
            func read() async throws -> [UInt8] { try await offLoop(for: .reading) { try fetch.read() } }
            var part = try await read()
            while !part.isEmpty {
                // The caller sees that the answer is cut short.
                if Task.isShuttingDownGracefully { throw CancellationError() }
                let next = try await read()
                // The fetch ends before the caller has the last part and may order the next backup. A caller that is
                // cut off in the last part orders again.
                if next.isEmpty { await offLoop(for: .reading) { fetch.end(isWhole: true) } }
                try await writer.write(ByteBuffer(bytes: part))
                part = next
            }
            try await writer.finish(nil)
        }
        return Response(status: .ok, headers: [.contentType: Backup.mediaType], body: body)
    }
}

extension BackupLine {
    /// Creates the wire form of a backup's event.
    fileprivate init(_ event: BackupEvent) {
        switch event {
        case .copying(let done, let total): self = .progress(.copying, done: done, total: total)
        case .checking(let done, let total): self = .progress(.checking, done: done, total: total)
        case .verifying(let done, let total): self = .progress(.verifying, done: done, total: total)
        case .ready(let backup):
            self = .ready(
                Backup(
                    backup: backup.name.text, bytes: backup.bytes, digest: backup.digest.text,
                    generation: backup.contents.generation, instances: backup.contents.instances,
                    events: backup.contents.events, lastAt: WireTime(milliseconds: backup.contents.last.rawValue)))
        }
    }
}
