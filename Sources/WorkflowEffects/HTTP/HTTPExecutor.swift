import AsyncHTTPClient
import NIOCore
import NIOHTTP1
import NIOSSL
package import Statechart
import Synchronization
package import WorkflowEngine
import WorkflowJSON
package import WorkflowStore

/// Calls services over HTTP for instances.
package final class HTTPExecutor: EffectExecutor {
    package let queues = "http:"
    package let places: Int
    package var placesOfQueue: Int { min(16, places) }
    package var log: (any AttemptLog)? { nil }

    private let rules: AddressRules
    private let secrets: SecretFolder
    private let reading = SecretReading()
    private let agent: String
    private let resolver: NameResolver
    private let clients: HTTPClients
    /// The ports of this machine on which the daemon itself listens.
    private let ownPorts = Mutex<Set<Int>>([])

    /// - Parameters:
    ///   - allowed: Addresses that may be called although they are outside the public internet.
    ///   - authority: A file of certificates to trust beside those of the system.
    ///   - agent: The daemon's `User-Agent`.
    ///   - places: The number of concurrent calls.
    package convenience init(
        allowing allowed: [AddressRange], secrets: SecretFolder, authority: String?, agent: String, places: Int = 256
    ) throws {
        try self.init(
            allowing: allowed, secrets: secrets, authority: authority, agent: agent, places: places,
            resolver: NameResolver())
    }

    /// - Parameter resolver: Finds the addresses of hosts.
    init(
        allowing allowed: [AddressRange], secrets: SecretFolder, authority: String?, agent: String, places: Int = 256,
        resolver: NameResolver
    ) throws {
        self.places = places
        self.resolver = resolver
        rules = AddressRules(allowed: allowed)
        self.secrets = secrets
        self.agent = agent
        clients = try HTTPClients(authority: authority)
    }

    /// Returns true if a file has readable certificates.
    package static func hasCertificates(_ file: String) -> Bool {
        (try? NIOSSLCertificate.fromPEMFile(file)).map { !$0.isEmpty } ?? false
    }

    /// Closes the connections; call `shutdown` once, when no call runs.
    package func shutdown() async { await clients.shutdown() }

    /// Refuses all later calls to a local address with this port. Otherwise an instance could send events as the
    /// daemon's user.
    package func refuse(ownPort port: Int) {
        ownPorts.withLock { _ = $0.insert(port) }
    }

    /// The time for which an apply of a machine waits for the files of its secrets.
    private static let patience = Duration.seconds(5)

    package func missing(for action: EffectAction) async -> [String] {
        guard case .http(let http) = action, case .literal(let template, _) = http.address else { return [] }
        let inHeaders = http.secretHeaders.members.flatMap { member in
            member.value.string.flatMap { try? SecretText($0) }?.secrets ?? []
        }
        var known: Set<String> = []
        let names = (inHeaders + [http.signingSecret].compactMap(\.self)).filter { known.insert($0).inserted }
        guard !names.isEmpty else { return [] }
        let outcome = await reading.read(within: Self.patience) { [secrets] in
            names.compactMap { secrets.reason(against: $0, for: template.origin) }
        }
        switch outcome {
        case .read(let reasons): return reasons
        case .late, .full: return ["its secrets cannot be read now: \(names.joined(separator: ", "))"]
        }
    }

    package func run(_ attempt: EffectAttempt) async -> AttemptOutcome {
        if let reason = attempt.request["invalid"]?.string { return .failed(.final("invalid-request", reason)) }
        guard let call = HTTPCall(attempt.request), let origin = (try? RequestURL(call.url))?.origin else {
            return .failed(.final("invalid-request", "the request cannot be read"))
        }
        let deadline = ContinuousClock.now + call.timeout
        let signed: SignedCall
        switch await sign(call, attempt, to: origin) {
        case .read(.success(let call)): signed = call
        case .read(.failure(let missing)): return .held(missing.reason)
        case .late: return .failed(.again("timeout", "its secrets were not read within \(call.timeout)"))
        case .full: return .failed(.again("timeout", "too many secrets are being read"))
        }
        return await withTaskGroup(of: AttemptOutcome?.self) { group in
            group.addTask { await self.send(signed, to: origin) }
            group.addTask {
                // The sleep is cancelled when there is an answer.
                guard (try? await Task.sleep(until: deadline, clock: .continuous)) != nil else { return nil }
                return .failed(.again("timeout", "there was no answer within \(call.timeout)"))
            }
            defer { group.cancelAll() }
            while let outcome = await group.next() { if let outcome { return outcome } }
            return .failed(.again("connect", "the attempt was ended"))
        }
    }

    /// Adds headers and signatures to a call. A call without secrets needs no thread of its own.
    private func sign(
        _ call: HTTPCall, _ attempt: EffectAttempt, to origin: HTTPOrigin
    ) async -> SecretReading.Outcome<Result<SignedCall, SecretFolder.Missing>> {
        let sign = { @Sendable [secrets, agent] in
            Result { () throws(SecretFolder.Missing) in
                try SignedCall(call, attempt, to: origin, with: secrets, agent: agent)
            }
        }
        guard !call.secretHeaders.isEmpty || !call.signers.isEmpty else { return .read(sign()) }
        return await reading.read(within: call.timeout, sign)
    }

    private func send(_ call: SignedCall, to origin: HTTPOrigin) async -> AttemptOutcome? {
        // The host is read as the client reads it: a host that the client looked up itself would bypass the check.
        guard let host = try? HTTPClient.Request(url: call.call.url).host, host.lowercased() == origin.host
        else {
            return .failed(.final("invalid-request", "the URL cannot be read"))
        }
        let name = host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host
        switch await resolver.addresses(of: name) {
        case nil: return nil
        case .failed(let reason)?: return .failed(.again("dns", "'\(name)' was not found: \(reason)"))
        case .addresses(let found)?:
            let isOwn = ownPorts.withLock { $0.contains(origin.port) }
            let others = isOwn ? found.filter { !AddressRules.isLocal($0) } : found
            let addresses = others.filter { rules.allows($0, port: origin.port) }
            guard let first = addresses.first else {
                let refused = found.map(\.description).joined(separator: ", ")
                let reason =
                    others.count < found.count
                    ? "and wfd itself listens on port \(origin.port)" : "which may not be called; see --allow-http"
                return .failed(.final("address-refused", "'\(name)' has the address \(refused), \(reason)"))
            }
            if !call.secrets.isEmpty, !origin.isSecure, !addresses.allSatisfy(AddressRules.isLoopback) {
                return .held("secrets go over https only, or to this machine: \(origin.text)")
            }
            var answer = await send(call, host, to: first)
            for address in addresses.dropFirst().prefix(3) {
                guard case .nobody? = answer else { break }
                answer = await send(call, host, to: address)
            }
            return answer?.outcome
        }
    }

    /// The result of calling one address.
    private enum Answer {
        case ended(AttemptOutcome)
        /// There was no connection, so nothing was sent.
        case nobody(TaskFailure)

        var outcome: AttemptOutcome {
            switch self {
            case .ended(let outcome): outcome
            case .nobody(let failure): .failed(failure)
            }
        }
    }

    private func send(_ call: SignedCall, _ host: String, to address: IPAddress) async -> Answer? {
        do {
            let outcome: AttemptOutcome = try await clients.with(host: host, at: address) { client in
                let response = try await client.execute(call.request, timeout: TimeAmount(call.call.timeout))
                let limit = call.call.maxBytes
                var body: [UInt8] = []
                for try await part in response.body {
                    body += part.readableBytesView
                    guard body.count <= limit else {
                        return .failed(.final("too-large", "the answer has more than \(limit) bytes"))
                    }
                }
                return HTTPAnswer(response, body: body, of: call).outcome
            }
            return .ended(outcome)
        } catch {
            // The caller that cancels an attempt does not need its outcome.
            if Task.isCancelled { return nil }
            let failure = TaskFailure(calling: host, at: address, error, mask: call.mask)
            return error.isOfConnecting ? .nobody(failure) : .ended(.failed(failure))
        }
    }
}

/// A call with its added headers, and the mask of the secrets in them.
struct SignedCall: Sendable {
    let call: HTTPCall
    let request: HTTPClientRequest
    let secrets: [SecretFolder.Secret]

    var mask: SecretMask { SecretMask(secrets) }

    init(
        _ call: HTTPCall, _ attempt: EffectAttempt, to origin: HTTPOrigin, with folder: SecretFolder, agent: String
    ) throws(SecretFolder.Missing) {
        self.call = call
        var used: [String: SecretFolder.Secret] = [:]
        func secret(_ name: String) throws(SecretFolder.Missing) -> SecretFolder.Secret {
            if let known = used[name] { return known }
            let secret = try folder.secret(name, for: origin)
            used[name] = secret
            return secret
        }
        var request = HTTPClientRequest(url: call.url)
        request.method = .init(rawValue: call.method)
        for (name, value) in call.headers { request.headers.replaceOrAdd(name: name, value: value) }
        for (name, template) in call.secretHeaders {
            var value = ""
            for piece in template.pieces {
                switch piece {
                case .text(let text): value += text
                case .secret(let name):
                    let secret = try secret(name)
                    guard !secret.text.contains(where: \.isNewline) else {
                        throw .init(reason: "secret '\(name)' has several lines, which a header cannot have")
                    }
                    value += secret.text
                }
            }
            request.headers.replaceOrAdd(name: name, value: value)
        }
        let id = attempt.key.text
        if !call.signers.isEmpty {
            var keys: [SecretFolder.Secret] = []
            for name in call.signers { keys.append(try secret(name)) }
            let signature = try WebhookSignature.headers(
                id: id, time: attempt.begun.rawValue / 1_000, body: call.body?.bytes ?? [], keys: keys)
            for (name, value) in signature { request.headers.replaceOrAdd(name: name, value: value) }
        }
        request.headers.replaceOrAdd(name: "Idempotency-Key", value: id)
        request.headers.replaceOrAdd(
            name: "traceparent",
            value: TraceContext.parent(instance: attempt.uuid, key: attempt.key, attempt: attempt.number))
        if !request.headers.contains(name: "user-agent") { request.headers.add(name: "User-Agent", value: agent) }
        if !request.headers.contains(name: "accept") { request.headers.add(name: "Accept", value: "*/*") }
        if let body = call.body {
            if !request.headers.contains(name: "content-type") {
                request.headers.add(name: "Content-Type", value: body.type)
            }
            request.body = .bytes(body.bytes)
        }
        self.request = request
        secrets = Array(used.values)
    }
}
