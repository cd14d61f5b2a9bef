import ManualTesting
import WorkflowAPI
import WorkflowJSON

/// A request of the page `docs/api.md` and the daemon's answer to it.
struct RouteExample {
    private static let page = ManualPage.page("docs/api.md")

    /// The requests of the page.
    static let requests: [ManualPage.Request] = page.steps.compactMap { step in
        if case .request(let request) = step { request } else { nil }
    }

    /// The examples of all routes that the page has a request for.
    static let all: [Route: RouteExample] = {
        var examples: [Route: RouteExample] = [:]
        for route in Route.all {
            examples[route] = requests.first { isRequest($0, of: route) }.map(RouteExample.init)
        }
        return examples
    }()

    private let request: ManualPage.Request

    private var answer: ArraySlice<String> { Self.page.lines[request.answer] }

    /// Returns true if a request has the route's method and a path of its form.
    static func isRequest(_ request: ManualPage.Request, of route: Route) -> Bool {
        let pattern = route.template.description.split(separator: "/")
        let path = request.target.prefix { $0 != "?" }.split(separator: "/")
        return request.method == route.method.rawValue && path.count == pattern.count
            && zip(path, pattern).allSatisfy { $1.hasPrefix("{") || $0 == $1 }
    }

    /// Adds the request's body to the media type that it has.
    func addRequest(to content: inout JSONObject) {
        guard let body = request.body else { return }
        Self.add(body, as: request.headers.first { $0.name == "Content-Type" }?.value, to: &content)
    }

    /// Adds the answer's body to the response with its status, unless the page shows only the body's size.
    func addAnswer(to responses: inout JSONObject) {
        let status = answer.first?.split(separator: " ").last ?? ""
        let name = responses[String(status)] == nil ? "2XX" : String(status)
        let type = answer.compactMap { $0.wholeMatch(of: /Content-Type: (.*)/)?.1 }.first
        let body = answer.drop { !$0.isEmpty }.dropFirst().map { $0 + "\n" }.joined()
        guard var response = responses[name]?.object, var content = response["content"]?.object else { return }
        Self.add(body, as: type.map { String($0) }, to: &content)
        response["content"] = .object(content)
        responses[name] = .object(response)
    }

    /// Adds a body as the example of a media type: JSON as its value, all else as a text.
    private static func add(_ body: String, as type: String?, to content: inout JSONObject) {
        guard let type, var media = content[type]?.object else { return }
        // A text that is not JSON is a text.
        let json = type.hasSuffix("json") && type != LineStream.mediaType ? try? JSONReader.value(from: body.utf8) : nil
        media["example"] = json ?? .string(body)
        content[type] = .object(media)
    }
}
