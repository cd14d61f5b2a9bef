import DaemonTesting
import Foundation
import Synchronization
import Testing
import WorkflowAPI
import WorkflowAccess
import WorkflowStore

/// Tests tokens and their file.
@Suite struct AccessBookTests {
    private let folder: TemporaryFolder
    private let file: AccessFile
    private let clock = Clock()

    /// A clock that a test moves.
    private final class Clock: Sendable {
        private let milliseconds = Mutex<Int64>(1_800_000_000_000)
        var now: WireTime { WireTime(milliseconds: milliseconds.withLock { $0 }) }
        func advance(_ by: Int64) { milliseconds.withLock { $0 += by } }
    }

    init() throws {
        folder = try TemporaryFolder()
        file = AccessFile(besideDatabase: folder.path("wfd.db"))
    }

    private func book() throws -> AccessBook {
        let book = AccessBook { [clock] in clock.now }
        try book.open(file)
        return book
    }

    private func create(_ book: AccessBook, _ name: String, _ roles: [Role] = [.send], lasting: Int64? = nil) throws
        -> AccessToken
    {
        let until = lasting.map { WireTime(milliseconds: clock.now.milliseconds + $0) }
        return try book.create(CreateTokenRequest(name: name, roles: roles), until: until, by: "uid:1").token
    }

    @Test func aTokenIsKnownFromItsCreationToItsRevocationAlsoAfterAStart() throws {
        let book = try book()
        let token = try create(book, "shop", [.work, .send])
        let caller = try #require(book.caller(with: token))
        #expect(caller.actor == "token:shop" && caller.roles == [.send, .work] && caller.expires == nil)
        #expect(caller.permissions == Role.send.permissions.union(Role.work.permissions))
        let later = try self.book()
        #expect(later.caller(with: token)?.actor == "token:shop")
        #expect(
            later.unrecorded.last?.detail == "created: send, work (\(token.id))"
                && later.unrecorded.last?.actor == "uid:1")
        _ = try later.revoke("shop", by: nil)
        #expect(later.caller(with: token) == nil)
        #expect(try self.book().caller(with: token) == nil)
        #expect(try self.book().unrecorded.map(\.detail).count == 2)
        let text = try String(contentsOfFile: file.path, encoding: .utf8)
        #expect(!text.contains("shop\",\"id"))
    }

    @Test func theAuditShowsTheTimeOfATokenThatEndsWithinADay() throws {
        let book = try book()
        _ = try create(book, "short", lasting: 5 * 60_000)
        _ = try create(book, "long", lasting: 86_400_000)
        #expect(
            book.unrecorded.map { $0.detail.prefix { $0 != "(" } } == [
                "created: send, until 2027-01-15T08:05:00.000Z ", "created: send, until 2027-01-16 ",
            ])
    }

    @Test func theListMarksWhatEndsSoonAndWhatOverlaps() throws {
        let book = try book()
        let hour: Int64 = 3_600_000
        _ = try create(book, "a", lasting: hour)
        _ = try create(book, "b", lasting: 90 * 24 * hour)
        _ = try create(book, "c", lasting: 365 * 24 * hour)
        _ = try create(book, "d")
        let overlap = WireTime(milliseconds: clock.now.milliseconds + hour)
        _ = try book.rotate("d", overlap: overlap, by: nil)
        func items() -> [TokenItem] { book.tokens.map { $0.item(at: clock.now) } }
        // Six minutes of an hour.
        clock.advance(hour - hour / 10 - 1)
        #expect(items().map(\.expiry) == [nil, nil, nil, nil])
        clock.advance(1)
        #expect(items().map(\.expiry) == [.soon, nil, nil, nil])
        #expect(items().map(\.overlapUntil) == [nil, nil, nil, overlap])
        // Nine days of ninety.
        clock.advance(81 * 24 * hour - (hour - hour / 10) - 1)
        #expect(items().map(\.expiry) == [.expired, nil, nil, nil])
        #expect(items().map(\.overlapUntil) == [nil, nil, nil, nil])
        clock.advance(1)
        #expect(items().map(\.expiry) == [.expired, .soon, nil, nil])
        // Two weeks of a year.
        clock.advance((365 - 14 - 81) * 24 * hour - 1)
        #expect(items().map(\.expiry) == [.expired, .expired, nil, nil])
        clock.advance(1)
        #expect(items().map(\.expiry) == [.expired, .expired, .soon, nil])
    }

    @Test func aMissingFileIsKnownUntilOneIsWritten() throws {
        let book = try book()
        #expect(book.isMissing && book.path == file.path)
        _ = try create(book, "shop")
        #expect(!book.isMissing)
        #expect(try !self.book().isMissing)
    }

    @Test func theFileHasNoSecretAndIsForItsOwnerAlone() throws {
        let token = try create(book(), "shop")
        let text = try String(contentsOfFile: file.path, encoding: .utf8)
        let secret = try #require(token.text.split(separator: "_").last)
        #expect(text.contains("shop") && text.contains(token.id) && !text.contains(secret))
        let mode = try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? NSNumber
        #expect(mode?.intValue == 0o600)
        #expect(try folder.names() == ["wfd.db.access"])
    }

    @Test func everySecretButTheRightOneIsUnknown() throws {
        let book = try book()
        let (one, other) = (try create(book, "one"), try create(book, "other"))
        let secrets = [one, other].compactMap { $0.text.split(separator: "_").last }
        #expect(secrets.count == 2)
        let mixed = try #require(AccessToken("wfdt_\(one.id)_\(secrets[1])"))
        #expect(book.caller(with: mixed) == nil)
        for place in 0..<43 {
            var letters = Array(secrets[0])
            letters[place] = letters[place] == "a" ? "b" : "a"
            let wrong = try #require(AccessToken("wfdt_\(one.id)_\(String(letters))"))
            #expect(book.caller(with: wrong) == nil, "\(place)")
        }
        #expect(book.caller(with: one) != nil && book.caller(with: other) != nil)
    }

    @Test func aTokenEndsAtItsTime() throws {
        let book = try book()
        let token = try create(book, "shop", lasting: 1_000)
        let number = book.number
        clock.advance(999)
        book.endExpired()
        #expect(book.caller(with: token) != nil && book.number == number && book.hasEnds)
        clock.advance(1)
        #expect(book.caller(with: token) == nil)
        book.endExpired()
        #expect(book.number > number && !book.hasEnds)
        let again = book.number
        book.endExpired()
        #expect(book.number == again)
        // An expired token gives its name back.
        #expect(throws: AccessError.self) { try book.rotate("shop", overlap: nil, by: nil) }
        let next = try create(book, "shop")
        #expect(book.caller(with: next) != nil && book.tokens.count == 1)
    }

    @Test func aRotationAcceptsBothSecretsUntilItsEnd() throws {
        let book = try book()
        let old = try create(book, "shop")
        let end = WireTime(milliseconds: clock.now.milliseconds + 1_000)
        let new = try book.rotate("shop", overlap: end, by: nil).token
        #expect(new.id == old.id && new.text != old.text)
        #expect(book.caller(with: new)?.expires == nil && book.caller(with: old)?.expires == end)
        clock.advance(1_000)
        #expect(book.caller(with: new) != nil && book.caller(with: old) == nil)
        let newest = try book.rotate("shop", overlap: nil, by: nil).token
        #expect(book.caller(with: new) == nil && book.caller(with: newest) != nil)
    }

    @Test func aNameIsTakenOnceAndAMissingOneIsSaid() throws {
        let book = try book()
        _ = try create(book, "shop")
        #expect(throws: AccessError.self) { try create(book, "shop") }
        #expect(throws: AccessError.self) { try book.revoke("other", by: nil) }
        #expect(book.tokens.map(\.name) == ["shop"])
    }

    /// Returns the reason why the file is refused.
    private func refusal() throws -> String {
        let error = try #require(throws: AccessError.self) { try book() }
        return error.description.replacing(file.path, with: "FILE")
    }

    @Test func aFileThatCannotBeTrustedIsRefusedAndNeverEmpty() throws {
        _ = try create(book(), "shop")
        let good = try Data(contentsOf: URL(filePath: file.path))
        chmod(file.path, 0o640)
        #expect(try refusal() == "Cannot read the tokens in 'FILE': others may read or write it; 'chmod 600' it")
        chmod(file.path, 0o600)
        link(file.path, folder.path("second"))
        #expect(try refusal() == "Cannot read the tokens in 'FILE': it has 2 names (hard links)")
        unlink(file.path)
        symlink(folder.path("second"), file.path)
        #expect(try refusal() == "Cannot read the tokens in 'FILE': it is a symbolic link")
        unlink(file.path)
        mkfifo(file.path, 0o600)
        #expect(try refusal() == "Cannot read the tokens in 'FILE': it is no regular file")
        unlink(file.path)
        mkdir(file.path, 0o700)
        #expect(try refusal() == "Cannot read the tokens in 'FILE': it is no regular file")
        rmdir(file.path)
        rename(folder.path("second"), file.path)
        #expect(try book().tokens.count == 1)
        for count in stride(from: 0, to: good.count - 1, by: 7) {
            try good.prefix(count).write(to: URL(filePath: file.path))
            #expect(try refusal().hasPrefix("Cannot read the tokens in 'FILE': it is damaged: "), "\(count)")
        }
        let more = #"{"number": 1, "unrecorded": [], "tokens": [], "more": 1}"#
        let last = #"{"number": 9223372036854775807, "unrecorded": [], "tokens": []}"#
        let ahead = #"{"number": 1, "unrecorded": [{"number": 2, "token": "a", "detail": "d"}], "tokens": []}"#
        let nameless = #"{"number": 1, "unrecorded": [{"number": 1, "token": "", "detail": "d"}], "tokens": []}"#
        let negative = #"{"number": -1, "unrecorded": [], "tokens": []}"#
        for text in ["{}", "[]", "null", more, last, ahead, nameless, negative] {
            try Data(text.utf8).write(to: URL(filePath: file.path))
            #expect(try refusal().hasPrefix("Cannot read the tokens in 'FILE': it is damaged: "), "\(text)")
        }
    }

    @Test(.enabled(if: getuid() == 0, "only root gives files away"))
    func aFileOfAnotherUserIsRefused() throws {
        _ = try create(book(), "shop")
        chown(file.path, 12_345, 12_345)
        #expect(
            try refusal()
                == "Cannot read the tokens in 'FILE': it belongs to user 12345, and wfd runs as user 0")
    }

    @Test func aChangeThatCannotBeWrittenChangesNothing() throws {
        let book = try book()
        let token = try create(book, "shop")
        let number = book.number
        mkdir(file.path + "-new", 0o700)
        #expect(throws: AccessError.self) { try create(book, "other") }
        #expect(throws: AccessError.self) { try book.rotate("shop", overlap: nil, by: nil) }
        #expect(book.caller(with: token) != nil && book.number == number)
        rmdir(file.path + "-new")
        #expect(try self.book().tokens.map(\.name) == ["shop"])
    }

    @Test func aRevocationIsInEffectEvenIfTheDiskIsFull() throws {
        let book = try book()
        let token = try create(book, "shop")
        mkdir(file.path + "-new", 0o700)
        let error = #expect(throws: AccessError.self) { try book.revoke("shop", by: nil) }
        #expect(error?.description.hasPrefix("Token 'shop' is revoked until wfd starts again: Cannot write") == true)
        #expect(book.caller(with: token) == nil)
        rmdir(file.path + "-new")
        // The next change takes it along.
        _ = try create(book, "other")
        #expect(try self.book().caller(with: token) == nil)
    }

    @Test func aCallerWhoseOwnTokenHasEndedChangesNothing() throws {
        let book = try book()
        let error = #expect(throws: AccessError.self) {
            try book.create(CreateTokenRequest(name: "new", roles: [.admin]), until: nil, by: nil, if: { false })
        }
        #expect(error?.code == .notAdmitted && book.tokens.isEmpty)
    }

    @Test func changesWaitForTheAuditInTheirOrderAndAreBounded() throws {
        let book = try book()
        for number in 1...100 { _ = try create(book, "t\(number)") }
        #expect(throws: AccessError.self) { try create(book, "another") }
        _ = try book.revoke("t1", by: nil)
        let first = clock.now.milliseconds
        #expect(book.unrecorded.map(\.number) == Array(first...first + 100))
        book.recorded(book.unrecorded[99])
        #expect(book.unrecorded.map(\.detail).count == 1)
        _ = try create(book, "another")
        #expect(try self.book().unrecorded.map(\.number) == [first + 100, first + 101])
    }

    @Test func whoWatchesIsToldOfEachChange() throws {
        let book = try book()
        let count = Atomic(0)
        let watcher = Clock()
        book.watch(watcher) { count.add(1, ordering: .relaxed) }
        _ = try create(book, "shop")
        book.set(nil)
        #expect(count.load(ordering: .relaxed) == 2)
        book.unwatch(watcher)
        _ = try book.revoke("shop", by: nil)
        #expect(count.load(ordering: .relaxed) == 2)
    }

    @Test func usersOfTheMachineHaveTheRolesOfTheirRules() throws {
        let rules = [
            UnixRule(.user("ops"), .operate), UnixRule(.group("view"), .view), UnixRule(.group("ci"), .deploy),
            UnixRule(.user("ops"), .deploy),
        ]
        let access = try UnixAccess(rules, user: { $0 == "ops" ? 1_000 : nil }, group: { ["view": 50, "ci": 51][$0] })
        #expect(access.roles(of: 1_000, [], own: 7) == [.deploy, .operate])
        #expect(access.roles(of: 1_001, [50, 51], own: 7) == [.view, .deploy])
        #expect(access.roles(of: 1_001, [99], own: 7) == [] && access.roles(of: .max, [], own: 7) == [])
        #expect(access.roles(of: 0, [], own: 7) == [.admin] && access.roles(of: 7, [], own: 7) == [.admin])
        let error = #expect(throws: AccessError.self) {
            try UnixAccess([UnixRule(.group("none"), .view)], group: { _ in nil })
        }
        #expect(error?.description == "access.unix names the group 'none', whom this machine does not know")
        let book = try book()
        #expect(book.roles(ofUser: 1_001, [50]) == [.admin])
        book.set(access)
        #expect(book.roles(ofUser: 1_001, [50]) == [.view] && book.roles(ofUser: 1_002, []) == [])
    }
}
