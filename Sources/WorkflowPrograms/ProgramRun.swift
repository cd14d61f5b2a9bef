import Dispatch
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A program that runs in a process group of its own.
package final class ProgramRun: Sendable {
    /// What came of it.
    package struct Outcome: Equatable, Sendable {
        /// How a program ends.
        package enum End: Equatable, Sendable {
            case exited(Int32)
            case killed(by: Int32)
        }

        package var end: End
        /// What it printed, as far as it was kept.
        package var output: [UInt8]
        /// Whether it printed more than was to be kept.
        package var isTooLong: Bool
        /// The end of what it printed on its error stream.
        package var errors: [UInt8]
    }

    /// Bytes of the error stream that are kept.
    package static let errorBytes = 4 << 10

    /// Between the signal that asks a program to end and the one that it cannot refuse.
    private let grace: Duration
    private let pid: pid_t
    private let streams: ProgramStreams
    private let state = Mutex(State())
    private let ended = DispatchSemaphore(value: 0)

    private struct State {
        /// Its number may be another program's.
        var isReaped = false
        var isTold = false
    }

    /// Starts a program; throws when the system does not. Blocks until the program's file is read: see
    /// `ProgramStart.aside`.
    ///
    /// - Parameters:
    ///   - path: Of its file.
    ///   - grace: How long it may refuse to end.
    package init(
        _ path: String, _ arguments: [String], variables: [String: String], input: [UInt8],
        grace: Duration = .seconds(10)
    ) throws(ProgramFailure) {
        self.grace = grace
        let (pid, streams) = try ProgramStart.run(path, arguments, variables: variables, input: input)
        self.pid = pid
        self.streams = streams
    }

    /// Tells the program and all that it has started to end: at first so that they can refuse, later so that they
    /// cannot.
    package func terminate() {
        let isFirst = state.withLock { state in
            defer { state.isTold = true }
            return !state.isTold
        }
        guard isFirst else { return }
        signal(SIGTERM)
        // A thread of its own: nothing that another program or reader does delays it.
        DispatchQueue(label: "wfd-kill").async { [self] in
            if ended.wait(timeout: .now() + grace / .seconds(1)) == .timedOut { signal(SIGKILL) }
        }
    }

    private func signal(_ number: Int32) {
        state.withLock { state in
            if !state.isReaped { _ = kill(-pid, number) }
        }
    }

    /// Gives the program its input and takes what it prints, until it has ended. To be called once.
    ///
    /// - Parameters:
    ///   - limit: Bytes of its output that are kept; a program that prints more is told to end.
    ///   - errors: Gets what it prints on its error stream, as it comes.
    package func outcome(keeping limit: Int, errors: @escaping @Sendable ([UInt8]) -> Void) async -> Outcome {
        DispatchQueue(label: "wfd-wait").async { [pid, streams] in
            // It stays a zombie, so that its number is its own, until everything is read.
            var info = siginfo_t()
            while waitid(P_PID, id_t(pid), &info, WEXITED | WNOWAIT) != 0, errno == EINTR {}
            streams.programHasEnded()
        }
        return await withCheckedContinuation { continuation in
            DispatchQueue(label: "wfd-program").async { [self] in
                streams.exchange(keeping: limit, errors: errors, onTooLong: terminate)
                continuation.resume(
                    returning: Outcome(
                        end: reap(), output: streams.output, isTooLong: streams.isTooLong,
                        errors: streams.lastErrors))
            }
        }
    }

    private func reap() -> Outcome.End {
        state.withLock { state in
            // Nobody waits any more for what it has left running; what wants to go on makes a group of its own.
            _ = kill(-pid, SIGKILL)
            var status: Int32 = 0
            ProgramStart.reap(pid, &status)
            state.isReaped = true
            ended.signal()
            // As the macros of <sys/wait.h> do.
            let signal = status & 0x7F
            return signal == 0 ? .exited((status >> 8) & 0xFF) : .killed(by: signal)
        }
    }
}

/// Why a program could not be started.
package struct ProgramFailure: Error, Equatable {
    package let message: String
}
