import Glibc
import WorkflowAPI
import WorkflowAccess

/// Reads arbitrary bytes as a file of tokens (libFuzzer's entry). A file that is accepted can be changed, and is read
/// again with the change.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzAccess(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let database = "/dev/shm/fuzz-access-\(getpid())"
    let file = AccessFile(besideDatabase: database)
    let descriptor = open(file.path, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
    precondition(descriptor >= 0 && write(descriptor, start, count) == count, "the file cannot be written")
    close(descriptor)
    let now = WireTime(milliseconds: 1_800_000_000_000)
    let book = AccessBook(now: { now })
    guard (try? book.open(file)) != nil else { return 0 }
    for token in book.tokens {
        _ = token.item(at: now)
        _ = try? book.rotate(token.name, overlap: now, by: nil)
    }
    guard let done = try? book.create(CreateTokenRequest(name: "fuzz", roles: [.view]), until: nil, by: nil) else {
        return 0
    }
    precondition(book.caller(with: done.token) != nil, "a new token is not known")
    let again = AccessBook(now: { now })
    precondition((try? again.open(file)) != nil, "wfd cannot read its own file of tokens")
    precondition(again.tokens.map(\.id) == book.tokens.map(\.id), "a token is lost")
    precondition(again.unrecorded.map(\.number) == book.unrecorded.map(\.number), "a change is lost")
    return 0
}
