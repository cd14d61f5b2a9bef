import WorkflowAPI

/// Reads arbitrary bytes as the header `Prefer` (libFuzzer's entry). A preference that the caller did not send is
/// absent, and an unknown one changes nothing.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzPreferences(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let text = String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
    let isMinimal = Preferences(text).isMinimal
    let words = text.lowercased()
    precondition(!isMinimal || words.contains("return") && words.contains("minimal"), "nobody has said so")
    precondition(Preferences("wait=1; a=\",\", , ;, " + text).isMinimal == isMinimal, "an unknown one is heeded")
    precondition(!Preferences("return=representation, " + text).isMinimal, "the first one does not count")
    precondition(Preferences("return=minimal, " + text).isMinimal, "the first one does not count")
    return 0
}
