// The rules are a part of the API. They are a target of their own, because the Swift library needs nothing else of it.
@_exported public import WorkflowRules
