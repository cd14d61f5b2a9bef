import DaemonTesting
import Foundation
import ManualTesting
import WorkflowClient

/// A run through a page of the manual, step by step, in a folder of its own.
///
/// The folder is the reader's home. It has `Examples`, and a file for each block that has the name of a file.
final class PageRun {
    /// A place where the page and the programs differ.
    struct Difference {
        let line: Int
        let step: String
        /// The lines of the page, from 0, and the lines that should be there.
        let range: Range<Int>
        let lines: [String]
    }

    /// The reader's home on the pages.
    static let home = "/home/ada"

    private let page: ManualPage
    private let folder: TemporaryFolder
    private let environment: [String: String]
    /// The programs that were started with `&`; the first one is `%1`.
    private var jobs: [RunningProgram] = []
    private var address: Address?
    /// The names that only this run knows, by the names on the page.
    private var names: [String: String] = [:]

    init(_ page: ManualPage) throws {
        self.page = page
        folder = try TemporaryFolder()
        let build = URL(filePath: try Programs.path("wfctl")).deletingLastPathComponent().path
        let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
        environment = Programs.environment([
            "HOME": folder.path, "PATH": build + ":" + path, "XDG_RUNTIME_DIR": try folder.makeFolder("run"),
            "LC_ALL": "C",
        ])
        try FileManager.default.createSymbolicLink(
            atPath: folder.path("Examples"), withDestinationPath: ManualPage.root.appending(path: "Examples").path)
        for block in page.blocks {
            if let name = block.name, name.contains(".") { _ = try folder.write(block.text, to: name) }
        }
    }

    /// Carries out all steps except the skipped ones. Stops everything that was started.
    func differences(skipping isLeftOut: (ManualPage.Command) -> Bool) async throws -> [Difference] {
        var differences: [Difference] = []
        for step in page.steps {
            let (line, name, range): (Int, String, Range<Int>)
            let lines: [String]
            switch step {
            case .command(let command):
                if isLeftOut(command) { continue }
                (line, name, range) = (command.line, command.text, command.output)
                lines = try await run(command.text)
            case .request(let request):
                (line, name, range) = (request.line, "\(request.method) \(request.target)", request.answer)
                lines = try await ask(request)
            }
            learn(shown: Array(page.lines[range]), real: lines)
            let shown = page.lines[range].map(masked)
            if shown != lines.map(masked) {
                differences.append(Difference(line: line, step: name, range: range, lines: lines))
            }
        }
        for job in jobs { job.signal(SIGTERM) }
        return differences
    }

    private func run(_ command: String) async throws -> [String] {
        // wfd chooses one name in a command: the one behind `--expect`.
        let text = command.replacing(/--expect ([0-9a-f]{6})/) { "--expect \(names[String($0.1)] ?? String($0.1))" }
        if text.hasSuffix(" &") {
            let job = try bash("exec " + text.dropLast(2))
            let line = try await job.errorLines(containing: "listening")[0]
            if let field = line.firstMatch(of: /address=(\S+)/) { address = try Address(String(field.1)) }
            jobs.append(job)
            return []
        }
        if let kill = text.wholeMatch(of: /kill (-9 )?%(\d+)/), let number = Int(kill.2), number <= jobs.count {
            jobs[number - 1].signal(kill.1 == nil ? SIGTERM : SIGKILL)
            _ = try await jobs[number - 1].result()
            return []
        }
        let result = try await bash("exec 2>&1; " + text).result()
        var lines = result.output.replacing(folder.path, with: Self.home).split(
            separator: "\n", omittingEmptySubsequences: false
        ).map { line in String(line.reversed().drop { $0 == " " }.reversed()) }
        if lines.last == "" { lines.removeLast() }
        // The progress of work that takes long: bytes, events or instances, with the total where it is known.
        let progress = /\S+ [\d.]+( [KMG]i?B| B)? of [\d.]+ \w+ \(\d+ %\)(, .* left)?/
        let count = /(rehearsing|verifying|replaying) [\d.]+ \w+/
        lines.removeAll { $0.wholeMatch(of: progress) != nil || $0.wholeMatch(of: count) != nil }
        return lines
    }

    private func bash(_ text: String) throws -> RunningProgram {
        try RunningProgram("/bin/bash", ["-c", "cd \(folder.path); " + text], environment: environment)
    }

    private func ask(_ request: ManualPage.Request) async throws -> [String] {
        guard let address else { throw TestingError("\(page):\(request.line): no daemon was started") }
        var target = request.target
        var body = request.body
        for (shown, real) in names {
            target = target.replacing(shown, with: real)
            body = body?.replacing(shown, with: real)
        }
        let raw = RawRequest(request.method, target, headers: request.headers, body: body.map { Array($0.utf8) })
        let answer = try await onOwnThread { try RawConnection(to: address).answer(to: raw) }
        let type = answer.headers["content-type"].map { ["Content-Type: \($0)"] } ?? []
        let isText = type.contains { $0.contains("json") }
        var lines = isText ? answer.text.split(separator: "\n").map(String.init) : ["\(answer.body.count) bytes"]
        // Progress lines come only when the work takes long.
        lines.removeAll { $0.hasPrefix(#"{"run""#) && $0.contains(#""state":"running""#) }
        lines.removeAll { $0.hasPrefix(#"{"phase""#) || $0.hasPrefix(#"{"progress""#) }
        return ["HTTP/1.1 \(answer.status)"] + type + [""] + lines
    }

    /// Remembers which names of this run correspond to those on the page.
    private func learn(shown: [String], real: [String]) {
        let name = /"(?:backup|cursor|nextPage|task)":"([^"]*)"/
        let digest = /\bdigest ([0-9a-f]{6})\b/
        for (shown, real) in zip(shown, real) {
            for (one, other) in zip(shown.matches(of: digest), real.matches(of: digest)) {
                names[String(one.1)] = String(other.1)
            }
            for (one, other) in zip(shown.matches(of: name), real.matches(of: name)) {
                names[String(one.1)] = String(other.1)
            }
        }
    }

    /// Returns a line without the parts that differ from run to run: times, sizes, names that wfd chooses, and the
    /// width of columns.
    private func masked(_ line: String) -> String {
        line.replacing(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/, with: "TIME").replacing(/\d{8}T\d{6}Z/, with: "TIME")
            .replacing(/[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}/, with: "UUID")
            .replacing(/\b(\d+s)?\d+(\.\d+)?ms\b/, with: "SPAN")
            .replacing(/\b\d+(\.\d+)? [KMGT]iB/, with: "SIZE")
            .replacing(/\bin \d+(\.\d+)? ?s\b/, with: "in SPAN")
            .replacing(/"(backup|cursor|nextPage|actor|task|worker|traceparent|loginCode)":"[^"]*"/) {
                #""\#($0.1)":"NAME""#
            }
            .replacing(/"(bytes|seconds|dueInMilliseconds|inState|sinceInMilliseconds|file|log|free)":[\d.]+/) {
                #""\#($0.1)":NUMBER"#
            }
            // A backup has the times of its events; the digest of a definition is always the same.
            .replacing(/("backup":.*"digest":)"[^"]*"/) { $0.1 + "DIGEST" }
            // The digest of a deleted instance: it covers a UUID that is made anew each time.
            .replacing(/"digest":"[0-9a-f]{64}","at"/, with: #""digest":"DIGEST","at""#)
            .replacing(/(UUID\s+\w+\s+\d+\s+\d+\s+)[0-9a-f]{12}\b/) { $0.1 + "DIGEST" }
            .replacing(/"digest":"[0-9a-f]{64}","selected"/, with: #""digest":"DIGEST","selected""#)
            .replacing(/\bdigest [0-9a-f]{6}\b/, with: "digest DIGEST").replacing(
                /selection is no longer '[0-9a-f]{6}'/, with: "selection is no longer 'DIGEST'"
            )
            .replacing(/uid:\d+(\([^)]*\))?/, with: "USER").replacing(/^\d+ bytes$/, with: "SIZE")
            .replacing(/\d+\.\d+\.\d+-dev(\+[0-9a-f]+(\.modified)?)?/, with: "VERSION")
            .replacing(/wfdt_[0-9A-Za-z]{8}_([0-9A-Za-z]{43}|…)/, with: "TOKEN")
            .replacing(/"id":"[0-9A-Za-z]{8}"/, with: #""id":"ID""#)
            .replacing(/^(\S+\s+)[0-9A-Za-z]{8}(\s+(send|view|work))/) { $0.1 + "ID" + $0.2 }
            .replacing(/\s{2,}/, with: "  ")
    }
}
