/// The reason why a text is not a valid URL of a request. The message quotes only the definition, never data.
package struct URLMistake: Error, Equatable {
    package let message: String
    /// The place of the mistake in the text, in Unicode scalars.
    package let offset: Int

    init(_ message: String, at offset: Int = 0) {
        self.message = message
        self.offset = offset
    }

    static let scheme = URLMistake("a url begins with http:// or https://")
    static let user = URLMistake("a url has no user and no password; 'secretHeaders' can give 'Authorization'")
    static let noHost = URLMistake("a url needs a host: https://HOST/PATH")
    static let host = URLMistake(
        "the host of a url is letters, digits, '.', '-' and '_', or an address of IPv6 in brackets")
    static let port = URLMistake("the port of a url is a number from 1 to 65535")
    static let fragment = URLMistake("a url has no '#': what follows it is never sent")
    static let percent = URLMistake("'%' in a url has two hexadecimal digits behind it")
    static let character = URLMistake("a character of the url must be written such as '%20'")
    static let dots = URLMistake("a url has no segments '.' and '..'")
    static let empty = URLMistake("a url that is computed has no empty segments")
    static let length = URLMistake("a url has at most \(RequestURL.longest) bytes")
    static let place = URLMistake(
        "a url has no expression in its scheme, host or port; a url that is an expression as a whole can compute them")
    static let brace = URLMistake("'}' in a url closes nothing; write it '%7D'")
}
