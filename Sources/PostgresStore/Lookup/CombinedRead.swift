import WorkflowStore

/// Reads the rows that a batch will look up, with one round trip.
struct CombinedRead {
    private let wanted: WantedRows
    private let known: [MachineID]
    private let machines: [WantedMachine]
    /// The wanted keys by the kind of their scope, in the order of the requests.
    private let keys: [(statement: Statement, keys: [WantedKey])]

    /// - Parameter known: The machine versions that need not be read.
    init(_ wanted: WantedRows, known: some Sequence<MachineID>) {
        self.wanted = wanted
        self.known = Array(known)
        machines = Array(wanted.machines)
        keys = [
            (Self.knownKeys, wanted.keys.filter { if case .known = $0.scope { true } else { false } }),
            (Self.instanceKeys, wanted.keys.filter { if case .instance = $0.scope { true } else { false } }),
            (Self.machineKeys, wanted.keys.filter { if case .machine = $0.scope { true } else { false } }),
        ].filter { !$0.keys.isEmpty }
    }

    /// The requests. The answers are read by `found`.
    var requests: [Request] {
        let names = wanted.instances.sorted { $0.name.rawValue < $1.name.rawValue }
        var rows = Parameters()
        rows.add(ArrayColumn(names.map(\.namespace.rawValue)))
        rows.add(ArrayColumn(texts: names.map(\.name.rawValue)))
        rows.add(ArrayColumn(wanted.ids.map(\.rawValue)))
        let instances = Request(Self.instances, rows)
        for column in machineColumns { rows.add(column) }
        rows.add(ArrayColumn(known.map(\.rawValue)))
        let found = Request(Self.latest) { parameters in
            for column in machineColumns { parameters.add(column) }
        }
        let keys = self.keys.map { statement, keys in
            Request(statement) { parameters in
                for column in Self.columns(of: keys) { parameters.add(column) }
            }
        }
        return [instances, Request(Self.versions, rows), found] + keys
    }

    /// Reads the answers of the requests.
    func found(in answers: [Answer]) throws -> FoundRows {
        guard answers.count == 3 + keys.count else { throw PostgresFailure(.damaged, "the server gave few answers") }
        var found = FoundRows()
        // Proof: there are three at least, as checked above.
        found.instances = try answers[0].all { row in try InstanceRecord(row: &row) }
        // Proof: there are three at least, as checked above.
        found.versions = try answers[1].all { row in try MachineRecord(row: &row) }
        // Proof: there are three at least, as checked above.
        found.machines = try answers[2].all { row in (try row.element(of: machines), try row.machineID()) }
        for (answer, (_, keys)) in zip(answers.dropFirst(3), keys) {
            let rows = try answer.all { row in
                (key: try row.element(of: keys), scope: try row.keyScope(), position: try row.optionalPosition())
            }
            for row in rows {
                found.positions.append((row.key, row.position))
                found.positions.append((WantedKey(row.key.key, in: .known(row.scope)), row.position))
            }
        }
        return found
    }

    private var machineColumns: [ArrayColumn] {
        var versions = ArrayColumn(.int8)
        for machine in machines { machine.version.append(to: &versions) }
        return [
            ArrayColumn(machines.map(\.key.namespace.rawValue)),
            ArrayColumn(texts: machines.map(\.key.name.rawValue)), versions,
        ]
    }

    /// Returns the columns of keys: their bytes, and the scope as a number or as a namespace and a name.
    private static func columns(of keys: [WantedKey]) -> [ArrayColumn] {
        var (bytes, numbers, names) = (ArrayColumn(.bytea), ArrayColumn(.int8), ArrayColumn(.text))
        for key in keys {
            key.key.append(to: &bytes)
            switch key.scope {
            case .known(let scope): numbers.append(scope.rawValue)
            case .instance(let key):
                numbers.append(key.namespace.rawValue)
                names.append(key.name.rawValue)
            case .machine(let key):
                numbers.append(key.namespace.rawValue)
                names.append(key.name.rawValue)
            }
        }
        if case .known? = keys.first?.scope { return [bytes, numbers] }
        return [bytes, numbers, names]
    }

    private static let instances = InstanceRecord.columns.select(
        "wanted-instances",
        """
        WHERE status <> 'purging' AND id IN (
            SELECT i.id FROM unnest($1::bigint[], $2::text[]) u (namespace, named)
            JOIN instance i ON i.namespace_id = namespace AND i.name = named
            UNION SELECT unnest($3::bigint[]))
        """)

    /// Returns the join that finds wanted machine versions, whose columns are parameters from a number on.
    private static func found(_ first: Int) -> String {
        """
        unnest($\(first)::bigint[], $\(first + 1)::text[], $\(first + 2)::bigint[])
            WITH ORDINALITY w (namespace, named, wanted, place)
        CROSS JOIN LATERAL (
            SELECT id FROM machine WHERE namespace_id = namespace AND name = named
                AND (wanted IS NULL OR version = wanted)
            ORDER BY version DESC LIMIT 1
        ) l
        """
    }

    private static let latest = Statement(name: "wanted-machines", sql: "SELECT place, l.id FROM \(found(1))")

    private static let versions = MachineRecord.columns.select(
        "wanted-versions",
        """
        WHERE id <> ALL ($7::bigint[]) AND id IN (
            SELECT i.machine_id FROM unnest($1::bigint[], $2::text[]) u (namespace, named)
            JOIN instance i ON i.namespace_id = namespace AND i.name = named
            UNION SELECT i.machine_id FROM instance i WHERE i.id = ANY ($3::bigint[])
            UNION SELECT l.id FROM \(found(4)))
        """)

    private static let knownKeys = Statement(
        name: "wanted-keys",
        sql: """
            SELECT place, wanted, d.position
            FROM unnest($1::bytea[], $2::bigint[]) WITH ORDINALITY w (bytes, wanted, place)
            LEFT JOIN dedupe d ON d.key = bytes AND d.scope = wanted
            """)

    private static let instanceKeys = Statement(
        name: "wanted-instance-keys",
        sql: """
            SELECT place, i.id, d.position
            FROM unnest($1::bytea[], $2::bigint[], $3::text[]) WITH ORDINALITY w (bytes, namespace, named, place)
            JOIN instance i ON i.namespace_id = namespace AND i.name = named AND i.status <> 'purging'
            LEFT JOIN dedupe d ON d.key = bytes AND d.scope = i.id
            """)

    private static let machineKeys = Statement(
        name: "wanted-machine-keys",
        sql: """
            SELECT place, -m.id, d.position
            FROM unnest($1::bytea[], $2::bigint[], $3::text[]) WITH ORDINALITY w (bytes, namespace, named, place)
            JOIN machine m ON m.namespace_id = namespace AND m.name = named AND m.version = 1
            LEFT JOIN dedupe d ON d.key = bytes AND d.scope = -m.id
            """)
}

extension AnswerRow {
    /// Reads the place of an element, from 1, and returns the element.
    fileprivate mutating func element<Element>(of elements: [Element]) throws(PostgresFailure) -> Element {
        let refused = implausible
        let place = try ordinal()
        guard place <= elements.count else { throw refused }
        return elements[Int(place) - 1]
    }
}

extension PostgresLookup {
    package func prefetch(_ wanted: WantedRows) throws(StoreError) {
        let missing = rows.missing(of: wanted)
        if missing.isEmpty { return }
        let combined = CombinedRead(missing, known: rows.versions.keys)
        let found = try read(combined.requests) { answers in try combined.found(in: answers) }
        rows.take(found, for: missing)
    }
}
