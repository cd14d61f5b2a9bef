import Foundation

extension ServerProcess {
    /// Stores the machine with two states and starts instances of it, `i-0` and so on, many at once.
    func prepare(instances: Int) throws {
        let states = #"{"off":{"on":{"flip":"on"}},"on":{"on":{"flip":"off"}}}"#
        let connection = try LoadConnection(socket: socket)
        defer { connection.close() }
        let definition = #"{"id":"flip","initial":"off","states":\#(states)}"#
        try connection.exchange(HTTPRequestText.post("/v1/machines", definition), status: 201)
        let group = try (0..<min(64, instances)).map { _ in try LoadConnection(socket: socket) }
        defer { for one in group { one.close() } }
        for first in stride(from: 0, to: instances, by: group.count) {
            let turn = zip(first..<instances, group)
            for (number, one) in turn {
                let body = #"{"machine":"flip","instance":"i-\#(number)"}"#
                try HTTPRequestText.post("/v1/instances", body).withUnsafeBytes { try one.send($0) }
            }
            for (_, one) in turn { try one.waitForAnswer(status: 201) }
        }
    }
}
