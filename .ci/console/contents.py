"""The contents of the daemon whose pages are opened: machines, instances in every status, effects, runs, activity."""
import pathlib

SHOP = pathlib.Path("Examples")
# An order whose parcels are counted after the payment: with none, the step that divides by their number fails.
COUNTED = {
    "context: {amount: 0,": "context: {amount: 0, parcels: 0, each: 0,",
    "{assign: {paidWith: event.data.card}}}": "[{assign: {paidWith: event.data.card}}, {send: count}]}",
    "    on: {packed: shipped}": "    after: {7d: {target: shipped}}\n"
    "    on:\n"
    "      count: {actions: {assign: {each: context.amount / context.parcels}}}\n"
    "      packed: shipped",
}
FAILED, SUSPENDED = 6, 3


def counted_order():
    text = (SHOP / "order.yaml").read_text()
    for old, new in COUNTED.items():
        if old not in text:
            raise RuntimeError(f"Examples/order.yaml lacks '{old}'")
        text = text.replace(old, new)
    return text


def plant():
    """Returns a machine of 80 states: ten lines of work, each with three stations of their own and a final state."""
    lines = {}
    for number in range(10):
        following = f"#line{number + 1}" if number < 9 else "#closed"
        steps = {}
        for place in range(3):
            target = f"step{place + 1}" if place < 2 else "finished"
            steps[f"step{place}"] = {"on": {f"next{number}": target}, "after": {"4h": {"target": target}}}
        steps["broken"] = {"on": {"mend": "step0"}}
        steps["checked"] = {"on": {"next": "finished"}}
        steps["finished"] = {"type": "final"}
        lines[f"line{number}"] = {
            "id": f"line{number}", "initial": "step0", "states": steps,
            "on": {"break": ".broken", "check": ".checked"}, "onDone": following,
        }
    lines["waiting"] = {"on": {"begin": "line0"}}
    lines |= {f"extra{number}": {"on": {"begin": f"line{number}"}} for number in range(8)}
    lines["closed"] = {"id": "closed", "type": "final"}
    return {"id": "plant", "description": "A plant with ten lines of work", "initial": "waiting", "states": lines}


def fill(api):
    fill_orders(api)
    fill_others(api)


def fill_orders(api):
    api.apply((SHOP / "order.yaml").read_text())
    api.start("order", "order-1001")
    api.send("order-1001", "submit", {"amount": 120})
    api.apply(counted_order())
    for number in range(1002, 1006 + FAILED + SUSPENDED):
        api.start("order", f"order-{number}")
    for number in range(1003, 1006 + FAILED + SUSPENDED):
        api.send(f"order-{number}", "submit", {"amount": 1250})
    for number in range(1004, 1006 + FAILED + SUSPENDED):
        api.send(f"order-{number}", "legal.ok")
    for number in range(1005, 1006 + FAILED):
        api.send(f"order-{number}", "finance.ok")
    api.repair("order-1005", "set", reason="OPS-40", set={"parcels": 2})
    for number in range(1005, 1006 + FAILED):
        api.send(f"order-{number}", "pay", {"card": f"tok_{number}"})
    api.send("order-1005", "packed")
    api.start("order", "order-2001")
    api.repair("order-2001", "cancel", reason="The customer called")
    api.run("ops-41", "suspend", "OPS-41", prefix="order-101", state="review.finance")


def fill_others(api):
    api.apply((SHOP / "editor.yaml").read_text())
    api.start("editor", "photo-1")
    for event in ("filter", "beauty", "text", "colour"):
        api.send("photo-1", event)
    api.apply(plant())
    api.start("plant", "plant-1")
    api.send("plant-1", "begin")
    api.apply((SHOP / "shop/parcel.yaml").read_text())
    for number in range(1, 6):
        api.start("parcel", f"parcel-{number}", {"items": ["pen", "ink"]})
    tasks = api.lease("stock", "packer-3", 3)
    api.do("POST", f"/v1/tasks/{tasks[0]['task']}/complete", {"weight": 8})
    api.do("POST", f"/v1/tasks/{tasks[1]['task']}/fail", {
        "type": "scale", "message": "The scale does not answer", "retryAfter": 3600})
    api.do("PATCH", "/v1/queues/task:stock", {"paused": True})
    api.do("POST", "/v1/machines/plant/suspend", {"reason": "The hall is cleaned"})
    api.do("POST", "/v1/machines/parcel/retention", {"retention": "90d"})
