// JSON values are part of this library's face: who imports it has their members too.
@_exported public import WorkflowJSON
