import Statechart

/// Reads arbitrary bytes as the parts of a request (libFuzzer's entry). The first text, up to a NUL, is the URL of a
/// definition, a whole URL, a header, and a text with secrets. The other texts are values for its expressions. An
/// accepted request must go nowhere else.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzRequest(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = UnsafeBufferPointer(start: start, count: count)
    let texts = bytes.split(separator: 0, omittingEmptySubsequences: false).map { String(decoding: $0, as: UTF8.self) }
    let text = texts.first ?? ""
    let values = Array(texts.dropFirst())
    checkURL(text)
    checkTemplate(text, values)
    checkHeader(text, values.first ?? text)
    checkSecrets(text)
    return 0
}

private func whole(_ text: String) -> RequestURL? {
    do throws(URLMistake) {
        return try RequestURL(text)
    } catch {
        precondition(!error.message.isEmpty, "refused without a reason")
        return nil
    }
}

/// Expects that an accepted URL is the same when it is read again, and has no part that others read differently.
private func checkURL(_ text: String) {
    guard let url = whole(text) else { return }
    precondition(whole(url.text) == url, "a url is not what was read")
    let bytes = Array(url.text.utf8)
    precondition(bytes.count <= RequestURL.longest, "a url is too long")
    precondition(bytes.allSatisfy { $0 > 0x20 && $0 < 0x7F }, "a url has bytes that no url has")
    let authority = bytes.drop { $0 != UInt8(ascii: ":") }.dropFirst(3).prefix { $0 != UInt8(ascii: "/") }
    precondition(!authority.contains { "@\\?#%".utf8.contains($0) }, "the host of a url is unclear")
    precondition(url.origin.text.utf8.elementsEqual(bytes.prefix(url.origin.text.utf8.count)), "another origin")
}

/// Expects that the request goes where the definition says, with as many segments, whatever the values are.
private func checkTemplate(_ text: String, _ values: [String]) {
    do throws(URLMistake) {
        let template = try URLTemplate(text)
        precondition(URLTemplate.isLiteral(text), "a text that is no literal url is read as one")
        let given = template.places.indices.map { values.isEmpty ? "v" : values[$0 % values.count] }
        let filled = try template.filled(with: given)
        let plain = try template.filled(with: template.places.map { _ in "v" })
        precondition(filled.origin == template.origin && whole(filled.text) == filled, "a value changes the url")
        precondition(path(filled.text).count == path(plain.text).count, "a value makes a segment")
        precondition(!path(filled.text).contains { [".", ".."].contains(decoded($0)) }, "a value leads elsewhere")
        precondition(filled.text.utf8.count { $0 == 0x3F } == plain.text.utf8.count { $0 == 0x3F }, "a second query")
    } catch {
        precondition(!error.message.isEmpty && error.offset <= text.unicodeScalars.count, "a mistake has no place")
    }
}

/// Returns the segments of the path of a URL.
private func path(_ url: String) -> [Substring] {
    url.prefix { $0 != "?" }.split(separator: "/", omittingEmptySubsequences: false)
}

/// Returns a segment as a server may read it.
private func decoded(_ segment: Substring) -> String {
    var bytes: [UInt8] = []
    var rest = Array(segment.utf8)[...]
    while let first = rest.popFirst() {
        if first == UInt8(ascii: "%"), let byte = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16) {
            bytes.append(byte)
            rest = rest.dropFirst(2)
        } else {
            bytes.append(first)
        }
    }
    return String(decoding: bytes, as: UTF8.self)
}

/// Expects that an accepted header is one line, and none of wfd's own headers.
private func checkHeader(_ name: String, _ value: String) {
    if HeaderCheck.mistake(inName: name) == nil {
        precondition(name.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: ":") }, "no header name")
        precondition(!["host", "content-length", "transfer-encoding"].contains(name.lowercased()), "a header of wfd")
    }
    if HeaderCheck.mistake(inValue: value, of: "X") == nil {
        precondition(!value.utf8.contains { [0, 10, 13].contains($0) }, "a header has two lines")
    }
}

/// Expects that the pieces of a text with secrets form the text.
private func checkSecrets(_ text: String) {
    guard let secret = try? SecretText(text) else { return }
    let again = secret.pieces.map { piece in
        switch piece {
        case .text(let text): text
        case .secret(let name): "{\(name)}"
        }
    }
    precondition(again.joined().utf8.elementsEqual(text.utf8), "a text with secrets is not what was read")
    precondition(secret.secrets.allSatisfy { !$0.contains("/") && !$0.hasPrefix(".") }, "a secret is a path")
}
