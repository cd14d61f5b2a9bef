import CSpawn
import Dispatch
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Finds and starts programs.
package enum ProgramStart {
    /// The programs that are not reaped yet, and the number of programs that are being started.
    private struct Children {
        var starting = 0
        var running: Set<pid_t> = []
    }

    private static let children = Mutex(Children())
    /// Ignores SIGPIPE: a program may close its input early, and that must not end this process.
    private static let ignoreClosedPipes: Void = { _ = signal(SIGPIPE, SIG_IGN) }()

    /// Returns the file of a program as a shell finds it, or `nil` if there is no executable file.
    package static func path(of name: String, in variables: [String: String]) -> String? {
        if name.contains("/") { return isProgram(name) ? name : nil }
        let folders = (variables["PATH"] ?? "/usr/bin:/bin").split(separator: ":", omittingEmptySubsequences: false)
        return folders.lazy.map { ($0.isEmpty ? "." : $0) + "/" + name }.first(where: isProgram)
    }

    private static func isProgram(_ path: String) -> Bool {
        var facts = stat()
        return stat(path, &facts) == 0 && facts.st_mode & S_IFMT == S_IFREG && access(path, X_OK) == 0
    }

    /// Examines files of programs, or starts one, on a thread of its own. A disk may answer late, and a start returns
    /// only when the system has read the program's file. Callers bound the number of concurrent calls.
    package static func aside<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
        await withCheckedContinuation { continuation in
            DispatchQueue(label: "wfd-start").async { continuation.resume(returning: body()) }
        }
    }

    /// Starts a program in a process group of its own, with pipes for its three streams. Blocks. Several programs may
    /// start at a time, because each closes the inherited pipes of the others.
    static func run(
        _ path: String, _ arguments: [String], variables: [String: String], input: [UInt8]
    ) throws(ProgramFailure) -> (pid_t, ProgramStreams) {
        _ = ignoreClosedPipes
        let pipes = try ProgramPipes()
        defer { pipes.closeOthers() }
        let streams = ProgramStreams(pipes, input: input)
        children.withLock { $0.starting += 1 }
        var pid: pid_t?
        defer {
            children.withLock { children in
                children.starting -= 1
                if let pid { children.running.insert(pid) }
            }
        }
        let started = try spawn(path, arguments, variables: variables, pipes)
        pid = started
        return (started, streams)
    }

    /// Reaps a program that has ended and forgets its id at the same moment, because the next child may get the id.
    static func reap(_ pid: pid_t, _ status: inout Int32) {
        children.withLock { children in
            while waitpid(pid, &status, 0) < 0, errno == EINTR {}
            children.running.remove(pid)
        }
    }

    /// Reaps ended children that this process has not started. The first process of a container inherits them, and
    /// without a parent that waits for them they would stay zombies. While a program is being started, its id is
    /// unknown, and nothing is reaped.
    package static func reapOrphans() {
        children.withLock { children in
            guard children.starting == 0 else { return }
            // The first ended child may be a program of wfd, which its own thread reaps soon; the others follow later.
            var pid = program_start_ended_child()
            while pid > 0, !children.running.contains(pid), waitpid(pid, nil, WNOHANG) == pid {
                pid = program_start_ended_child()
            }
        }
    }

    private static func spawn(
        _ path: String, _ arguments: [String], variables: [String: String], _ pipes: ProgramPipes
    ) throws(ProgramFailure) -> pid_t {
        #if canImport(Darwin)
            var actions: posix_spawn_file_actions_t?
            var attributes: posix_spawnattr_t?
        #else
            var actions = posix_spawn_file_actions_t()
            var attributes = posix_spawnattr_t()
        #endif
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, pipes.input.readEnd, STDIN_FILENO)
        posix_spawn_file_actions_adddup2(&actions, pipes.output.writeEnd, STDOUT_FILENO)
        posix_spawn_file_actions_adddup2(&actions, pipes.errors.writeEnd, STDERR_FILENO)
        // The connections of this process must close when it ends, not when its last program ends.
        let refusal = program_start_close_from(&actions, STDERR_FILENO + 1)
        guard refusal == 0 else {
            throw ProgramFailure(message: "Cannot start '\(path)': \(String(cString: strerror(refusal)))")
        }
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        posix_spawnattr_setpgroup(&attributes, 0)
        // The program handles signals as if started from a shell, whatever this process does with them.
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        for signal in [SIGPIPE, SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2] { sigaddset(&signals, signal) }
        posix_spawnattr_setsigdefault(&attributes, &signals)
        posix_spawnattr_setflags(
            &attributes, Int16(POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
        let words = ([path] + arguments).map { strdup($0) } + [nil]
        let settings = variables.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { for word in words + settings { free(word) } }
        var pid: pid_t = 0
        let failure = posix_spawn(&pid, path, &actions, &attributes, words, settings)
        guard failure == 0 else {
            throw ProgramFailure(message: "Cannot start '\(path)': \(String(cString: strerror(failure)))")
        }
        return pid
    }
}

/// The pipes between this process and a program.
struct ProgramPipes {
    /// The two ends of a pipe.
    struct Pipe {
        let readEnd: Int32
        let writeEnd: Int32

        init() throws(ProgramFailure) {
            var ends: [Int32] = [0, 0]
            guard pipe(&ends) == 0 else {
                throw ProgramFailure(message: "Cannot make a pipe: \(String(cString: strerror(errno)))")
            }
            readEnd = ends[0]  // Proof: there are two, as written above
            writeEnd = ends[1]
        }
    }

    let input: Pipe
    let output: Pipe
    let errors: Pipe
    /// The pipe that wakes the thread waiting for the others.
    let wake: Pipe

    init() throws(ProgramFailure) {
        var made: [Pipe] = []
        do throws(ProgramFailure) {
            for _ in 0..<4 { made.append(try Pipe()) }
        } catch {
            for pipe in made {
                close(pipe.readEnd)
                close(pipe.writeEnd)
            }
            throw error
        }
        (input, output, errors, wake) = (made[0], made[1], made[2], made[3])  // Proof: there are four, as counted above
    }

    /// Closes the program's ends of the pipes.
    func closeOthers() {
        for descriptor in [input.readEnd, output.writeEnd, errors.writeEnd] { close(descriptor) }
    }
}
