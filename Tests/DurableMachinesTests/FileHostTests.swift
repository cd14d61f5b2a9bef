import DurableMachines
import Foundation
import HostSuite
import StateMachines
import Testing

struct FileHostTests {
    @Test func itDoesWhatEveryHostDoes() async throws {
        try await withFile { file in
            let host = try await FileHost.open(file, time: .virtual)
            try await HostSuite(host) { try await host.advance(by: $0) }.run()
            try await host.close()
        }
    }

    @Test(.timeLimit(.minutes(20))) func itHandsOutTasksAsEveryHostDoes() async throws {
        try await withFile { file in
            let host = try await FileHost.open(file, time: .virtual)
            try await TaskSuite(host) { try await host.advance(by: $0) }.run()
            try await host.close()
        }
    }

    /// The earlier task is tried again when its lease has run out.
    @Test(.timeLimit(.minutes(20))) func tasksOutliveTheProgram() async throws {
        try await withFile { file in
            var host = try await FileHost.open(file, time: .virtual)
            _ = try await host.start(Delivery.self, "parcel-1")
            let (begun, begin) = AsyncStream.makeStream(of: Void.self)
            let working = Task { [host] in
                try await host.work(Weighing.self, WorkOptions(lease: .seconds(5), grace: .zero)) { _ in
                    begin.yield()
                    await untilCancelled()
                    throw CancellationError()
                }
            }
            for await _ in begun { break }
            try await host.close()
            let error = await #expect(throws: HostError.self) {
                try await withTaskCancellationHandler {
                    try await working.value
                } onCancel: {
                    working.cancel()
                }
            }
            #expect(error?.code == "draining")

            host = try await FileHost.open(file, time: .virtual)
            let parcel = try await host.instance(Delivery.self, "parcel-1")
            #expect(try await parcel.read().state == .packing)
            try await host.advance(by: .seconds(5))
            try await host.advance(by: .seconds(3))
            let again = Task { [host] in
                try await host.work(Weighing.self) { Weighing.Output(weight: $0.attempt) }
            }
            for try await _ in parcel.transitions() {}
            again.cancel()
            try await again.value
            #expect(try await parcel.read().context.weight == 2)
            try await host.close()
        }
    }

    @Test func instancesOutliveTheProgram() async throws {
        try await withFile { file in
            var host = try await FileHost.open(file, time: .virtual)
            let job = try await host.start(Job.self, "job-1")
            try await job.send(.begin(count: 4))
            try await host.close()

            host = try await FileHost.open(file, time: .virtual)
            let same = try await host.instance(Job.self, "job-1")
            #expect(try await same.read().state == .working(.first))
            try await host.advance(by: .seconds(10))
            #expect(try await same.read().state == .working(.second))
            #expect(try await same.read().context.count == 4)
            try await host.close()
        }
    }

    @Test func afterItsEndItSaysSo() async throws {
        try await withFile { file in
            let host = try await FileHost.open(file)
            let job = try await host.start(Job.self, "job-1")
            try await host.close()
            let error = await #expect(throws: HostError.self) { try await job.send(.next) }
            #expect(error?.code == "draining")
        }
    }

    /// A follower of an instance gets the remaining rows, and then the end.
    @Test(.timeLimit(.minutes(20))) func aFollowerIsToldOfTheEnd() async throws {
        try await withFile { file in
            let host = try await FileHost.open(file)
            let job = try await host.start(Job.self, "job-1")
            var told = job.transitions().makeAsyncIterator()
            #expect(try await told.next()?.seq == 1)
            try await job.send(.begin(count: 1))
            #expect(try await told.next()?.seq == 2)
            try await host.close()
            let error = await #expect(throws: HostError.self) { while try await told.next() != nil {} }
            #expect(error?.code == "draining")
            var late = job.transitions().makeAsyncIterator()
            await #expect(throws: HostError.self) { while try await late.next() != nil {} }
        }
    }

    @Test func oneProcessHasTheFile() async throws {
        try await withFile { file in
            let host = try await FileHost.open(file)
            let error = await #expect(throws: HostError.self) { _ = try await FileHost.open(file) }
            #expect(error?.code == "locked")
            let id = ProcessInfo.processInfo.processIdentifier
            #expect(error?.message == "Cannot open '\(file)': it is in use by process \(id)")
            try await host.close()
        }
    }

    @Test func anotherProgramsFileIsNotTouched() async throws {
        try await withFile { file in
            try Data("not a database, and long enough to be looked at".utf8).write(to: URL(filePath: file))
            let error = await #expect(throws: HostError.self) { _ = try await FileHost.open(file) }
            #expect(error?.code == "foreign-file")
        }
    }

    @Test func aPlaceThatIsNotThereHasTheDaemonsCode() async throws {
        try await withFile { file in
            let missing = file + ".d/app.db"
            let error = await #expect(throws: HostError.self) { _ = try await FileHost.open(missing) }
            #expect(error?.code == "cannot-open")
            let message = "Cannot open '\(missing)': there is no folder '\(file).d'; make it, or correct the path"
            #expect(error?.message == message)
        }
    }

    private func withFile(_ body: (String) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "wfd-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }  // What is left is the system's to clean.
        try await body(folder.appending(path: "app.db").path)
    }
}
