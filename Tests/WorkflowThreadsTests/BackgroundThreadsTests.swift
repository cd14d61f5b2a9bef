import Dispatch
import Foundation
import Synchronization
import Testing
import ThreadTesting
import WorkflowThreads

@Suite(.timeLimit(.minutes(20))) struct BackgroundThreadsTests {
    @Test func tasksRunOnThreadsOfThatNameOnly() async throws {
        let threads = BackgroundThreads("some-work", count: 2)
        let names = await withTaskGroup(of: String.self) { group in
            for _ in 0..<50 {
                group.addTask {
                    await withTaskExecutorPreference(threads) {
                        for _ in 0..<3 { await Task.yield() }
                        return RunningThread().name
                    }
                }
            }
            return await group.reduce(into: Set<String>()) { $0.insert($1) }
        }
        #expect(names.isSubset(of: ["some-work-1", "some-work-2"]) && !names.isEmpty)
        #expect(!RunningThread().name.hasPrefix("some-work"))
    }

    /// The number of blocked jobs equals the number of threads.
    @Test func jobsMayBlock() async {
        let threads = BackgroundThreads("blocked", count: 2, sharing: SharedCores(3))
        let both = DispatchSemaphore(value: 0)
        let met = await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<2 {
                group.addTask {
                    await withTaskExecutorPreference(threads) {
                        both.signal()
                        both.signal()
                        // Each of the two tasks needs a signal of the other.
                        return Self.wait(for: both, times: 2)
                    }
                }
            }
            return await group.allSatisfy { $0 }
        }
        #expect(met)
    }

    @Test func whatIsFirstComesBeforeTasksThatWait() async throws {
        let threads = BackgroundThreads("in-order", count: 1)
        let turn = DispatchSemaphore(value: 0)
        let told = Told()
        threads.runFirst { turn.wait() }
        let task = Task(executorPreference: threads) { told.add("task") }
        for name in ["first", "second"] { threads.runFirst { told.add(name) } }
        turn.signal()
        await task.value
        #expect(told.all == ["first", "second", "task"])
    }

    @Test func threadsEndWithTheirExecutor() async throws {
        var threads: BackgroundThreads? = BackgroundThreads("short-lived", count: 3)
        if let threads { await withTaskExecutorPreference(threads) {} }
        try await eventually("there are three") {
            RunningThread.names.count { $0.hasPrefix("short-lived") } == 3
        }
        threads = nil
        try await eventually("there is none") {
            !RunningThread.names.contains { $0.hasPrefix("short-lived") }
        }
    }

    #if os(Linux)
        @Test func othersGoFirst() async {
            let thread = await withTaskExecutorPreference(BackgroundThreads("later", count: 1)) { RunningThread() }
            #expect(thread.name == "later")
            #expect(thread.nice >= 10)
        }
    #endif

    /// The names of the completed jobs, in their order.
    private final class Told: Sendable {
        private let names = Mutex<[String]>([])

        var all: [String] { names.withLock { $0 } }

        func add(_ name: String) { names.withLock { $0.append(name) } }
    }

    private static func wait(for semaphore: DispatchSemaphore, times: Int) -> Bool {
        (0..<times).allSatisfy { _ in semaphore.wait(timeout: .now() + 600) == .success }
    }
}

/// The system's data about the calling thread (proc_pid_stat(5)).
private struct RunningThread {
    let name: String
    let nice: Int

    init() {
        let text = (try? String(contentsOfFile: "/proc/thread-self/stat", encoding: .utf8)) ?? ""
        let parts = text.split(separator: ")", maxSplits: 1)
        name = parts.first.map { String($0.drop { $0 != "(" }.dropFirst()) } ?? ""
        // Field 3, the state, is the first behind the name.
        let fields = (parts.last ?? "").split(separator: " ")
        nice = fields.count > 16 ? Int(fields[16]) ?? 0 : 0
    }

    /// The names of all threads of the process.
    static var names: [String] {
        let threads = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")) ?? []
        return threads.compactMap { try? String(contentsOfFile: "/proc/self/task/\($0)/comm", encoding: .utf8) }
    }
}
