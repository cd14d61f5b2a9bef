import Testing

/// Tests the messages about mistakes in `http`, `exec` and `call`.
@Suite struct EffectMessageTests {
    @Test(
        arguments: [
            ("{http: {url: 'http://a/'}, task: t}", "3:36: error: this invocation has http and task; write two"),
            ("{task: t, exec: e, http: {}}", "3:19: error: this invocation has task and exec and http; write two"),
            ("{http: x}", "3:16: error: 'http' must be a map, not a string"),
            ("{http: {}}", "3:16: error: 'http' needs a 'url'"),
            (
                "{http: {url: 'http://a/', input: 1}}",
                "3:35: error: 'input' does not belong to 'http'; it stands in an invocation or a 'call'"
            ),
            (
                "{http: {url: 'http://a/'}, input: 1}",
                "3:43: error: 'http' takes no 'input': its 'body' is what is sent"
            ),
            ("{http: {url: 'http://a/', uri: x}}", "3:35: error: unknown key 'uri' in 'http'; did you mean 'url'?"),
            ("{http: {url: 'http://a/{context.id'}}", "3:32: error: '{context.id' is not closed"),
            (
                "{http: {url: http://a b/}}",
                "3:22: error: the host of a url is letters, digits, '.', '-' and '_', or an address of IPv6 in brackets"
            ),
            ("{http: {url: 'http://a/{}'}}", "3:33: error: the expression is empty"),
            ("{http: {url: 'http://a/{1 +}'}}", "3:36: error: expected a value, found the end of the expression"),
            (
                "{http: {url: 'http://a/{[1]}'}}",
                "3:33: error: a part of a url is a string, a number or a bool, this gives list(int)"
            ),
            ("{http: {url: /v1/charges}}", "3:22: error: a url begins with http:// or https://"),
            ("{http: {url: 'ftp://a/'}}", "3:23: error: a url begins with http:// or https://"),
            (
                "{http: {url: {context.id}}}",
                "3:22: error: 'url' must be an expression, not a map; write context.id without braces"
            ),
            (
                "{http: {url: '{context.id}/x'}}",
                "3:23: error: a url begins with http:// or https://; "
                    + "one that is computed is an expression: context.id + '/x'"
            ),
            ("{http: {url: '1 + 1'}}", "3:23: error: a url is a string, this gives int"),
            (
                "{http: {url: 'http://a/', method: get}}",
                "3:43: error: 'get' is no method to send: write GET, POST, PUT, PATCH, DELETE or the like"
            ),
            (
                "{http: {url: 'http://a/', method: CONNECT}}",
                "3:43: error: 'CONNECT' is no method to send: write GET, POST, PUT, PATCH, DELETE or the like"
            ),
            ("{http: {url: 'http://a/', method: GET, body: 1}}", "3:48: error: a GET sends no 'body'"),
            ("{http: {url: 'http://a/', body: 1, form: {}}}", "3:44: error: 'http' has body and form; write one"),
            ("{http: {url: 'http://a/', text: 1}}", "3:41: error: 'text' is a string, this gives int"),
            (
                "{http: {url: 'http://a/', form: [1]}}",
                "3:41: error: 'form' must be a map, or an expression that gives one, not a list"
            ),
            (
                "{http: {url: 'http://a/', query: {a: [1]}}}",
                "3:46: error: a value of 'query' must be an expression, a number or a bool, not a list"
            ),
            ("{http: {url: 'http://a/', headers: {Host: \"'x'\"}}}", "3:45: error: 'Host' is set by wfd"),
            ("{http: {url: 'http://a/', headers: {X y: \"'x'\"}}}", "3:45: error: header 'X y' is no header name"),
            ("{http: {url: 'http://a/', headers: {X: 1, x: 2}}}", "3:51: error: header 'x' stands twice"),
            (
                "{http: {url: 'http://a/', headers: {X: \"[1]\"}}}",
                "3:49: error: a header is a string, a number or a bool, this gives list(int)"
            ),
            (
                "{http: {url: 'http://a/', headers: {X: 'Bearer {pay_token}'}}}",
                "3:49: error: secrets are allowed in 'secretHeaders' and 'sign' only"
            ),
            (
                "{http: {url: 'http://a/', body: {a: ['{pay_token}']}}}",
                "3:47: error: secrets are allowed in 'secretHeaders' and 'sign' only"
            ),
            (
                "{task: t, input: {a: '{pay_token}'}}",
                "3:31: error: secrets are allowed in 'secretHeaders' and 'sign' only"
            ),
            (
                "{exec: {program: p, args: ['{pay_token}']}}",
                "3:37: error: secrets are allowed in 'secretHeaders' and 'sign' only"
            ),
            (
                "{exec: {program: p, secretHeaders: {}}}",
                "3:29: error: 'secretHeaders' does not belong to 'exec'; it stands in 'http'"
            ),
            ("{http: {url: 'http://a/', secretHeaders: {A: 'Bearer {pay'}}}", "3:62: error: '{pay' is not closed"),
            (
                "{http: {url: 'http://a/', secretHeaders: {A: '{../x}'}}}",
                "3:56: error: '../x' cannot be the name of a secret"
            ),
            (
                "{http: {url: 'http://a/', secretHeaders: {A: abc}}}",
                "3:54: error: header 'A' names no secret, such as {pay_token}; write it in 'headers'"
            ),
            ("{http: {url: 'http://a/', secretHeaders: {Host: '{s}'}}}", "3:51: error: 'Host' is set by wfd"),
            (
                "{http: {url: 'http://a/', headers: {X: 1}, secretHeaders: {x: '{s}'}}}",
                "3:68: error: header 'x' stands twice"
            ),
            (
                "{http: {url: instance.name, secretHeaders: {A: '{s}'}}}",
                "3:37: error: 'secretHeaders' needs a 'url' that begins with http:// or https:// as it stands here"
            ),
            (
                "{http: {url: instance.name, sign: s}}",
                "3:37: error: 'sign' needs a 'url' that begins with http:// or https:// as it stands here"
            ),
            (
                "{http: {url: 'http://a/', sign: 'a b'}}",
                "3:41: error: 'a b' cannot be a name: letters, digits, '_', '.' and '-', first a letter or '_'"
            ),
            ("{http: {url: 'http://a/', keepHeaders: [a b]}}", "3:49: error: header 'a b' is no header name"),
            ("{http: {url: 'http://a/', keepHeaders: a}}", "3:48: error: 'keepHeaders' must be a list, not a string"),
            ("{http: {url: 'http://a/', maxBytes: 0}}", "3:45: error: 'maxBytes' is a number from 1 to 1048576"),
            ("{http: {url: 'http://a/', attemptTimeout: 0s}}", "3:51: error: 'attemptTimeout' is at least 1ms"),
            ("{exec: {}}", "3:16: error: 'exec' needs a 'program'"),
            (
                "{exec: ../x}",
                "3:16: error: '../x' cannot be a name: letters, digits, '_', '.' and '-', first a letter or '_'"
            ),
            ("{exec: {program: p, args: x}}", "3:35: error: 'args' must be a list, not a string"),
            (
                "{exec: {program: p, args: [[1]]}}",
                "3:36: error: an argument must be an expression, a number or a bool, not a list"
            ),
            (
                "{exec: {program: p, args: ['[1]']}}",
                "3:37: error: an argument is a string, a number or a bool, this gives list(int)"
            ),
            (
                "{exec: p, attemptTimeout: 1s}",
                "3:19: error: 'attemptTimeout' does not belong to an invocation; it stands in 'http' or 'exec'"
            ),
        ] as [(String, String)])
    func mistakesInAnEffect(invocation: String, message: String) {
        #expect(diagnostics(of: oneState("invoke: \(invocation)")) == [message])
    }

    @Test(
        arguments: [
            ("{}", "3:15: error: a call needs one of http, task and exec"),
            ("{task: t, exec: e}", "3:25: error: this call has task and exec; write two"),
            ("x", "3:15: error: 'call' must be a map, not a string"),
            ("{task: t, onDone: a}", "3:25: error: a call has no 'onDone': nobody waits for its end; 'invoke' has one"),
            ("{task: t, id: a}", "3:25: error: a call has no 'id': nobody waits for its end; 'invoke' has one"),
            (
                "{task: t, timeout: 1s}",
                "3:25: error: a call has no 'timeout': nobody waits for its end; 'invoke' has one"
            ),
            ("{task: t, input: 1 +}", "3:35: error: expected a value, found the end of the expression"),
            ("{task: t, retry: {attempts: 0}}", "3:43: error: a retry has 1 to 1000 attempts, or unlimited"),
        ] as [(String, String)])
    func mistakesInACall(call: String, message: String) {
        #expect(diagnostics(of: oneState("entry: {call: \(call)}")) == [message])
    }

    /// A string of an expression may have braces.
    @Test func bracesInStringsAreNoSecrets() {
        #expect(
            diagnostics(of: oneState("invoke: {http: {url: 'http://a/', body: {a: \"'{x}'\", b: \"{'x': 1}\"}}}"))
                .isEmpty)
    }
}
