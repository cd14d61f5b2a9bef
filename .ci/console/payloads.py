"""Texts that would run, load or lead elsewhere if a page took them for more than texts."""
import json
import re
import unicodedata
import urllib.parse

from api import API
from browser import expect

RUN = "top.ran=1"
ELSEWHERE = "//192.0.2.1/x"
TEXTS = [
    # Elements
    f"<script>{RUN}</script>", f"</script><script>{RUN}</script>", f"<SCRIPT SRC={ELSEWHERE}></SCRIPT>",
    f"<img src=x onerror={RUN}>", f"<img src='x' onerror='{RUN}'>", f"<svg onload={RUN}>", f"<svg/onload={RUN}//",
    f"<svg><script>{RUN}</script></svg>", f"<svg><animate onbegin={RUN} attributeName=x dur=1s>",
    f"<body onload={RUN}>", f"<input autofocus onfocus={RUN}>", f"<details open ontoggle={RUN}>",
    f"<iframe srcdoc='<script>{RUN}</script>'></iframe>", f"<iframe src={ELSEWHERE}></iframe>",
    f"<object data={ELSEWHERE}></object>", f"<embed src={ELSEWHERE}>", f"<base href={ELSEWHERE}>",
    f"<meta http-equiv=refresh content='0;url={ELSEWHERE}'>", f"<link rel=stylesheet href={ELSEWHERE}>",
    "<style>*{display:none}</style>", f"<form action={ELSEWHERE}><button>Log in</button></form>",
    f"<math><mtext></table><img src=x onerror={RUN}>", f"<template><script>{RUN}</script></template>",
    f"<video><source onerror={RUN}></video>", f"<marquee onstart={RUN}>", f"<x onclick={RUN} tabindex=0>x</x>",
    # Out of the place of a text
    f"</title><script>{RUN}</script>", f"</textarea><script>{RUN}</script>", f"</pre><script>{RUN}</script>",
    f"</code></td></tr></table><script>{RUN}</script>", f"--><script>{RUN}</script>", f"]]><script>{RUN}</script>",
    f"</svg><script>{RUN}</script>", f"</text></title></g><script>{RUN}</script>",
    f"<![CDATA[<script>{RUN}</script>]]>",
    # Out of the place of a value
    f"\" onmouseover=\"{RUN}", f"' onfocus='{RUN}' autofocus='", f"\" autofocus onfocus=\"{RUN}",
    f"x\"><svg onload={RUN}>",
    f"` onload={RUN} `", f"x style=background:url({ELSEWHERE})",
    # Addresses
    f"javascript:{RUN}", f"JaVaScRiPt:{RUN}", f"java\tscript:{RUN}", f"\x01javascript:{RUN}", ELSEWHERE,
    "https://192.0.2.1/x", f"data:text/html,<script>{RUN}</script>", f"/\\192.0.2.1/{RUN}", "../../v1/machines",
    # Entities, templates, lines of another language
    f"&lt;script&gt;{RUN}&lt;/script&gt;", f"&#60;script&#62;{RUN}", f"\\u003cscript\\u003e{RUN}", f"%3Cscript%3E{RUN}",
    f"{{{{{RUN}}}}}", f"${{{RUN}}}", f"<%= {RUN} %>", f"'+{RUN}+'", f"\\\";{RUN};//", f"\n{RUN}\r\n\r\n<script>",
    # Characters that are not seen, or turn others around; long ones
    "\u202egnp.exe\u202c", "\u2066\u2069\u200b\u200d\ufeffx", "a\u0000b\u0007c\u001b[31m", "\ue000\U000e0041",
    "e\u0301\u3164",
    "\uff1cscript\uff1etop.ran=1\uff1c/script\uff1e", "W" * 150, "<b>" * 30,
]
NAMES = ["javascript:top.ran=1".replace("=", "-"), "__proto__", "constructor", "-o", "a:b@c", "data:text", "x" * 200]
SECOND = "second"
# Beside the page of its own instance, each text is looked at on a page of one of these.
KINDS = ("errand", "broken", "run", "still")


def cel(text):
    """Returns a text as a literal of an expression."""
    return json.dumps(text, ensure_ascii=False)


def definition():
    """Returns a machine that has every text in its descriptions, its guards and its data."""
    states = {}
    for number, text in enumerate(TEXTS):
        states[f"s{number}"] = {
            "description": text, "tags": f"t{number}", "meta": {"text": text},
            "on": {"go": {"target": f"s{(number + 1) % len(TEXTS)}", "guard": f"context.text == {cel(text)}",
                          "description": text, "actions": [{"log": cel(text)}]}},
        }
    return {
        "id": "texts", "initial": "s0", "description": "\n".join(TEXTS), "context": {"text": "", "map": {}},
        "on": {"note": {"actions": [{"assign": {"text": "event.data.text"}}]}}, "states": states,
    }


ERRAND = {
    "id": "errand", "initial": "open", "context": {},
    "states": {"open": {"invoke": [{"id": "first", "task": "first"}, {"id": SECOND, "task": SECOND}]}},
}
BROKEN = {
    "id": "broken", "initial": "open", "context": {"text": ""},
    "states": {"open": {"invoke": {"id": "third", "task": "third"}}},
}


def is_visible_ascii(text):
    return all(" " <= one <= "~" for one in text)


def is_person(text):
    return is_visible_ascii(text) and text == text.strip() and re.fullmatch(r"[^()\[\]{}<>]{1,100}", text)


class Planted:
    """Puts every text wherever the API takes it, and notes where it did."""

    def __init__(self, stage):
        self.api, self.wfd = stage.api, stage.wfd
        self.sso = json.loads(self.wfd.wfctl(
            "token", "create", "sso", "--role", "operate", "--speaks-for", "--output", "json"))["token"]
        self.persons = [text for text in TEXTS if is_person(text)]
        for machine in (definition(), ERRAND, BROKEN):
            self.api.apply(machine)
        for number, text in enumerate(TEXTS):
            self.plant(number, text)
        for name in NAMES:
            self.api.start("texts", name)

    def plant(self, number, text):
        api, name = self.api, f"text-{number}"
        api.start("texts", name, {"text": text, "map": {text: [text]}})
        key = text if is_visible_ascii(text) and text == text.strip() else None
        api.send(name, "note", {"text": text, text: text}, key=key and f"{number} {key}")
        if is_person(text):
            API(self.wfd.port, self.sso, text).send(name, "note", {"text": text})
        reason = {"reason": text}
        api.repair(name, "suspend", **reason)
        api.start("errand", f"errand-{number}")
        for queue in ("first", SECOND):
            task = api.lease(queue, text)[0]["task"]
            if queue == "first":
                failure = {"type": "scale", "message": text, "details": {text: text}, "retryAfter": 3600}
                api.do("POST", f"/v1/tasks/{task}/fail", failure)
        api.start("broken", f"broken-{number}")
        task = api.lease("third", text)[0]["task"]
        api.do("POST", f"/v1/tasks/{task}/fail", {"type": "x", "message": text, "retry": False})
        api.apply({"id": f"still-{number}", "description": text, "initial": "a", "states": {"a": {}}})
        api.do("POST", f"/v1/machines/still-{number}/suspend", reason)
        if number % len(KINDS) == KINDS.index("run"):
            api.run(f"run-{number}", "suspend", text, prefix=f"text-{number}", status="running")


def shown(text):
    """Returns a text as a page shows it: what is not seen as its number, blanks as one."""
    out = ""
    for one in text:
        hidden = unicodedata.category(one) in ("Cc", "Cf", "Zl", "Zp", "Co", "Cn") and one not in "\n\t"
        out += f"U+{ord(one):04X}" if hidden or one in "\u3164" else one
    return " ".join(out.split())


def look(window, path):
    """Opens a page, and returns its text; nothing in it may be anything but what the console writes."""
    page = window.open(path)
    found = page.evaluate("""() => {
        const told = [], all = [...document.querySelectorAll('*')]
        if (window.ran !== undefined) told.push('a script ran')
        const foreign = 'script:not([src^="/console/assets/"]), img, iframe, object, embed, base, style, template, '
            + 'meta[http-equiv], video, audio, math, foreignObject, animate, set, use, marquee, x, frame'
        for (const e of document.querySelectorAll(foreign)) told.push(e.outerHTML)
        for (const e of all) for (const a of e.attributes) {
            if (/^on|^style$|^srcdoc$|^formaction$/i.test(a.name)) told.push(e.outerHTML)
            const address = /^(href|src|action|xlink:href|data|poster|ping)$/i.test(a.name)
            if (address && !/^(\\/console\\/|#)/.test(a.value)) told.push(a.name + '=' + a.value)
        }
        return {told: told.map(text => text.slice(0, 200)), text: document.body.textContent}
    }""")
    expect(not found["told"], f"{path}: " + "; ".join(found["told"][:5]))
    window.check()
    return " ".join(found["text"].split())


def run(stage):
    """Puts the texts everywhere, opens every page that has them, then pages whose addresses have them."""
    planted = Planted(stage)
    with stage.browser.window() as window:
        stored(window)
    meant = [f"status of {status}" for status in (400, 401, 404, 405, 422)]
    with stage.browser.window(meant=meant) as window:
        reflected(window)
    with stage.browser.window(new=True) as window:
        spoken_for(window, planted)


def stored(window):
    """Pages of what has the texts: of lists each shows all, of others each shows its own."""
    for path in ("/console/", "/console/machines", "/console/machines/texts", "/console/machines/errand",
                 "/console/instances", "/console/queues"):
        look(window, path)
    shows(look(window, "/console/runs"), "/console/runs", TEXTS[KINDS.index("run")::len(KINDS)])
    for path in ("/console/effects?queue=task:first", "/console/effects?queue=task:second",
                 "/console/instances?machine=broken", "/console/activity?action=suspend"):
        shows(look(window, path), path, TEXTS)
    for number, text in enumerate(TEXTS):
        kind = KINDS[number % len(KINDS)]
        place = {"run": "runs", "still": "machines"}.get(kind, "instances")
        for path in (f"/console/instances/text-{number}", f"/console/{place}/{kind}-{number}"):
            shows(look(window, path), path, [text])
    for name in NAMES:
        path = "/console/instances/" + urllib.parse.quote(name, safe="")
        shows(look(window, path), path, [name])


def shows(page, path, texts):
    missing = [text for text in texts if shown(text) not in page]
    expect(not missing, f"{path} does not show {missing[:3]}")


# Addresses that have a text; each text is tried in the first ones, and in one of the others.
ALWAYS = ("instances/{}", "instances?prefix={}&failure={}", "instances?where={}")
OTHERS = (
    "machines/{}", "runs/{}", "{}", "activity?actor={}", "activity?since={}", "effects?queue={}", "effects?instance={}",
    "instances?machine={}", "instances?state={}", "instances?status={}", "instances?olderThan={}", "instances?sort={}",
    "instances?page={}", "instances/text-1?seq={}", "machines/texts?version={}", "?code={}",
)


def reflected(window):
    for number, text in enumerate(TEXTS):
        quoted = urllib.parse.quote(text, safe="")
        for path in (*ALWAYS, OTHERS[number % len(OTHERS)]):
            look(window, "/console/" + path.format(quoted, quoted))


def spoken_for(window, planted):
    """Pages behind a proxy, which names a person."""
    for person in planted.persons:
        headers = {"Authorization": f"Bearer {planted.sso}", "Wfd-On-Behalf-Of": person}
        window.page.set_extra_http_headers(headers)
        shows(look(window, "/console/"), "the header", [person])
