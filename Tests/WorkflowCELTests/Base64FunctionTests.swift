import Testing
import WorkflowJSON

@testable import WorkflowCEL

@Suite struct Base64FunctionTests {
    @Test(arguments: [
        ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("hello", "aGVsbG8="),
        ("\u{0}ÿ?", "AMO/Pw=="),
    ])
    func bytesComeBack(text: String, encoded: String) throws {
        let bytes = Array(text.utf8)
        #expect(try LibraryCall.answer("base64.encode", .bytes(bytes)) == "\"\(encoded)\"")
        #expect(try LibraryCall.answer("base64.decode", .string(encoded)) == "\(bytes)")
        let bare = String(encoded.prefix { $0 != "=" })
        #expect(try LibraryCall.answer("base64.decode", .string(bare)) == "\(bytes)")
    }

    @Test(arguments: ["Z", "Zg=", "Zm9vY===", "Zg==Zg==", "Z g=", "Zm9-", "====", "=", "Zm9v=", "Zm8==", "🐱", "Zm9v\n"])
    func otherTextIsRefused(text: String) {
        #expect(
            LibraryCall.failure("base64.decode", .string(text))
                == "the string is not base64, with '+', '/' and '=' at its end")
    }
}
