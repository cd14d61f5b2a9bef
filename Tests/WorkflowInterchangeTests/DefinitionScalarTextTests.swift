import Foundation
import Statechart
import Testing

/// Tests that every value keeps its kind and its characters.
@Suite struct DefinitionScalarTextTests {
    @Test(arguments: [
        ("'1'", "'1'"), ("\"1.0\"", "'1.0'"), ("on", "on"), ("NO", "NO"), ("1e3", "1e3"), ("1.0", "1.0"), ("1", "1"),
        ("''", "''"), ("' x'", "' x'"), ("'x '", "'x '"), ("'#'", "'#'"), ("a#b", "a#b"), ("'a #b'", "'a #b'"),
        ("'a: b'", "'a: b'"), ("a:b", "a:b"), ("'a:'", "'a:'"), ("'- a'", "'- a'"), ("-a", "-a"), ("'-'", "'-'"),
        ("'true'", "'true'"), ("true", "true"), ("'null'", "'null'"), ("~", "null"), ("'~'", "'~'"), ("yes", "yes"),
        ("1:30", "1:30"), ("2026-01-01", "2026-01-01"), ("'0x1F'", "'0x1F'"), ("0x1F", "31"), ("'.nan'", "'.nan'"),
        ("'.inf'", "'.inf'"), ("'1e999'", "'1e999'"), ("'123456789012345678901'", "'123456789012345678901'"),
        ("grün", "grün"), ("\"\\U0001F600\"", "\u{1F600}"), ("👩‍👩‍👧", "👩‍👩‍👧"), ("'@x'", "'@x'"), ("'{}'", "'{}'"),
        ("\"'a' + 'b'\"", "\"'a' + 'b'\""), ("'say \"it''s\"'", "say \"it's\""), ("'\"it''s\"'", "'\"it''s\"'"),
        ("\"a\\tb\"", "\"a\\tb\""),
        ("\"\\u2028\"", "\"\\u2028\""), ("\"x\\uFEFF\"", "\"x\\uFEFF\""), ("\"\\x85\"", "\"\\x85\""),
        ("\"\\r\"", "\"\\r\""),
        ("\"\\e\"", "\"\\x1B\""), ("'<<'", "<<"), ("'---'", "'---'"), ("'? x'", "'? x'"), ("-0", "-0"),
        ("'%x'", "'%x'"),
        ("x%", "x%"), ("'!x'", "'!x'"), ("a!", "a!"), ("'&a'", "'&a'"), ("'*'", "'*'"), ("'|'", "'|'"),
        ("'`x`'", "'`x`'"),
    ])
    func scalarIsWrittenAsItMustBe(source: String, written: String) throws {
        let text = "context:\n  k: \(source)\n"
        #expect(try DefinitionText.rewritten(text, as: .yaml) == "context:\n  k: \(written)\n")
        let json = try DefinitionText.rewritten(text, as: .json)
        #expect(try DefinitionText.rewritten(json, as: .yaml) == "context:\n  k: \(written)\n")
    }

    @Test(arguments: [
        ("a\nb", "|-\n    a\n    b"), ("a\nb\n", "|\n    a\n    b"), ("a\n\n", "|+\n    a\n"),
        ("a\n\n\n", "|+\n    a\n\n"),
        ("\na", "|2-\n\n    a"), (" a\nb", "|2-\n     a\n    b"), ("\ta\nb", "|2-\n    \ta\n    b"),
        ("a\n  b\n", "|\n    a\n      b"),
        ("a\n \nb", "|-\n    a\n     \n    b"), ("# a\n- b: c", "|-\n    # a\n    - b: c"), ("\n", "\"\\n\""),
        ("\n \n", "\"\\n \\n\""),
        ("a\r\nb", "\"a\\r\\nb\""), ("a\n\u{2028}", "\"a\\n\\u2028\""), ("é\n😀", "|-\n    é\n    😀"),
    ])
    func textOfSeveralLinesIsABlock(text: String, written: String) throws {
        let node = DefinitionNode.map([
            DefinitionNode.Member("a", .map([DefinitionNode.Member("k", .string(text))])),
            DefinitionNode.Member("z", .list([.string(text), .string("end")])),
        ])
        let yaml = node.text(as: .yaml)
        #expect(yaml.hasPrefix("a:\n  k: \(written)\nz:\n  - \(written)\n  - end\n"))
        #expect(try DefinitionText.tree(of: yaml, syntax: .yaml) == node)
        #expect(try DefinitionText.tree(of: node.text(as: .json), syntax: .json) == node)
    }

    @Test(arguments: [
        "", "<<", "~", "null", "1", "a b", "a: b", " a", "*", "on", "x\ny", "ü", String(repeating: "k", count: 3_000),
    ])
    func everyKeyComesBack(key: String) throws {
        let inner = DefinitionNode.map([DefinitionNode.Member(key, .bool(true)), DefinitionNode.Member("z", .map([]))])
        let node = DefinitionNode.map([
            DefinitionNode.Member(key, .list([inner, .list([inner])])), DefinitionNode.Member("last", .string("1")),
        ])
        #expect(try DefinitionText.tree(of: node.text(as: .yaml), syntax: .yaml) == node)
        #expect(try DefinitionText.tree(of: node.text(as: .json), syntax: .json) == node)
    }

    @Test func stringsOfAllKindsComeBack() throws {
        let given = ProcessInfo.processInfo.environment["PROPERTY_SEED"].flatMap { UInt64($0) }
        let seed = given ?? UInt64.random(in: 0...UInt64.max)
        print("stringsOfAllKindsComeBack: seed \(seed)")
        var random = SplitMix(state: seed)
        let pieces = [
            " ", "  ", "\n", "\t", "#", ":", "-", "?", "'", "\"", "\\", "{", "}", "[", "]", ",", "&", "*", "!", "|",
            ">", "%",
            "@", "`", "a", "0", "1.", "e3", "true", "~", "é", "e\u{301}", "\u{301}", "😀", "\r", "\r\n", "\u{85}",
            "\u{2028}",
            "x\u{FEFF}", "\u{0}", "\u{7F}", "\u{FFFE}", "---", "...", "<<", "=",
        ]
        for _ in 0..<3_000 {
            let text = (0..<Int(random.next() % 8)).map { _ in pieces[Int(random.next() % UInt64(pieces.count))] }
                .joined()
            let node = DefinitionNode.map([
                DefinitionNode.Member(
                    "k" + text, .list([.string(text), .map([DefinitionNode.Member(text, .string(text))])]))
            ])
            let yaml = node.text(as: .yaml)
            let read = try? DefinitionText.tree(of: yaml, syntax: .yaml)
            #expect(read == node, "seed \(seed): \(text.debugDescription) is written as \(yaml.debugDescription)")
            #expect(try DefinitionText.tree(of: node.text(as: .json), syntax: .json) == node)
        }
    }
}

/// A generator whose numbers repeat with their seed (Steele, Lea, Flood: "Fast splittable pseudorandom number
/// generators").
private struct SplitMix {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
