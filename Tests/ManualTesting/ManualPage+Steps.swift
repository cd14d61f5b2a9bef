import Foundation

extension ManualPage {
    /// A step that a reader takes with a page.
    package enum Step: Sendable {
        /// A line after `$`, and the lines that the command prints.
        case command(Command)
        /// An HTTP request, and the answer in the next block.
        case request(Request)
    }

    /// A command, and its output on the page.
    package struct Command: Sendable {
        /// The number of the command's line.
        package let line: Int
        /// The command without `$`; lines that end in a backslash are joined.
        package let text: String
        /// The place of the output in `lines`.
        package let output: Range<Int>
    }

    /// A request, and the place of its answer.
    package struct Request: Sendable {
        /// The number of the request's line.
        package let line: Int
        /// The method and the target.
        package let method: String
        package let target: String
        package let headers: [(name: String, value: String)]
        package let body: String?
        /// The place of the answer in `lines`: a line with the status, headers, an empty line and the body.
        package let answer: Range<Int>
    }

    /// The steps of the page. A block that should be a step and is not is in `mistakes`.
    package var steps: [Step] {
        var steps: [Step] = []
        var request: Block?
        for block in blocks {
            switch block.kind {
            case "console": steps += Self.commands(of: block).map(Step.command)
            case "http":
                if let asked = request {
                    steps.append(.request(Self.request(of: asked, answer: block)))
                    request = nil
                } else {
                    request = block
                }
            default: break
            }
        }
        return steps
    }

    /// The blocks with commands that no step runs, and requests without an answer.
    package var mistakes: [Block] {
        let http = blocks.filter { $0.kind == "http" }
        let pairs = zip(0..., http).filter { offset, block in
            let isAnswer = block.lines.first?.hasPrefix("HTTP/1.1 ") ?? false
            return isAnswer != (offset % 2 == 1) || (offset == http.count - 1 && offset % 2 == 0)
        }.map(\.1)
        let consoles = blocks.filter { block in
            let first = block.lines.first?.hasPrefix("$ ") ?? false
            return block.kind == "console" ? !first : block.lines.contains { $0.hasPrefix("$ ") }
        }
        return pairs + consoles
    }

    private static func commands(of block: Block) -> [Command] {
        var commands: [Command] = []
        var index = 0
        while index < block.lines.count {
            let start = index
            var text = String(block.lines[index].dropFirst(2))
            index += 1
            while text.hasSuffix("\\"), index < block.lines.count {
                text = text.dropLast() + block.lines[index]
                index += 1
            }
            let first = index
            while index < block.lines.count, !block.lines[index].hasPrefix("$ ") { index += 1 }
            let offset = block.line - 1
            commands.append(Command(line: block.line + start, text: text, output: first + offset..<index + offset))
        }
        return commands
    }

    private static func request(of block: Block, answer: Block) -> Request {
        let head = block.lines.prefix { !$0.isEmpty }
        let words = head.first?.split(separator: " ").map(String.init) ?? []
        let headers = head.dropFirst().map { line in
            let name = line.prefix { $0 != ":" }
            return (name: String(name), value: line.dropFirst(name.count + 1).trimmingCharacters(in: .whitespaces))
        }
        let body = block.lines.dropFirst(head.count + 1)
        let first = answer.line - 1
        return Request(
            line: block.line, method: words.first ?? "", target: words.count > 1 ? words[1] : "", headers: headers,
            body: body.isEmpty ? nil : body.map { $0 + "\n" }.joined(), answer: first..<first + answer.lines.count)
    }
}
