import CSpawn
import Foundation
import Synchronization
import ThreadTesting

/// The way in which a program ended.
package enum ProgramEnd: Equatable, Sendable {
    case exited(Int32)
    case killed(by: Int32)
}

/// The end and the output of a program.
package struct ProgramResult: Equatable, Sendable {
    package let end: ProgramEnd
    package let output: String
    package let errors: String
}

/// A program beside the test. Its output is drained as it comes. The program is killed when its last reference is gone.
package final class RunningProgram: Sendable {
    private let state: ProgramState

    /// Starts a program with nothing on its standard input.
    package init(_ executable: String, _ arguments: [String], environment: [String: String]) throws {
        let (pid, output, errors) = try spawning.withLock { _ in
            let output = try Pipe()
            let errors = try Pipe()
            defer {
                close(output.writeEnd)
                close(errors.writeEnd)
            }
            let pid = try Self.spawn(
                executable, arguments, environment: environment, output: output.writeEnd, errors: errors.writeEnd)
            return (pid, output, errors)
        }
        let state = ProgramState(pid: pid)
        self.state = state
        // Each thread ends with the program: its streams close, and it is reaped.
        Thread { state.drain(output.readEnd, into: \.output) }.start()
        Thread { state.drain(errors.readEnd, into: \.errors) }.start()
        Thread { state.awaitEnd() }.start()
    }

    /// Starts a program whose standard input and output are a socket, which this function closes. `result` cannot be
    /// awaited.
    package init(_ executable: String, _ arguments: [String], conversingOn socket: Int32) throws {
        defer { close(socket) }
        let state = ProgramState(
            pid: try Self.spawn(
                executable, arguments, environment: Programs.environment(), input: socket, output: socket,
                errors: STDERR_FILENO))
        self.state = state
        Thread { state.awaitEnd() }.start()
    }

    deinit {
        state.signal(SIGKILL)
    }

    package var pid: Int32 { state.pid }

    /// The text on standard error so far.
    package var errors: String { state.current.errorText }

    package func signal(_ number: Int32) {
        state.signal(number)
    }

    /// Waits until the program has ended and its output is read.
    package func result(within time: Duration = .seconds(240)) async throws -> ProgramResult {
        try await onOwnThread { [state] in
            try state.wait(for: "the end of the program", within: time) { facts in
                guard let end = facts.end, facts.openStreams == 0 else { return nil }
                return ProgramResult(
                    end: end, output: String(decoding: facts.output, as: UTF8.self), errors: facts.errorText)
            }
        }
    }

    /// Waits for whole lines with a word on standard error. Throws if the program ends without them.
    package func errorLines(
        containing word: String, count: Int = 1, within time: Duration = .seconds(240)
    ) async throws -> [String] {
        try await lines(of: "stderr", containing: word, count: count, within: time) { $0.errorText }
    }

    /// Waits for whole lines with a word on standard output. Throws if the program ends without them.
    package func outputLines(
        containing word: String, count: Int = 1, within time: Duration = .seconds(240)
    ) async throws -> [String] {
        try await lines(of: "stdout", containing: word, count: count, within: time) {
            String(decoding: $0.output, as: UTF8.self)
        }
    }

    private func lines(
        of stream: String, containing word: String, count: Int, within time: Duration,
        _ text: @escaping @Sendable (ProgramState.Facts) -> String
    ) async throws -> [String] {
        try await onOwnThread { [state] in
            try state.wait(for: "'\(word)' on \(stream)", within: time) { facts in
                let lines = text(facts).split(separator: "\n", omittingEmptySubsequences: false).dropLast()
                let found = lines.filter { $0.contains(word) }
                if found.count >= count { return found.map(String.init) }
                if let end = facts.end, facts.openStreams == 0 {
                    throw TestingError("\(end) without '\(word)' on \(stream): \(facts.errorText)")
                }
                return nil
            }
        }
    }

    private static func spawn(
        _ executable: String, _ arguments: [String], environment: [String: String], input: Int32? = nil, output: Int32,
        errors: Int32
    ) throws -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        if let input {
            posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO)
        } else {
            posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
        }
        posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO)
        posix_spawn_file_actions_adddup2(&actions, errors, STDERR_FILENO)
        // Else it holds connections of other tests, and their peers do not notice when those are closed.
        program_start_close_from(&actions, STDERR_FILENO + 1)
        // The program takes signals as from a shell, whatever the thread that starts it blocks or ignores.
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        sigaddset(&signals, SIGPIPE)
        posix_spawnattr_setsigdefault(&attributes, &signals)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))

        let words = ([executable] + arguments).map { strdup($0) } + [nil]
        let variables = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { for word in words + variables { free(word) } }
        var pid: pid_t = 0
        let failure = posix_spawn(&pid, executable, &actions, &attributes, words, variables)
        guard failure == 0 else {
            throw TestingError("cannot start '\(executable)': \(String(cString: strerror(failure)))")
        }
        return pid
    }
}

/// A lock from the creation of pipes until the start of the program that gets them. A program that another thread
/// starts in between would inherit the pipes, and keep them open until its own end.
private let spawning = Mutex(())

/// A pipe. Both its ends are closed in every started program, except the end that the program gets.
private struct Pipe {
    let readEnd: Int32
    let writeEnd: Int32

    init() throws {
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else {
            throw TestingError("cannot make a pipe: \(String(cString: strerror(errno)))")
        }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        readEnd = ends[0]
        writeEnd = ends[1]
    }
}
