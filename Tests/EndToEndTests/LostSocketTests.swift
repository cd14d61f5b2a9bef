import DaemonTesting
import Foundation
import Glibc
import Testing

/// Tests a socket whose file somebody removes or replaces while the daemon serves.
@Suite struct LostSocketTests {
    /// Waits until the daemon has reported that it listens so many times, and sends it a request.
    private func answer(of daemon: Daemon, afterListening times: Int) async throws -> Int {
        _ = try await daemon.program.errorLines(containing: "[WorkflowServer] listening", count: times)
        return try await daemon.answer(to: .get("/readyz")).status
    }

    @Test(.timeLimit(.minutes(20))) func aRemovedSocketIsBoundAnewAndTold() async throws {
        let folder = try TemporaryFolder()
        let daemon = try await Daemon(in: folder)
        for time in 1...2 {
            try FileManager.default.removeItem(atPath: folder.path("wfd.sock"))
            #expect(try await answer(of: daemon, afterListening: time + 1) == 200)
            #expect(try await daemon.wfctl("list").end == .exited(0))
            let told = try await daemon.program.errorLines(
                containing: "the socket was removed, listening there anew", count: time)
            #expect(told.allSatisfy { $0.contains(" warning wfd: path=\(folder.path("wfd.sock")) ") })
        }
        let mode = try FileManager.default.attributesOfItem(atPath: folder.path("wfd.sock"))[.posixPermissions]
        #expect(mode as? Int == 0o660)
        #expect(try await daemon.stop().end == .exited(0))
        #expect(try folder.names() == ["wfd.db", "wfd.db.lock"])
    }

    /// The folder may be lost too, as when a folder for files of this boot is cleared.
    @Test(.timeLimit(.minutes(20))) func aFolderThatIsGoneIsWaitedFor() async throws {
        let folder = try TemporaryFolder()
        let run = try folder.makeFolder("run")
        let daemon = try await Daemon(in: folder, listen: ["unix:" + run + "/wfd.sock"])
        try FileManager.default.removeItem(atPath: run)
        let told = try await daemon.program.errorLines(
            containing: "cannot listen on the socket anew, it is tried again")
        #expect(told[0].contains("Cannot listen on 'unix:\(run)/wfd.sock': No such file or directory"))
        _ = try folder.makeFolder("run")
        #expect(try await answer(of: daemon, afterListening: 2) == 200)
        #expect(try await daemon.stop().end == .exited(0))
    }

    /// Another process that listens there is left alone, now and at the end.
    @Test(.timeLimit(.minutes(20))) func aSocketOfAnotherProcessIsLeftAlone() async throws {
        let folder = try TemporaryFolder()
        let daemon = try await Daemon(in: folder)
        let other = try Self.listen(folder.path("other.sock"))
        defer { close(other) }
        guard rename(folder.path("other.sock"), folder.path("wfd.sock")) == 0 else { throw TestingError("rename") }
        let told = try await daemon.program.errorLines(
            containing: "cannot listen on the socket anew, it is tried again")
        #expect(told[0].contains("another process is listening there"))
        #expect(try await daemon.stop().end == .exited(0))
        #expect(try folder.names() == ["wfd.db", "wfd.db.lock", "wfd.sock"])
    }

    private static func listen(_ path: String) throws -> CInt {
        let descriptor = socket(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let isBound = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                bind(descriptor, pointer, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
            }
        }
        guard isBound, Glibc.listen(descriptor, 8) == 0 else { throw TestingError("cannot listen on '\(path)'") }
        return descriptor
    }

    /// A request from before the loss of the socket is answered.
    @Test(.timeLimit(.minutes(20))) func aRequestThatHadBegunIsAnswered() async throws {
        let folder = try TemporaryFolder()
        let daemon = try await Daemon(in: folder)
        try await daemon.begin("profile")
        let body = #"{"event": "succeed"}"#
        let head =
            "POST /v1/instances/profile/events HTTP/1.1\r\nHost: wfd\r\nContent-Type: application/json\r\n"
            + "Content-Length: \(body.utf8.count)\r\n\r\n"
        let connection = try await onOwnThread { [address = daemon.address] in
            let connection = try RawConnection(to: address)
            try connection.write(Array(head.utf8))
            return connection
        }
        try FileManager.default.removeItem(atPath: folder.path("wfd.sock"))
        #expect(try await answer(of: daemon, afterListening: 2) == 200)
        let answer = try await onOwnThread {
            try connection.write(Array(body.utf8))
            return try connection.readAnswer()
        }
        #expect(answer.status == 200)
        #expect(try await daemon.stop().end == .exited(0))
    }
}
