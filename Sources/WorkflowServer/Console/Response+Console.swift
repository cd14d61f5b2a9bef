import HTTPTypes
import Hummingbird
import NIOCore
import WorkflowConsole

extension Response {
    /// Creates the answer with a page.
    init(_ page: Page) {
        self.init(
            status: HTTPResponse.Status(code: page.status), headers: [.contentType: "text/html; charset=utf-8"],
            body: ResponseBody(byteBuffer: ByteBuffer(string: page.html)))
    }

    /// Creates the answer to a form.
    init(_ answer: ConsoleAnswer) {
        switch answer {
        case .page(let page): self.init(page)
        case .seeOther(let link): self = .redirect(to: link.text, status: .seeOther)
        }
    }

    /// Returns the page that asks for a token.
    ///
    /// - Parameters:
    ///   - reason: The reason why there is no session; `nil` if there was none.
    ///   - next: The target of the page to show afterwards, instead of the requested one.
    static func login(because reason: String?, _ page: PageRequest, next: String? = nil) -> Response {
        var response = Response(ConsolePages.login(because: reason, page, next: next))
        // RFC 9110, 15.5.2 wants a scheme; browsers ask for nothing by this one.
        if response.status == .unauthorized { response.headers[.wwwAuthenticate] = "Cookie" }
        return response
    }

    /// Returns an answer that leads to another page.
    static func redirect(to path: String, status: HTTPResponse.Status) -> Response {
        Response(status: status, headers: [.location: path])
    }

    /// Creates the answer with a file of the pages. Its name changes with its content, so browsers may keep it.
    init(_ asset: Asset) {
        self.init(
            status: .ok,
            headers: [.contentType: asset.mediaType, .cacheControl: "public, max-age=31536000, immutable"],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: asset.bytes)))
    }
}

extension HTTPRequest {
    /// True if the request follows a link that stands on a page of another site.
    var isLinkElsewhere: Bool {
        let site = headerFields[.secFetchSite]?.lowercased()
        return method == .get && headerFields[.known("Sec-Fetch-Mode")] == "navigate"
            && headerFields[.known("Sec-Fetch-Dest")] == "document" && (site == "cross-site" || site == "same-site")
    }
}
