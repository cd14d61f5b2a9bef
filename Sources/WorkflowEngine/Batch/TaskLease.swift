import Statechart
package import WorkflowJSON
package import WorkflowStore

/// The right to end a task: a secret that its worker was given, and the terms of the lease.
struct TaskLease: Equatable {
    /// The number of bytes of a secret. See ``TaskToken/secret(_:with:)``.
    static let secretBytes = 16
    private static let byteCount = secretBytes + 3 * 8

    let secret: [UInt8]
    let begun: Timestamp
    let milliseconds: Int64
    /// The generation of the store: a lease from before a restore is void.
    let generation: Int64
}

extension TaskLease {
    /// Reads the form that `bytes` gives; `nil` for anything else.
    init?(_ bytes: [UInt8]?) {
        guard let bytes, bytes.count == Self.byteCount else { return nil }
        func number(_ place: Int) -> Int64 {
            bytes[(Self.secretBytes + 8 * place)...].prefix(8).reduce(0) { $0 << 8 | Int64($1) }
        }
        guard Timestamp.range.contains(number(0)), (0...StepLimits.delay).contains(number(1)) else { return nil }
        self.init(
            secret: Array(bytes.prefix(Self.secretBytes)), begun: Timestamp(rawValue: number(0)),
            milliseconds: number(1), generation: number(2))
    }

    /// The form that the effect's row keeps.
    var bytes: [UInt8] {
        secret
            + [begun.rawValue, milliseconds, generation].flatMap { number in
                withUnsafeBytes(of: number.bigEndian, Array.init)
            }
    }
}

/// The name of a task for its worker. The token is opaque to the worker; once the lease is lost, it is only good for a
/// late report.
package struct TaskToken: Sendable, Equatable {
    let effect: Position
    let instance: InstanceID
    let generation: Int64
    /// The number of the attempt, 1 for the first.
    let attempt: Int64
    let begun: Timestamp
    private(set) var secret: [UInt8]

    /// - Parameter effect: The effect as leased.
    init(_ effect: EffectRecord, _ lease: TaskLease) {
        self.effect = effect.id
        instance = effect.instanceID
        generation = lease.generation
        attempt = effect.attempts
        begun = lease.begun
        secret = lease.secret
    }

    /// Creates the token of an attempt that begins, with a new secret.
    ///
    /// - Parameters:
    ///   - effect: The effect as leased.
    ///   - key: The salt of its instance.
    ///   - random: Random bytes that distinguish two leases of one attempt, if the first was given back.
    init(_ effect: EffectRecord, begun: Timestamp, generation: Int64, key: Salt, random: Salt) {
        self.effect = effect.id
        instance = effect.instanceID
        self.generation = generation
        attempt = effect.attempts
        self.begun = begun
        secret = []
        secret = secret(random.bytes.prefix(Self.nonceBytes), with: key)
    }

    /// Reads the form that `text` gives; `nil` for anything else.
    package init?(text: String) {
        let digits = Array(text.utf8)
        guard digits.count == 2 * (40 + TaskLease.secretBytes) else { return nil }
        var bytes: [UInt8] = []
        for place in stride(from: 0, to: digits.count, by: 2) {
            guard let high = Self.value(of: digits[place]), let low = Self.value(of: digits[place + 1]) else {
                return nil
            }
            bytes.append(high << 4 | low)
        }
        func number(_ place: Int) -> Int64 {
            bytes.dropFirst(8 * place).prefix(8).reduce(0) { $0 << 8 | Int64($1) }
        }
        effect = Position(rawValue: number(0))
        instance = InstanceID(rawValue: number(1))
        generation = number(2)
        attempt = number(3)
        begun = Timestamp(rawValue: number(4))
        secret = Array(bytes.dropFirst(40))
    }

    /// The token in hexadecimal.
    package var text: String { (numbers + secret).hexadecimal }

    /// The five numbers, eight bytes each.
    private var numbers: [UInt8] {
        [effect.rawValue, instance.rawValue, generation, attempt, begun.rawValue].flatMap {
            withUnsafeBytes(of: $0.bigEndian, Array.init)
        }
    }

    /// Returns true for a token that this store has made: then every number in the token is as it was handed out. The
    /// row of the lease, which may have been lost long ago, is not needed.
    ///
    /// - Parameter key: The salt of the instance. A redaction renews the salt, and older tokens are no longer
    ///   recognized.
    package func isGenuine(with key: Salt) -> Bool { secret == secret(secret.prefix(Self.nonceBytes), with: key) }

    /// Returns the secret of the lease with these numbers: random bytes, then a code over these bytes and all numbers.
    ///
    /// The code has 80 bits, the minimum of RFC 2104 (section 5).
    private func secret(_ nonce: ArraySlice<UInt8>, with key: Salt) -> [UInt8] {
        let code = Digest(of: Array("task".utf8) + numbers + nonce, keyedWith: key)
        return Array(nonce) + code.bytes.prefix(TaskLease.secretBytes - nonce.count)
    }

    private static let nonceBytes = 6

    private static func value(of digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        default: nil
        }
    }

    /// The key of the task's result: a worker that completes a task again, because no answer came, gets the same
    /// answer.
    var place: KeyPlace { KeyPlace(key: key, scope: .instance(instance)) }

    private var key: RequestKey { RequestKey(bytes: UniqueID(named: Array("complete".utf8) + secret).bytes) }
}

extension UniqueID {
    /// Creates a version 8 UUID, the same for the same bytes.
    init(named bytes: [UInt8]) {
        var digest = Array(Digest(of: bytes).bytes.prefix(16))
        digest[6] = digest[6] & 0x0F | 0x80
        digest[8] = digest[8] & 0x3F | 0x80
        self.init(bytes: digest)
    }
}

/// A task as its worker receives it.
package struct LeasedTask: Sendable {
    package let token: TaskToken
    package let instance: InstanceName
    /// The id of the invocation.
    package let id: String
    /// The number of the attempt, 1 for the first.
    package let attempt: Int64
    /// The key of the effect: the same for every attempt, also after a restore, and never the same for two requests.
    package let key: UniqueID
    /// The trace context; see ``TraceContext``.
    package let traceparent: String
    package let input: JSONValue?
    /// The progress that an earlier attempt reported.
    package let progress: JSONValue?
    package let leasedUntil: Timestamp
    /// The time at which the invocation times out.
    package let deadline: Timestamp?
}

extension EffectRecord {
    /// Returns the key that identifies the effect to outside services.
    func key(of instance: UniqueID) -> UniqueID {
        var bytes = instance.bytes
        for number in [seq.rawValue, number ?? 0, round] {
            bytes += withUnsafeBytes(of: number.bigEndian, Array.init)
        }
        // A name contains no NUL, so no other effect gives the same bytes.
        return UniqueID(named: bytes + Array(name.utf8) + [0] + Array(request.utf8))
    }

    /// The decoded request.
    var requested: JSONObject { RecordedFailure.object(request) ?? JSONObject() }

    /// The key of a waiting result.
    var answerKey: RequestKey? {
        answer.flatMap { RecordedFailure.object($0)?["key"]?.string }.flatMap { RequestKey(text: $0) }
    }

    var policy: RetryPolicy { RetryPolicy(requested["retry"]) }
}
