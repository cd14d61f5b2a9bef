import DaemonTesting
import Foundation
import Testing
import WorkflowEngine
import WorkflowJSON
import WorkflowStore

@testable import WorkflowEffects

/// Tests calls over HTTP to servers of other parties, and to servers that misbehave.
struct HTTPExecutorTests {
    /// The service of all tests, which only answers.
    private static let service = Task { try await TestService() }

    static func attempt(_ http: JSONObject, number: Int64 = 1, invalid: String? = nil) -> EffectAttempt {
        var request: JSONObject = ["http": .object(http)]
        request["invalid"] = invalid.map(JSONValue.string)
        return EffectAttempt(
            queue: "http:test:80", name: "paying", instance: InstanceName("order-1"),
            uuid: UniqueID(bytes: Array(1...16)),
            number: number, key: UniqueID(bytes: Array(repeating: 7, count: 16)),
            begun: Timestamp(rawValue: Int64(Date().timeIntervalSince1970 * 1_000)), request: request)
    }

    private static func outcome(
        _ path: String, _ http: JSONObject = [:], port: KeyPath<TestService.Ports, Int> = \.http,
        scheme: String = "http", host: String = "127.0.0.1", allowing: [String] = ["127.0.0.0/8", "::1/128"],
        secrets: String? = nil, number: Int64 = 1
    ) async throws -> AttemptOutcome {
        let ports = try await service.value.ports
        let executor = try HTTPExecutor(
            allowing: allowing.compactMap { AddressRange($0) }, secrets: SecretFolder(secrets), authority: ports.ca,
            agent: "wfd/test")
        var http = http
        if http["method"] == nil { http["method"] = "GET" }
        http["url"] = .string("\(scheme)://\(host):\(ports[keyPath: port])\(path)")
        let outcome = await executor.run(attempt(http, number: number))
        await executor.shutdown()
        return outcome
    }

    private static func failure(_ outcome: AttemptOutcome) throws -> TaskFailure {
        guard case .failed(let failure) = outcome else { throw TestingError("it has not failed: \(outcome)") }
        return failure
    }

    private static func output(_ outcome: AttemptOutcome) throws -> JSONObject {
        guard case .done(let output) = outcome, let object = output.object else {
            throw TestingError("it is not done: \(outcome)")
        }
        return object
    }

    // MARK: Answers

    @Test func whatIsSentComes() async throws {
        let output = try Self.output(
            await Self.outcome(
                "/anything/a%2Fb?q=1", ["method": "POST", "body": ["n": 1], "headers": ["X-Own": "yes"]]))
        #expect(output["status"] == 200)
        #expect(output["headers"]?.object?["content-type"] == "application/json")
        let seen = try #require(output["body"]?.object)
        #expect(seen["method"] == "POST" && seen["json"] == ["n": 1] && seen["args"] == ["q": "1"])
        let headers = try #require(seen["headers"]?.object)
        #expect(headers["X-Own"] == "yes" && headers["User-Agent"] == "wfd/test")
        #expect(headers["Idempotency-Key"] == "07070707-0707-0707-0707-070707070707")
        #expect(headers["Traceparent"] == "00-0102030405060708090a0b0c0d0e0f10-0707070707070706-01")
        #expect(headers["Content-Type"] == "application/json")
    }

    @Test func formsAndTextAreSent() async throws {
        let form = try Self.output(
            await Self.outcome("/post", ["method": "POST", "form": ["a b": "1&2", "c": "ü"]]))
        #expect(form["body"]?.object?["form"] == ["a b": "1&2", "c": "ü"])
        let text = try Self.output(await Self.outcome("/post", ["method": "POST", "text": "hello"]))
        #expect(text["body"]?.object?["data"] == "hello")
    }

    @Test func bodiesComeAsWhatTheyAre() async throws {
        #expect(try Self.output(await Self.outcome("/robots.txt"))["body"]?.string?.hasPrefix("User-agent") == true)
        let image = try Self.output(await Self.outcome("/image/png"))["body"]?.string
        #expect(image?.hasPrefix("iVBORw0KGgo") == true)
        #expect(try Self.output(await Self.outcome("/status/204"))["body"] == .null)
        let kept = try Self.output(
            await Self.outcome("/response-headers?X-Kept=1&X-Other=2&ETag=e", ["keepHeaders": ["x-kept"]]))
        #expect(kept["headers"] == ["content-type": "application/json", "etag": "e", "x-kept": "1"])
    }

    @Test func statusesAreSorted() async throws {
        for status in [408, 425, 429, 500, 502, 503] {
            let failure = try Self.failure(await Self.outcome("/status/\(status)"))
            #expect(failure.type == "http-status" && failure.canRetry && failure.facts["status"] == .int(Int64(status)))
        }
        for status in [301, 304, 400, 401, 404, 409, 418, 422] {
            let failure = try Self.failure(await Self.outcome("/status/\(status)"))
            #expect(failure.type == "http-status" && !failure.canRetry, "\(status)")
        }
    }

    @Test func redirectsAreNotFollowed() async throws {
        let failure = try Self.failure(await Self.outcome("/redirect-to?url=/get"))
        #expect(failure.facts["status"] == 302)
        #expect(failure.facts["headers"]?.object?["location"] == "/get")
    }

    @Test func aServiceSaysWhenToComeBack() async throws {
        let executor = "/response-headers?Retry-After=7"
        // A good answer has no use for it; the header itself is told.
        #expect(try Self.output(await Self.outcome(executor))["headers"]?.object?["retry-after"] == "7")
        let failure = try Self.failure(await Self.outcome("/flaky/1/\(UUID())", ["method": "POST"]))
        #expect(failure.retryAfter == 0)
    }

    @Test func badJSONIsTold() async throws {
        let failure = try Self.failure(await Self.outcome("/bad-json"))
        #expect(failure.type == "invalid-output" && !failure.canRetry)
    }

    // MARK: Faults

    @Test func whatIsTooLargeIsRefused() async throws {
        let failure = try Self.failure(await Self.outcome("/bytes/100000", ["maxBytes": 50_000]))
        #expect(failure.type == "too-large" && !failure.canRetry)
        let output = try Self.output(await Self.outcome("/bytes/50000", ["maxBytes": 50_000]))
        #expect(output["status"] == 200)
    }

    @Test(arguments: ["/silent", "/drip"]) func slowAnswersEnd(path: String) async throws {
        // The service itself ends neither: without a timeout the time limit would.
        let failure = try Self.failure(await Self.outcome(path, ["attemptTimeout": 700], port: \.raw))
        #expect(failure.type == "timeout" && failure.canRetry)
    }

    @Test func brokenConnectionsAreTriedAgain() async throws {
        for path in ["/cut", "/drop"] {
            let failure = try Self.failure(await Self.outcome(path, port: \.raw))
            #expect(failure.type == "connect" && failure.canRetry, "\(path): \(failure)")
        }
        let garbage = try Self.failure(await Self.outcome("/garbage", port: \.raw))
        #expect(garbage.type == "invalid-output" && !garbage.canRetry, "\(garbage)")
        let closed = try Self.failure(await Self.outcome("/", port: \.closed))
        #expect(closed.type == "connect" && closed.canRetry && closed.message.contains("nobody listens"), "\(closed)")
    }

    @Test func namesThatAreNotThereAreTriedAgain() async throws {
        let failure = try Self.failure(await Self.outcome("/", host: "nobody.invalid"))
        #expect(failure.type == "dns" && failure.canRetry)
    }

    @Test func certificatesAreChecked() async throws {
        #expect(
            try Self.output(await Self.outcome("/get", port: \.tls, scheme: "https", host: "localhost"))["status"]
                == 200)
        let wrong = try Self.failure(await Self.outcome("/get", port: \.wrong, scheme: "https", host: "localhost"))
        #expect(wrong.type == "tls" && wrong.canRetry, "\(wrong)")
        let plain = try Self.failure(await Self.outcome("/get", port: \.http, scheme: "https", host: "localhost"))
        #expect(plain.type == "tls", "\(plain)")
    }

    /// An instance that called its own daemon would send events in the name of the daemon's user.
    @Test func theDaemonsOwnPortIsRefused() async throws {
        let port = try await Self.service.value.ports.http
        let executor = try HTTPExecutor(
            allowing: ["127.0.0.0/8", "::1/128", "0.0.0.0"].compactMap { AddressRange($0) },
            secrets: SecretFolder(nil), authority: nil, agent: "wfd/test")
        executor.refuse(ownPort: port)
        for host in ["127.0.0.1", "127.0.0.2", "localhost", "[::1]", "0.0.0.0"] {
            let url: JSONValue = .string("http://\(host):\(port)/get")
            let failure = try Self.failure(await executor.run(Self.attempt(["method": "GET", "url": url])))
            #expect(failure.type == "address-refused" && !failure.canRetry, "\(host): \(failure)")
            #expect(failure.message.hasSuffix("and wfd itself listens on port \(port)"), "\(failure)")
        }
        await executor.shutdown()
    }

    @Test func addressesThatAreNotPublicAreRefused() async throws {
        for host in ["127.0.0.1", "localhost", "[::1]"] {
            let failure = try Self.failure(await Self.outcome("/get", host: host, allowing: []))
            #expect(failure.type == "address-refused" && !failure.canRetry, "\(host): \(failure)")
        }
        let other = try Self.failure(await Self.outcome("/get", allowing: ["10.0.0.0/8"]))
        #expect(other.type == "address-refused")
    }

    @Test(.timeLimit(.minutes(20))) func anAttemptThatNobodyWantsEnds() async throws {
        // Without the cancellation, the attempt would end after a day.
        let task = Task { try await Self.outcome("/silent", ["attemptTimeout": 86_400_000], port: \.raw) }
        task.cancel()
        _ = try? await task.value
    }

    @Test func whatTheRulesRefuseIsNotSent() async throws {
        let executor = try HTTPExecutor(allowing: [], secrets: SecretFolder(nil), authority: nil, agent: "wfd/test")
        let outcome = await executor.run(
            Self.attempt(["method": "GET", "url": "http://x/../y"], invalid: "a segment is '..'"))
        #expect(outcome == .failed(.final("invalid-request", "a segment is '..'")))
        await executor.shutdown()
    }

    // MARK: Secrets

    private static func folder(_ files: [String: String]) throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        for (name, text) in files { _ = try folder.write(text, to: name) }
        return folder
    }

    @Test func aSecretIsSentAndNeverKept() async throws {
        let port = try await Self.service.value.ports.http
        let folder = try Self.folder([
            "token": "s3cr3t-\"token\"\n", "token.origins": "https://pay.example.com\nhttp://127.0.0.1:\(port)\n",
        ])
        let output = try Self.output(
            await Self.outcome(
                "/echo-authorization", ["secretHeaders": ["Authorization": "Bearer {token}"]], secrets: folder.path))
        let text = "Bearer [secret token]"
        #expect(output["body"] == .object(["you sent": .string(text), text: .array([.string(text)])]))
        #expect(output["headers"]?.object?["etag"] == .string(text))
    }

    @Test func aMissingSecretHoldsTheEffect() async throws {
        let port = try await Self.service.value.ports.http
        let cases: [([String: String], String)] = [
            ([:], "there is no file 'token'"),
            (["token": "short", "token.origins": ""], "fewer than 8 bytes"),
            (["token": "long enough"], "there is no file 'token.origins'"),
            (["token": "long enough", "token.origins": "https://pay.example.com"], "may not go to http://127.0.0.1"),
            (["token": "two lines\nof it", "token.origins": "http://127.0.0.1:\(port)"], "several lines"),
        ]
        for (files, reason) in cases {
            let folder = try Self.folder(files)
            let outcome = try await Self.outcome(
                "/get", ["secretHeaders": ["Authorization": "Bearer {token}"]], secrets: folder.path)
            guard case .held(let text) = outcome else { throw TestingError("it is not held: \(outcome)") }
            #expect(text.contains(reason), "\(text)")
        }
    }

    /// The counterpart is the standard's library, and Python's cryptography.
    @Test func signaturesAreThoseOfTheStandard() async throws {
        let port = try await Self.service.value.ports.http
        let secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
        let seed = Data((0..<32).map { UInt8($0) })
        let folder = try Self.folder([
            "hook": "\(secret)\nwhsk_\(seed.base64EncodedString())\n",
            "hook.origins": "http://127.0.0.1:\(port)",
        ])
        let headers: JSONValue = [
            "x-test-secret": .string(secret),
            // The public key that RFC 8032 derives from this seed, computed with Python's cryptography.
            "x-test-public": "A6EHv/POEL4dcN0Y50vAmWfk1jCbpQ1fHdyGZBJVMbg=",
        ]
        let output = try Self.output(
            await Self.outcome(
                "/signed", ["method": "POST", "body": ["n": 1], "headers": headers, "sign": "hook"],
                secrets: folder.path))
        #expect(output["body"] == ["verified": ["v1", "v1a"]])
    }
}
