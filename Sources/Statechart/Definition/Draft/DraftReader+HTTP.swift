import WorkflowJSON

/// Reading of `http`.
extension DraftReader {
    /// Reads a request. Returns `nil` and reports mistakes if the request cannot be read.
    mutating func http(_ action: SourceNode.Pair) -> HTTPDraft? {
        guard let pairs = mapping(action.value, "'http'") else { return nil }
        checkKeys(of: pairs, in: .http, of: "'http'")
        let payload = payload(pairs)
        let method = method(pairs)
        let headers = headers(pairs)
        let secretHeaders = secretHeaders(pairs)
        let signingSecret = pairs["sign"].flatMap { name($0, "'sign'") }
        let query = pairs["query"].flatMap { words($0, "'query'", each: "a value of 'query'") }
        let keptHeaders = pairs["keepHeaders"].map { self.keptHeaders($0) } ?? []
        let limits = attemptLimits(pairs)
        guard let node = pairs["url"] else {
            diagnostics.error("'http' needs a 'url'", at: action.value.position)
            return nil
        }
        guard let address = address(node) else { return nil }
        if case .computed = address {
            for pair in pairs where ["secretHeaders", "sign"].contains(pair.key.text) {
                let message =
                    "\(pair.key.text.quoted) needs a 'url' that begins with http:// or https:// as it stands here"
                diagnostics.error(message, at: pair.key.position)
            }
        }
        return HTTPDraft(
            address: address, method: method, query: query, headers: headers, payload: payload,
            secretHeaders: secretHeaders, signingSecret: signingSecret?.text, keptHeaders: keptHeaders, limits: limits)
    }

    private mutating func address(_ node: SourceNode) -> HTTPDraft.Address? {
        guard let expression = expression(node, "'url'") else { return nil }
        guard URLTemplate.isLiteral(expression.text) else {
            let braced = URLTemplate.mistake(inBraced: expression.text)
            guard braced != nil || URLTemplate.isMistaken(expression.text) else { return .computed(expression) }
            diagnostics.error((braced ?? .scheme).message, at: expression.start)
            return nil
        }
        do throws(URLMistake) {
            let template = try URLTemplate(expression.text)
            let places = template.places.map { place in
                ExpressionDraft(text: place.expression, in: expression.start, offset: place.offset)
            }
            return .literal(template, places)
        } catch {
            diagnostics.error(error.message, at: expression.start.moved(by: error.offset))
            return nil
        }
    }

    /// Returns the method in the definition, or the default method for the request's body.
    private mutating func method(_ pairs: [SourceNode.Pair]) -> String {
        let payload = pairs.first { DefinitionKeys.payloads.contains($0.key.text) }
        guard let node = pairs["method"], let method = text(node, "'method'") else {
            return payload == nil ? "GET" : "POST"
        }
        let isWord = (1...20).contains(method.utf8.count) && method.utf8.allSatisfy { $0.isLetter && $0 < 0x60 }
        if !isWord || ["CONNECT", "TRACE"].contains(method) {
            let message = "\(method.quoted) is no method to send: write GET, POST, PUT, PATCH, DELETE or the like"
            diagnostics.error(message, at: node.position)
        } else if let payload, ["GET", "HEAD"].contains(method) {
            diagnostics.error("a \(method) sends no \(payload.key.text.quoted)", at: payload.key.position)
        }
        return method
    }

    private mutating func payload(_ pairs: [SourceNode.Pair]) -> HTTPDraft.Payload? {
        let payloads = pairs.filter { DefinitionKeys.payloads.contains($0.key.text) }
        if payloads.count > 1 {
            let names = payloads.map(\.key.text).joined(separator: " and ")
            diagnostics.error("'http' has \(names); write one", at: payloads[1].key.position)
        }
        guard let payload = payloads.first else { return nil }
        switch payload.key.text {
        case "body": return openTemplate(payload.value).map { .json($0) }
        case "form": return words(payload.value, "'form'", each: "a value of 'form'").map { .form($0) }
        default: return openExpression(payload.value, "'text'").map { .text($0) }
        }
    }
}

// MARK: Headers

extension DraftReader {
    private mutating func headers(_ pairs: [SourceNode.Pair]) -> TemplateDraft? {
        guard let node = pairs["headers"] else { return nil }
        if case .mapping(let headers) = node.content {
            var known: Set<String> = []
            for header in headers { checkHeader(header.key, &known) }
        }
        return words(node, "'headers'", each: "a header")
    }

    /// Reads the headers with secrets, as written.
    private mutating func secretHeaders(_ pairs: [SourceNode.Pair]) -> JSONObject {
        var object = JSONObject()
        guard let node = pairs["secretHeaders"], let headers = mapping(node, "'secretHeaders'") else { return object }
        var known: Set<String> = []
        if case .mapping(let others)? = pairs["headers"]?.content {
            known.formUnion(others.map { $0.key.text.lowercased() })
        }
        for header in headers {
            checkHeader(header.key, &known)
            guard let expression = expression(header.value, "a header with a secret") else { continue }
            checkSecrets(expression, of: header.key)
            object[header.key.text] = .string(expression.text)
        }
        return object
    }

    private mutating func checkSecrets(_ value: ExpressionDraft, of header: SourceWord) {
        do throws(URLMistake) {
            let text = try SecretText(value.text)
            if text.secrets.isEmpty {
                let message = "header \(header.text.quoted) names no secret, such as {pay_token}; write it in 'headers'"
                diagnostics.error(message, at: value.start)
            } else if let mistake = HeaderCheck.mistake(inValue: value.text, of: header.text) {
                diagnostics.error(mistake, at: value.start)
            }
        } catch {
            diagnostics.error(error.message, at: value.start.moved(by: error.offset))
        }
    }

    private mutating func keptHeaders(_ node: SourceNode) -> [String] {
        guard case .sequence(let nodes) = node.content else {
            reportKind(node, "'keepHeaders' must be a list")
            return []
        }
        var names: [String] = []
        for node in nodes {
            guard let name = text(node, "a header") else { continue }
            if HeaderCheck.isName(name) {
                names.append(name.lowercased())
            } else {
                diagnostics.error("header \(name.quoted) is no header name", at: node.position)
            }
        }
        return names
    }

    /// - Parameter known: The headers that the request already has, in lower case.
    private mutating func checkHeader(_ name: SourceWord, _ known: inout Set<String>) {
        if let mistake = HeaderCheck.mistake(inName: name.text) {
            diagnostics.error(mistake, at: name.position)
        } else if !known.insert(name.text.lowercased()).inserted {
            diagnostics.error("header \(name.text.quoted) stands twice", at: name.position)
        }
    }
}

extension SourcePosition {
    /// Returns a later position on the same line.
    fileprivate func moved(by columns: Int) -> SourcePosition {
        SourcePosition(line: line, column: column + columns)
    }
}
