import WorkflowStore

/// Sends requests that read, and converts the answers.
protocol RowReading {
    /// Returns the answers of requests, all read with one round trip.
    func answers(_ requests: [Request]) throws(StoreError) -> [Answer]
    /// Returns the error of a failed read.
    func error(_ failure: PostgresFailure) -> StoreError
}

extension RowReading {
    func first<Row: TableRow>(
        _ statement: Statement, _ fill: (inout Parameters) -> Void
    ) throws(StoreError) -> Row? {
        try read(Request(statement, fill: fill)) { answer in try answer.first { row in try Row(row: &row) } }
    }

    func all<Row: TableRow>(
        _ statement: Statement, _ fill: (inout Parameters) -> Void
    ) throws(StoreError) -> [Row] {
        try read(Request(statement, fill: fill)) { answer in try answer.all { row in try Row(row: &row) } }
    }

    func read<Value>(_ request: Request, _ body: (Answer) throws -> Value) throws(StoreError) -> Value {
        try read([request]) { answers in
            guard let answer = answers.first else { throw PostgresFailure(.damaged, "the server gave no answer") }
            return try body(answer)
        }
    }

    func read<Value>(_ requests: [Request], _ body: ([Answer]) throws -> Value) throws(StoreError) -> Value {
        let answers = try answers(requests)
        do {
            return try body(answers)
        } catch {
            throw self.error(PostgresFailure(error))
        }
    }
}
