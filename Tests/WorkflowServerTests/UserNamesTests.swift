import Dispatch
import Foundation
import IdentityTesting
import NIOCore
import NIOEmbedded
import Synchronization
import Testing
import ThreadTesting

@testable import WorkflowServer  // How names are found is no part of what the daemon uses.

/// Tests names of users from a directory that is slow, away, or gives odd answers, on a loop whose clock the test
/// moves.
@Suite(.timeLimit(.minutes(20))) struct UserNamesTests {
    private let loop = NIOAsyncTestingEventLoop()

    /// A directory that answers on request.
    private final class SlowDirectory: Sendable {
        private let gate = DispatchSemaphore(value: 0)
        let asked = Mutex(0)

        func name(of user: UInt32) -> String? {
            asked.withLock { $0 += 1 }
            requireOwnThread()
            gate.wait()
            return "user\(user)"
        }

        func answer() { gate.signal() }
    }

    private func name(_ names: UserNames, of user: UInt32) async throws -> EventLoopFuture<String?> {
        try await loop.executeInContext { [loop] in names.name(of: user, on: loop) }
    }

    @Test func theSystemKnowsWhoRunsThis() {
        let expected = getpwuid(getuid()).map { String(cString: $0.pointee.pw_name) }
        #expect(UserNames.systemName(of: getuid()) == expected)
        #expect(UserNames.systemName(of: 4_000_000_001) == nil)
    }

    @Test func aNameIsLookedUpOnceForAllWhoWaitAndIsRemembered() async throws {
        let directory = SlowDirectory()
        let names = UserNames(lookUp: directory.name)
        let waiting = [try await name(names, of: 7), try await name(names, of: 7)]
        directory.answer()
        for future in waiting { #expect(try await future.get() == "user7") }
        #expect(try await name(names, of: 7).get() == "user7")
        #expect(directory.asked.withLock { $0 } == 1)
    }

    @Test func aDirectoryThatIsAwayIsWaitedForOnce() async throws {
        let directory = SlowDirectory()
        let names = UserNames(lookUp: directory.name)
        let first = try await name(names, of: 7)
        await loop.advanceTime(by: .milliseconds(999))
        let second = try await name(names, of: 7)
        await loop.advanceTime(by: .milliseconds(1))
        #expect(try await first.get() == nil)
        await loop.advanceTime(by: .seconds(1))
        #expect(try await second.get() == nil)
        // Nobody waits for a look-up that took too long already; others are not kept from theirs.
        #expect(try await name(names, of: 7).get() == nil)
        let other = try await name(names, of: 8)
        directory.answer()
        directory.answer()
        #expect(try await other.get() == "user8")
        // The thread of the first may begin later than that of the second.
        try await eventually("both are looked up") { directory.asked.withLock { $0 } == 2 }
    }

    @Test(arguments: ["", "a b", "a(b", "a)", "a\n", "é", String(repeating: "x", count: 65)])
    func aNameThatWouldNotReadAsOneIsLeftOut(text: String) async throws {
        #expect(try await name(UserNames { _ in text }, of: 7).get() == nil)
    }
}
