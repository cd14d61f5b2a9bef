import HTTPTypes
import Hummingbird
import NIOCore
import WorkflowAPI
import WorkflowConsole

extension Response {
    /// Creates the answer with the history of an instance as a file. Each part is read when the browser has taken the
    /// part before. When a part cannot be read, the answer breaks off, so that no browser takes the file for whole.
    init(download history: HistoryLines, within budget: AnswerBudget) {
        let headers: HTTPFields = [
            .contentType: "application/jsonl",
            .contentDisposition: "attachment; filename=\"\(history.fileName)\"",
        ]
        let body = ResponseBody { writer in
            var (history, output) = (history, writer)
            try await offLoop(for: .reading) {
                while let lines = try await history.lines() {
                    let share = try await budget.reserve(lines.count)
                    try await output.write(ByteBuffer(bytes: lines))
                    withExtendedLifetime(share) {}
                }
            }
            writer = output
            try await writer.finish(nil)
        }
        self.init(status: .ok, headers: headers, body: body)
    }
}
