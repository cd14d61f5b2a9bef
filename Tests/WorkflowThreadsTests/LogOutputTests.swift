import Foundation
import Testing
import ThreadTesting
import WorkflowThreads

/// Tests lines of a log whose reader does not read.
@Suite(.timeLimit(.minutes(20)), .ownThreads) struct LogOutputTests {
    private let pipe = Pipe()
    private static let line = Array((String(repeating: "x", count: 99) + "\n").utf8)

    private func output(bytes: Int) -> LogOutput {
        LogOutput(to: pipe.fileHandleForWriting.fileDescriptor, bytes: bytes) { lost in "\(lost) lines were lost\n" }
    }

    @Test func whoLogsDoesNotWaitAndIsToldOnceHowMuchIsMissing() throws {
        // F_SETPIPE_SZ of fcntl(2): the pipe takes less than may wait.
        try #require(fcntl(pipe.fileHandleForWriting.fileDescriptor, 1_031, 4_096) > 0)
        let output = output(bytes: 10_000)
        let count = 10_000
        for _ in 0..<count { output.write(Self.line) }
        let lost = output.linesLost
        #expect(lost > 0 && lost < count)
        #expect(!output.flush(within: 0.01))
        // It is read: each line comes, or is told as lost. A thread that begins late tells in two parts.
        var (kept, told, rest) = (0, 0, Data())
        while kept + told < count {
            rest += pipe.fileHandleForReading.availableData
            while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                let line = String(decoding: rest[..<end], as: UTF8.self)
                rest = Data(rest[(end + 1)...])
                if line.utf8.allSatisfy({ $0 == UInt8(ascii: "x") }) {
                    kept += 1
                } else {
                    try #require(line.hasSuffix(" lines were lost"), "\(line)")
                    told += try #require(Int(line.dropLast(" lines were lost".count)))
                }
            }
        }
        #expect(kept == count - lost && told == lost && rest.isEmpty)
        #expect(output.flush(within: 60))
        #expect(output.linesLost == lost)
        // The loss is not told again.
        output.write(Self.line)
        #expect(Array(pipe.fileHandleForReading.availableData) == Self.line)
    }

    @Test func linesComeInTheirOrder() {
        let output = output(bytes: 10_000)
        for number in 0..<50 { output.write(Array("\(number)\n".utf8)) }
        #expect(output.flush(within: 60))
        let read = String(decoding: pipe.fileHandleForReading.availableData, as: UTF8.self)
        #expect(read == (0..<50).map { "\($0)\n" }.joined())
        #expect(output.linesLost == 0)
    }

    @Test func aDescriptorThatDoesNotBlockIsWaitedFor() {
        let descriptor = pipe.fileHandleForWriting.fileDescriptor
        #expect(fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK) == 0)
        let output = output(bytes: 1 << 20)
        let count = 5_000
        for _ in 0..<count { output.write(Self.line) }
        var read = 0
        while read < count * Self.line.count { read += pipe.fileHandleForReading.availableData.count }
        #expect(output.flush(within: 60) && output.linesLost == 0)
    }
}
