import EngineFloor
import Foundation
import WorkflowJSON

extension ServerProcess {
    /// Stores the machine with two states and starts instances of it, `i-0` and so on, many at once.
    func prepare(instances: Int) throws {
        let states = #"{"off":{"on":{"flip":"on"}},"on":{"on":{"flip":"off"}}}"#
        try apply(#"{"id":"flip","initial":"off","states":\#(states)}"#)
        try start(instances, of: "flip")
    }

    /// Stores a machine for each queue, `q-0` and so on, and starts instances that request tasks: `i-N` is of queue N
    /// modulo the number of queues.
    func prepareTasks(queues: Int, instances: Int) throws {
        for queue in 0..<queues { try apply(Workload.job("job-\(queue)", queue: "q-\(queue)")) }
        try start(instances) { "job-\($0 % queues)" }
    }

    /// Creates a token that may send events. Returns its text.
    func makeToken(_ name: String = "bench", role: String = "send") throws -> String {
        let body = #"{"name":"\#(name)","roles":["\#(role)"]}"#
        let answer = try ask(HTTPRequestText.post("/v1/tokens", body), status: 201)
        guard case .string(let token)? = try JSONReader.value(from: answer).object?["token"] else {
            throw BenchmarkError("no token in '\(answer.prefix(40))…'")
        }
        return token
    }

    /// Stores a machine.
    ///
    /// - Parameter definition: The definition as JSON.
    func apply(_ definition: String) throws {
        try ask(HTTPRequestText.post("/v1/machines", definition), status: 201)
    }

    /// Starts instances of a machine, `i-0` and so on, many at once.
    func start(_ instances: Int, of machine: String) throws { try start(instances) { _ in machine } }

    private func start(_ instances: Int, of machine: (Int) -> String) throws {
        let group = try (0..<min(64, instances)).map { _ in try LoadConnection(socket: socket) }
        defer { for one in group { one.close() } }
        for first in stride(from: 0, to: instances, by: group.count) {
            let turn = zip(first..<instances, group)
            for (number, one) in turn {
                let body = #"{"machine":"\#(machine(number))","instance":"i-\#(number)"}"#
                try HTTPRequestText.post("/v1/instances", body).withUnsafeBytes { try one.send($0) }
            }
            for (_, one) in turn { try one.waitForAnswer(status: 201) }
        }
    }

    /// Sends a request. Returns the body of its answer.
    @discardableResult
    func ask(_ request: [UInt8], status: Int = 200) throws -> String {
        let connection = try LoadConnection(socket: socket)
        defer { connection.close() }
        try connection.exchange(request, status: status)
        return connection.body
    }
}
