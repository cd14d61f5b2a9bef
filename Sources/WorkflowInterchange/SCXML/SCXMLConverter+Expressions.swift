import Statechart

extension SCXMLConverter {
    /// Translates the expression of an attribute. Each difference in the translation is noted once.
    mutating func translated<Result>(
        _ attribute: String, of element: MarkupElement, touching bearing: Bearing,
        _ body: (inout ScriptTranslator, ScriptExpression, SCXMLConverter) throws(ScriptFailure) -> Result
    ) -> Swift.Result<Result, ScriptFailure> {
        do throws(ScriptFailure) {
            let expression = try ScriptParser.expression(element[attribute]?.value ?? "")
            try checkLanguage(expression)
            var translator = ScriptTranslator(names: names)
            let result = try body(&translator, expression, self)
            for remark in translator.remarks.sorted() {
                let place = element.place(of: attribute)
                if remark.decides {
                    notes.warning(remark.message, at: place, touching: bearing)
                } else if remarks.insert(remark).inserted {
                    report(remark, at: place)
                }
            }
            return .success(result)
        } catch {
            // The failed translation is dropped, together with its remarks.
            return .failure(error)
        }
    }

    /// Throws if a definition does not allow an expression: only some kinds can be added or be conditions.
    func check(_ text: String, isGuard: Bool = false) throws(ScriptFailure) {
        let mistake = isGuard ? test.mistake(inGuard: text) : test.mistake(in: text)
        if let mistake { throw ScriptFailure(reason: mistake) }
    }

    /// Checks every expression of a template.
    func check(_ template: DefinitionNode) throws(ScriptFailure) {
        switch template.content {
        case .string(let text): try check(text)
        case .list(let elements):
            for element in elements { try check(element) }
        case .map(let members):
            for member in members { try check(member.value) }
        case .null, .bool, .number: break
        }
    }

    private func checkLanguage(_ expression: ScriptExpression) throws(ScriptFailure) {
        switch (language, expression) {
        case (.ecmascript, _), (.null, .isActive): break
        case (.null, _): throw ScriptFailure(reason: "the null data model has nothing but 'In'")
        case (.other(let name), _): throw ScriptFailure(reason: "the data model is \(name.quoted)")
        }
    }

    /// Adds a note about a difference in a translation.
    private mutating func report(_ remark: ScriptTranslator.Remark, at place: DefinitionPlace) {
        if case .undeclared = remark {
            notes.warning(remark.message, at: place, touching: .nothing)
        } else {
            notes.info(remark.message, at: place)
        }
    }

    /// Adds a note about an expression without a counterpart.
    ///
    /// - Parameter bearing: The bearing of the expression's value. The bearing of its side effects is added.
    mutating func report(
        _ what: String, _ attribute: String, of element: MarkupElement, _ failure: ScriptFailure, _ instead: String,
        touching bearing: Bearing
    ) {
        let script = element[attribute]?.value ?? ""
        let message = "\(what) \(script.trimmingBlanks.quoted) has no counterpart (\(failure.reason)); \(instead)"
        let whole = ScriptEffects.mayWrite(script) ? bearing.union(.allKeys) : bearing
        notes.warning(message, at: element.place(of: attribute), touching: whole)
    }

    /// Returns the guard for `cond`; `nil`, with a note, if the condition has no counterpart and `false` must replace
    /// it.
    mutating func condition(of element: MarkupElement, touching bearing: Bearing) -> DefinitionNode? {
        let instead = "'false' stands in its place"
        return expression("cond", of: element, "the condition", instead, isGuard: true, touching: bearing)
    }

    /// Returns the value of an attribute as a template; `nil`, with a note, if it has no counterpart.
    mutating func value(
        _ attribute: String, of element: MarkupElement, _ what: String, _ instead: String, touching bearing: Bearing
    ) -> DefinitionNode? {
        let place = element.place(of: attribute)
        let result = translated(attribute, of: element, touching: bearing) {
            translator, expression, converter throws(ScriptFailure) in
            let template = try translator.template(expression, at: place)
            try converter.check(template)
            return template
        }
        switch result {
        case .success(let node): return node
        case .failure(let failure):
            report(what, attribute, of: element, failure, instead, touching: bearing)
            return nil
        }
    }

    /// Returns the expression of an attribute; `nil`, with a note, if it has no counterpart.
    mutating func expression(
        _ attribute: String, of element: MarkupElement, _ what: String, _ instead: String, isGuard: Bool = false,
        touching bearing: Bearing
    ) -> DefinitionNode? {
        let place = element.place(of: attribute)
        let result = translated(attribute, of: element, touching: bearing) {
            translator, expression, converter throws(ScriptFailure) in
            let text = isGuard ? try translator.condition(expression) : try translator.text(expression)
            try converter.check(text, isGuard: isGuard)
            return text
        }
        switch result {
        case .success(let text): return .string(text, at: place)
        case .failure(let failure):
            report(what, attribute, of: element, failure, instead, touching: bearing)
            return nil
        }
    }
}

extension ScriptTranslator.Remark: Comparable {
    /// True if the value may differ from the script's value, or be absent.
    var decides: Bool {
        switch self {
        case .mixedKinds, .conversion, .choice, .truthiness: true
        case .looseEquality, .length, .wholeText, .power, .undeclared: false
        }
    }

    /// The difference from the script, as a message.
    var message: String {
        switch self {
        case .mixedKinds:
            "what this computes with is not known to be numbers: a text, or a number of another kind, is an error here"
        case .looseEquality: "'==' and '!=' compare without converting here: 1 == '1' is false"
        case .conversion: "values of two kinds are compared without converting here"
        case .choice: "'||' and '&&' give true or false here, not one of their operands"
        case .truthiness:
            "whether this counts as true is not known; only true and false are conditions here, all else is an error"
        case .length: "the length of a text counts characters here: '😀' has 1, not 2"
        case .wholeText: "'parseInt' reads all of a text here: '12px' is an error, not 12"
        case .power: "'Math.pow' gives a number with a fraction here: 8.0, not 8"
        case .undeclared(let name): "the data \(name.quoted) is not declared: reading it is an error, as in SCXML"
        }
    }

    /// The position in the order of the notes.
    private var order: (Int, String) {
        switch self {
        case .mixedKinds: (0, "")
        case .looseEquality: (1, "")
        case .conversion: (2, "")
        case .choice: (3, "")
        case .truthiness: (4, "")
        case .length: (5, "")
        case .wholeText: (6, "")
        case .power: (7, "")
        case .undeclared(let name): (8, name)
        }
    }

    static func < (left: ScriptTranslator.Remark, right: ScriptTranslator.Remark) -> Bool {
        left.order < right.order
    }
}
