import Dispatch
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A running program in a process group of its own.
package final class ProgramRun: Sendable {
    /// The outcome of a program.
    package struct Outcome: Equatable, Sendable {
        /// The way in which a program ended.
        package enum End: Equatable, Sendable {
            case exited(Int32)
            case killed(by: Int32)
        }

        package var end: End
        /// The kept bytes of the program's output.
        package var output: [UInt8]
        /// True if the program printed more than the limit.
        package var isTooLong: Bool
        /// The last bytes of the program's error stream.
        package var errors: [UInt8]
    }

    /// The number of bytes of the error stream that are kept.
    package static let errorBytes = 4 << 10

    /// The time between SIGTERM and SIGKILL.
    private let grace: Duration
    private let pid: pid_t
    private let streams: ProgramStreams
    private let state = Mutex(State())
    private let ended = DispatchSemaphore(value: 0)

    private struct State {
        /// True if the program is reaped; its process id may then belong to another program.
        var isReaped = false
        var isTold = false
    }

    /// Starts a program; throws if the system cannot start it. Blocks until the program's file is read: see
    /// `ProgramStart.aside`.
    ///
    /// - Parameters:
    ///   - path: The path of the program's file.
    ///   - grace: The time that the program has to end after SIGTERM.
    package init(
        _ path: String, _ arguments: [String], variables: [String: String], input: [UInt8],
        grace: Duration = .seconds(10)
    ) throws(ProgramFailure) {
        self.grace = grace
        let (pid, streams) = try ProgramStart.run(path, arguments, variables: variables, input: input)
        self.pid = pid
        self.streams = streams
    }

    /// Ends the program and everything that it has started: at first with SIGTERM, after the grace period with SIGKILL.
    package func terminate() {
        let isFirst = state.withLock { state in
            defer { state.isTold = true }
            return !state.isTold
        }
        guard isFirst else { return }
        signal(SIGTERM)
        // A thread of its own, so that no other program or reader delays the signal.
        DispatchQueue(label: "wfd-kill").async { [self] in
            if ended.wait(timeout: .now() + grace / .seconds(1)) == .timedOut { signal(SIGKILL) }
        }
    }

    private func signal(_ number: Int32) {
        state.withLock { state in
            if !state.isReaped { _ = kill(-pid, number) }
        }
    }

    /// Writes the program's input and reads its output until the program has ended. Call `outcome` once.
    ///
    /// - Parameters:
    ///   - limit: The number of output bytes that are kept; a program that prints more is ended.
    ///   - errors: Receives the program's error stream as it arrives.
    package func outcome(keeping limit: Int, errors: @escaping @Sendable ([UInt8]) -> Void) async -> Outcome {
        DispatchQueue(label: "wfd-wait").async { [pid, streams] in
            // The program stays a zombie until everything is read, so that no other process gets its id.
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
            // Nobody awaits the processes that the program has left; a process that wants to continue makes its own
            // group.
            _ = kill(-pid, SIGKILL)
            var status: Int32 = 0
            ProgramStart.reap(pid, &status)
            state.isReaped = true
            ended.signal()
            // The same as the macros of <sys/wait.h>.
            let signal = status & 0x7F
            return signal == 0 ? .exited((status >> 8) & 0xFF) : .killed(by: signal)
        }
    }
}

/// The reason why a program could not be started.
package struct ProgramFailure: Error, Equatable {
    package let message: String
}
