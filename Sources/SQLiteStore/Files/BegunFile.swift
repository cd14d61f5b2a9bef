import Dispatch
import Synchronization
package import WorkflowStore

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The file `NAME.begun` beside a database: the begins of attempts, one per line, and the ends while other attempts
/// run.
///
/// Nothing is flushed: written data outlives its process, and an attempt is not to blame for a crash of the machine.
/// Each change is one `pwrite(2)`, so a kill leaves whole lines, or a torn last line. A line names the store and its
/// generation, so beside another or a restored database the line is ignored. A line also names the boot, which tells a
/// power cut from the death of the process alone.
final class BegunFile: AttemptLog {
    private struct State {
        /// The descriptor; negative until something is written.
        var descriptor: CInt = -1
        /// The number of bytes of the file that are lines.
        var end = 0
        /// The attempts that have begun and not ended, in the order of their begins.
        var open: [AttemptBegin] = []
    }

    /// The number of bytes above which the file is rewritten.
    private static let bytes = 64 << 10
    /// The number of bytes above which the file is not ours.
    private static let readBytes = 2 * bytes

    private let file: StoreFile
    private let identity: StoreIdentity
    private let boot: String
    private let state = Mutex(State())
    /// The queue of all file access, so that a slow disk blocks no thread of Swift's pool.
    private let thread = DispatchQueue(label: "wfd-begun")

    /// Opens nothing; the first write creates the file.
    ///
    /// - Parameter boot: The system's id for the time since the machine started.
    init(_ file: StoreFile, of identity: StoreIdentity, boot: String) {
        self.file = file
        self.identity = identity
        self.boot = boot
    }

    deinit {
        let descriptor = state.withLock { $0.descriptor }
        if descriptor >= 0 { Self.close(descriptor) }
    }

    var place: String { file.begun }

    func unended() async -> [InterruptedAttempt] {
        await aside { [self] _ in
            BegunLine.unended(in: content(), of: identity).map {
                InterruptedAttempt($0.attempt, isOfThisBoot: $0.boot == boot)
            }
        }
    }

    func forget() async {
        await aside { [self] state in
            if StoreFile.size(of: file.begun) != nil { _ = writable(&state) }
        }
    }

    func began(_ attempt: AttemptBegin) async -> Bool {
        await aside { [self] state in
            state.open.append(attempt)
            return append(BegunLine(.begin, boot, attempt), to: &state)
        }
    }

    func ended(_ attempt: AttemptBegin) async {
        await aside { [self] state in
            state.open.removeAll { $0 == attempt }
            // If there is no room for the end, the begins of the other attempts replace all lines.
            if state.open.isEmpty || !append(BegunLine(.end, boot, attempt), to: &state) { rewrite(&state) }
        }
    }

    func close() async {
        await aside { [self] state in
            guard state.descriptor >= 0 else { return }
            if state.open.isEmpty { unlink(file.begun) }
            Self.close(state.descriptor)
            state.descriptor = -1
        }
    }

    /// Runs a function with the file's state, after all earlier calls.
    private func aside<Value: Sendable>(_ body: @escaping @Sendable (inout State) -> Value) async -> Value {
        await withCheckedContinuation { continuation in
            thread.async { [self] in continuation.resume(returning: state.withLock { body(&$0) }) }
        }
    }

    /// Returns the bytes of the file; none if the file cannot be ours.
    private func content() -> [UInt8] {
        guard hasOneName, let reader = Self.opened(file, O_RDONLY) else { return [] }
        defer { Self.close(reader) }
        let bytes = [UInt8](unsafeUninitializedCapacity: Self.readBytes + 1) { buffer, filled in
            // A file that cannot be read counts as empty.
            filled = max(0, pread(reader, buffer.baseAddress, Self.readBytes + 1, 0))
        }
        return bytes.count > Self.readBytes ? [] : bytes
    }

    /// Returns the descriptor of the file, which is empty at first; `nil` if the file cannot be written.
    private func writable(_ state: inout State) -> CInt? {
        if state.descriptor >= 0 { return state.descriptor }
        guard hasOneName, let opened = Self.opened(file, O_RDWR | O_CREAT) else { return nil }
        guard ftruncate(opened, 0) == 0 else {
            Self.close(opened)
            return nil
        }
        (state.descriptor, state.end) = (opened, 0)
        return opened
    }

    /// True unless the file has another name. The other name may be the database, whose locks would go when this file
    /// is closed.
    private var hasOneName: Bool { StoreFile.identity(of: file.begun).map { $0.names == 1 } ?? true }

    /// Appends a line; returns false if the disk does not take it.
    private func append(_ line: BegunLine, to state: inout State) -> Bool {
        guard let descriptor = writable(&state) else { return false }
        // The list of open attempts already reflects the line.
        if state.end > Self.bytes { return rewrite(&state) }
        let bytes = Array(line.text(of: identity).utf8)
        guard pwrite(descriptor, bytes, bytes.count, off_t(state.end)) == bytes.count else { return false }
        state.end += bytes.count
        return true
    }

    /// Replaces the lines by the begins of the open attempts. Old lines stay after the new ones until the file is
    /// truncated, so a kill in between loses nothing.
    @discardableResult
    private func rewrite(_ state: inout State) -> Bool {
        guard let descriptor = writable(&state) else { return false }
        let bytes = Array(state.open.map { BegunLine(.begin, boot, $0).text(of: identity) }.joined().utf8)
        guard bytes.isEmpty || pwrite(descriptor, bytes, bytes.count, 0) == bytes.count,
            ftruncate(descriptor, off_t(bytes.count)) == 0
        else { return false }
        state.end = bytes.count
        return true
    }

    private static func opened(_ file: StoreFile, _ flags: CInt) -> CInt? {
        // The reason why the file cannot be opened does not matter: the log then knows less.
        try? StoreFile.openPresent(file.begun, flags, for: file.given)
    }

    private static func close(_ descriptor: CInt) {
        #if canImport(Glibc)
            Glibc.close(descriptor)
        #else
            Darwin.close(descriptor)
        #endif
    }
}

/// A line of the file: `begin UUID GENERATION BOOT EFFECT ROUND NUMBER MILLISECONDS`, or `end` with the same fields.
private struct BegunLine {
    enum Word: String {
        case begin
        case end
    }

    let word: Word
    /// The boot's id, without spaces.
    let boot: String
    let attempt: AttemptBegin

    init(_ word: Word, _ boot: String, _ attempt: AttemptBegin) {
        self.word = word
        self.boot = boot
        self.attempt = attempt
    }

    /// Reads a line without its end; returns `nil` for a line that `text` does not produce.
    init?(_ line: Substring, of identity: StoreIdentity) {
        let words = line.split(separator: " ", omittingEmptySubsequences: false)
        guard words.count == 8, let word = words.first.flatMap({ Word(rawValue: String($0)) }), !words[3].isEmpty,
            let effect = Int64(words[4]), let round = Int64(words[5]), let number = Int64(words[6]),
            let begun = Int64(words[7]), effect > 0, round >= 0, number > 0, Timestamp.range.contains(begun)
        else { return nil }
        self.init(
            word, String(words[3]),
            AttemptBegin(
                effect: Position(rawValue: effect), round: round, number: number, begun: Timestamp(rawValue: begun)))
        guard text(of: identity) == line + "\n" else { return nil }
    }

    func text(of store: StoreIdentity) -> String {
        "\(word.rawValue) \(store.uuid.text) \(store.generation) \(boot) \(attempt.effect.rawValue) "
            + "\(attempt.round) \(attempt.number) \(attempt.begun.rawValue)\n"
    }

    /// Reads the begins of a store that have no end. Ignores a torn last line and every line of another store.
    static func unended(in bytes: [UInt8], of identity: StoreIdentity) -> [BegunLine] {
        guard let last = bytes.lastIndex(of: UInt8(ascii: "\n")) else { return [] }
        var open: [BegunLine] = []
        for bytes in bytes[..<last].split(separator: UInt8(ascii: "\n")) {
            guard let text = String(validating: bytes, as: UTF8.self),
                let line = BegunLine(text[...], of: identity)
            else { continue }
            switch line.word {
            case .begin: if !open.contains(where: { $0.attempt == line.attempt }) { open.append(line) }
            case .end: open.removeAll { $0.attempt == line.attempt }
            }
        }
        return open
    }
}

/// The current boot of the system.
package enum SystemBoot {
    /// Returns the kernel's `boot_id` (random(4)), which changes with each start of the machine; `-` if it is unknown.
    ///
    /// - Parameter told: The id from the service manager, for a process that does not see all of `/proc`.
    package static func id(orAs told: String?) -> String {
        kernels ?? told.flatMap { digits(of: $0.utf8) } ?? "-"
    }

    private static var kernels: String? {
        let descriptor = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        let bytes = [UInt8](unsafeUninitializedCapacity: 64) { buffer, filled in
            filled = max(0, read(descriptor, buffer.baseAddress, buffer.count))
        }
        return digits(of: bytes.prefix { $0 != UInt8(ascii: "\n") })
    }

    /// Returns the 32 digits of an id; systemd writes them without hyphens.
    private static func digits(of text: some Sequence<UInt8>) -> String? {
        let word = String(decoding: text.filter { $0 != UInt8(ascii: "-") }, as: UTF8.self)
        return word.utf8.count == 32 && word.allSatisfy { $0.isASCII && $0.isHexDigit } ? word.lowercased() : nil
    }
}

extension SQLiteFileStore {
    /// Returns the log of attempts beside the file. A process has at most one log of a store at a time.
    ///
    /// - Parameter boot: The boot's id, without spaces; it changes with each start of the machine.
    package func attemptLog(boot: String) -> any AttemptLog { BegunFile(file, of: identity, boot: boot) }
}
