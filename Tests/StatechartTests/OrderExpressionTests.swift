import Statechart
import Testing

/// Tests the active states while an action runs, as the action itself sees them.
@Suite struct OrderExpressionTests {
    @Test func aStateLeavesTheConfigurationAfterItsExitActions() throws {
        var run = try Run(
            """
            id: m
            initial: a
            context: {child: [], parent: [], between: []}
            states:
              a:
                initial: b
                exit: {assign: {parent: ["In('a')", "In('a.b')"]}}
                states:
                  b: {exit: {assign: {child: ["In('a')", "In('a.b')"]}}}
                on: {go: {target: c, actions: {assign: {between: ["In('a')", "In('a.b')", "In('c')"]}}}}
              c: {}
            """)
        try run.send("go")
        #expect(run.context == #"{"between":[false,false,false],"child":[true,true],"parent":[true,false]}"#)
    }

    @Test func aStateIsActiveWhenItsEntryActionsRunAndItsChildIsNot() throws {
        let run = try Run(
            """
            id: m
            initial: a
            context: {child: [], initial: [], parent: []}
            states:
              a:
                entry: {assign: {parent: ["In('a')", "In('a.b')"]}}
                initial: {target: b, actions: {assign: {initial: ["In('a')", "In('a.b')"]}}}
                states: {b: {entry: {assign: {child: ["In('a')", "In('a.b')"]}}}}
            """)
        #expect(run.context == #"{"child":[true,true],"initial":[true,false],"parent":[true,false]}"#)
    }

    @Test func actionsRunInTheOrderExitTransitionEntry() throws {
        var run = try Run(
            """
            id: m
            initial: a
            context: {trace: []}
            states:
              a:
                initial: b
                exit: {assign: {trace: "context.trace + ['exit a']"}}
                on: {go: {target: c.d, actions: {assign: {trace: "context.trace + ['go']"}}}}
                states: {b: {exit: {assign: {trace: "context.trace + ['exit b']"}}}}
              c:
                initial: d
                entry: {assign: {trace: "context.trace + ['entry c']"}}
                states: {d: {entry: {assign: {trace: "context.trace + ['entry d']"}}}}
            """)
        try run.send("go")
        #expect(run.context == #"{"trace":["exit b","exit a","go","entry c","entry d"]}"#)
    }

    @Test func whileTheMachineEndsStatesLeaveTheConfigurationOneByOneAndAreShownAfterwards() throws {
        var run = try Run(
            """
            id: m
            initial: a
            context: {root: [], final: []}
            exit: {assign: {root: ["In('m')", "In('z')"]}}
            states:
              a: {on: {end: z}}
              z: {type: final, exit: {assign: {final: ["In('m')", "In('z')"]}}}
            """)
        try run.send("end")
        #expect(run.context == #"{"final":[true,true],"root":[true,false]}"#)
        #expect(run.configuration == ["z"])
    }

    @Test func aGuardSeesTheConfigurationBeforeTheTransition() throws {
        var run = try Run(
            """
            id: m
            type: parallel
            states:
              one: {initial: a, states: {a: {on: {go: b}}, b: {}}}
              two: {initial: a, states: {a: {on: {go: {target: b, guard: "In('one.b')"}}}, b: {}}}
            """)
        try run.send("go")
        #expect(run.configuration == ["one.b", "two.a"])
    }
}
