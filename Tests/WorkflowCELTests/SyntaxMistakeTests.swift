import Testing

@Suite struct SyntaxMistakeTests {
    @Test(arguments: [
        ("context.amount = 3", ["1:16 found '=', did you mean '=='?"]),
        ("context.amount === 3", ["1:16 found '===', did you mean '=='?"]),
        ("context.amount !== 3", ["1:16 found '!==', did you mean '!='?"]),
        ("context.amount <> 3", ["1:16 found '<>', did you mean '!='?"]),
        ("context.amount => 3", ["1:16 found '=>', did you mean '>='?"]),
        ("small & small", ["1:7 found '&', did you mean '&&'?"]),
        ("small | small", ["1:7 found '|', did you mean '||'?"]),
        ("small and small", ["1:7 found 'and', did you mean '&&'?"]),
        ("small OR small", ["1:7 found 'OR', did you mean '||'?"]),
        ("not small", ["1:1 found 'not', did you mean '!'?"]),
        ("context?.amount", ["1:8 found '?.', did you mean '.?'?"]),
        ("context.a ?? 1", ["1:12 found '??', did you mean 'orValue', as in a.?b.orValue(0)?"]),
        ("order.amount ** 2", ["1:15 found '**', which is no operator; write math.pow(a, b)"]),
        ("1 ++ 2", ["1:4 found '++', which is no operator"]),
        ("context.amount ≥ 3", ["1:16 found '≥', did you mean '>='?"]),
        ("“abc”", ["1:1 found '“', did you mean '\"'?", "1:5 found '”', did you mean '\"'?"]),
        ("1;", ["1:2 found ';'; an expression has no end mark"]),
        ("1 # one", ["1:3 found '#'; a comment begins with //"]),
        ("1 /* one */", ["1:3 found '/*'; a comment begins with //"]),
        ("1 @ 2", ["1:3 found '@', which means nothing here"]),
        ("Order{id: 1}", ["1:6 found '{' after a name; there are no message types, write a map as in {'key': value}"]),
    ])
    func whatOtherLanguagesWriteGetsAdvice(text: String, issues: [String]) {
        #expect(Trial.issues(text) == issues)
    }

    @Test(arguments: [
        ("", ["1:1 expected a value, found the end of the expression"]),
        ("1 +", ["1:4 expected a value, found the end of the expression"]),
        ("+ 1", ["1:1 expected a value, found '+'"]),
        ("1 2", ["1:3 expected an operator or the end of the expression, found '2'"]),
        (
            "waiting for payment",
            [
                "1:9 expected an operator or the end of the expression, found 'for'; a text has quotes of its own, "
                    + "write \"'waiting for payment'\""
            ]
        ),
        (
            "Hello, world",
            [
                "1:6 expected an operator or the end of the expression, found ','; a text has quotes of its own, "
                    + "write \"'Hello, world'\""
            ]
        ),
        ("small 'x'", ["1:7 expected an operator or the end of the expression, found 'x'"]),
        ("(1 + 2", ["1:7 expected ')' for the '(' at column 1, found the end of the expression"]),
        ("\n [1,\n2", ["3:2 expected ',' or ']' for the '[' at line 2, column 2, found the end of the expression"]),
        ("{1}", ["1:3 expected ':' and a value after the key, found '}'"]),
        ("small ? 1", ["1:10 expected ':' and what the value is otherwise, found the end of the expression"]),
        ("context.", ["1:9 expected the name of a field after the point, found the end of the expression"]),
        ("context.in", ["1:9 'in' is a keyword; write ['in'] in place of .in"]),
        ("if (small) 1", ["1:1 'if' is a reserved word; write condition ? value : other"]),
        ("while", ["1:1 'while' is a reserved word; it cannot be a name here"]),
        ("`amount`", ["1:1 a name between backquotes stands after a point, as in a.`amount`"]),
        ("has(small)", ["1:1 has takes one field, as in has(event.data.amount)"]),
        ("has(event['x'])", ["1:1 has takes one field, as in has(event.data.amount); write 'x' in event"]),
        ("context.tags.all(t == 'a')", ["1:14 all takes a name and a condition, as in list.all(x, x > 0)"]),
        (
            "context.tags.exists('t', true)",
            ["1:14 exists takes a name and a condition, as in list.exists(x, x > 0); found 't' for the name"]
        ),
        (
            "context.tags.map(t)",
            ["1:14 map takes a name and a value, as in list.map(x, x * 2), or with a condition between them"]
        ),
    ])
    func whatIsMissingIsSaid(text: String, issues: [String]) {
        #expect(Trial.issues(text) == issues)
    }

    @Test(arguments: [
        ("'abc", ["1:1 the string has no closing ' before the end of the expression"]),
        (
            "'ab\nc'",
            [
                "1:1 the string has no closing ' before the end of its line",
                "2:2 the string has no closing ' before the end of the expression",
            ]
        ),
        ("\"\"\"abc\"", ["1:1 the string has no closing \"\"\" before the end of the expression"]),
        (
            "'a\\q'",
            [
                "1:3 a backslash is followed by one of abfnrtv\\?'\"`, x, u, U or three octal digits, found 'q'; "
                    + "write \\\\ for a backslash"
            ]
        ),
        ("'\\ud800'", ["1:2 '\\ud800' is no Unicode code point"]),
        ("'\\x4'", ["1:2 '\\x' wants 2 hexadecimal digits, found '''"]),
        ("'\\09'", ["1:2 an octal escape has three digits, \\000 to \\377, found '9'"]),
        ("b'\\u00e9'", ["1:3 bytes have no code points; write each byte as \\xFF, found '\\u00e9'"]),
        ("0x", ["1:1 '0x' wants hexadecimal digits after it, as in 0x1F; found the end of the expression"]),
        ("12ab", ["1:1 '12ab' is neither a number nor a name; names begin with a letter"]),
        ("1e999", ["1:1 the number 1e999 is too large for a double"]),
        (
            "9223372036854775808",
            ["1:1 the integer 9223372036854775808 does not fit an int; write 9223372036854775808u for a uint"]
        ),
        ("18446744073709551616u", ["1:1 the integer 18446744073709551616u does not fit 64 bits"]),
        (
            "context.`a\"b`",
            ["1:9 a field between backquotes has letters, digits, '_', '.', '-', '/' and spaces, found '\"'"]
        ),
    ])
    func literalsThatAreNoneAreNamed(text: String, issues: [String]) {
        #expect(Trial.issues(text) == issues)
    }

    @Test func aMistakeWithinBracketsDoesNotHideTheNextOne() {
        #expect(
            Trial.issues("[1 2, 3 4] + [contxt, nope(1)]") == [
                "1:4 expected ',' or ']' for the '[' at column 1, found '2'",
                "1:9 expected ',' or ']' for the '[' at column 1, found '4'",
                "1:15 unknown variable 'contxt'; did you mean 'context'?",
                "1:23 unknown function 'nope'",
            ])
    }

    @Test func columnsCountCharacters() {
        #expect(Trial.issues("'ü' !=\n '🐱é' = small") == ["2:7 found '=', did you mean '=='?"])
    }

    @Test func noMoreThanTwentyMistakesAreListed() {
        let text = "[" + Array(repeating: "nope", count: 1000).joined(separator: ", ") + "]"
        #expect(Trial.issues(text).count == 20)
    }
}
