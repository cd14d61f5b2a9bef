public import WorkflowAPI
import WorkflowJSON

extension WorkflowClient {
    /// Sends events to many instances and starts others, in the order of `lines`; the answers have the same order.
    ///
    /// If `isAtomic` is true, the daemon applies all lines or none, in one transaction; a problem names the refused
    /// line. Otherwise the daemon applies or refuses each line on its own.
    public func send(_ lines: [BatchLine], isAtomic: Bool = false) async throws(ClientError) -> [BatchAnswer] {
        var bytes: [UInt8] = []
        for line in lines {
            bytes += JSONWriter.bytes(line)
            bytes.append(UInt8(ascii: "\n"))
        }
        let parameters = BatchParameters(atomic: isAtomic)
        let request = try TransportRequest(
            .sendEvents, query: parameters.queryText,
            body: TransportRequest.Body(mediaType: LineStream.mediaType, bytes: bytes))
        var answers: [BatchAnswer] = []
        do {
            for try await answer in try await self.lines(request, of: BatchAnswer.self) { answers.append(answer) }
        } catch let error as ClientError {
            throw error
        } catch {
            throw .answerLost(address, reason: "\(error)")
        }
        guard answers.count == lines.count else {
            throw .answerLost(address, reason: "\(answers.count) of \(lines.count) events were answered")
        }
        return answers
    }
}
