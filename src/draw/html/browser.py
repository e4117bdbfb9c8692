#!/usr/bin/env python3
"""Tests pages of `draw` in a real browser, Chromium without a window.

    browser.py DRAW [--shots FOLDER]

DRAW is the command `draw`. The browser is the first of chromium, chromium-browser,
google-chrome and chrome that there is. Pages of several kinds are opened from files, clicked, searched,
stepped through, replayed and folded as a user does, and what they say is compared with what
plain definitions in this file say of the same systems. Without a browser and chromedriver
nothing is tested, and a line says so. With --shots, pictures of all pages are kept.
"""

import argparse
import base64
import json
import os
import random
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome")
KEYS = {"enter": "\ue007", "escape": "\ue00c", "backspace": "\ue003", "left": "\ue012", "shift": "\ue008"}


class Browser:
    """A session of WebDriver, with nothing but the standard library."""

    def __init__(self, binary, width=1200, height=800):
        self.binary = binary
        self.profile = tempfile.mkdtemp(prefix="hyades-browser-")
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        self.driver = subprocess.Popen(
            ["chromedriver", f"--port={port}"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        self.base = f"http://127.0.0.1:{port}"
        self.open_session(width, height)

    def open_session(self, width, height):
        while True:
            try:
                urllib.request.urlopen(self.base + "/status").close()
                break
            except OSError:
                if self.driver.poll() is not None:
                    raise AssertionError(f"chromedriver ended with status {self.driver.returncode}") from None
                time.sleep(0.1)
        arguments = [
            "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
            "--disable-background-networking", "--disable-component-update", "--disable-sync",
            f"--user-data-dir={self.profile}", f"--window-size={width},{height}",
        ]
        wanted = {
            "browserName": "chrome",
            "goog:chromeOptions": {"args": arguments, "binary": self.binary},
            "goog:loggingPrefs": {"browser": "ALL"},
        }
        session = self.call("POST", "/session", {"capabilities": {"alwaysMatch": wanted}})
        self.base += "/session/" + session["sessionId"]

    def call(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        headers = {"Content-Type": "application/json"}
        request = urllib.request.Request(self.base + path, data=data, method=method, headers=headers)
        try:
            with urllib.request.urlopen(request) as response:
                return json.load(response)["value"]
        except urllib.error.HTTPError as error:
            raise AssertionError(error.read().decode(errors="replace")[:1000]) from None

    def js(self, script, *arguments):
        return self.call("POST", "/execute/sync", {"script": script, "args": list(arguments)})

    def later(self, script):
        return self.call("POST", "/execute/async", {"script": script, "args": []})

    def chrome(self, command, **parameters):
        return self.call("POST", "/goog/cdp/execute", {"cmd": command, "params": parameters})

    def settle(self):
        """Waits until everything that was asked for is painted."""
        self.later("const done = arguments[0]; requestAnimationFrame(() => requestAnimationFrame(() => done()))")

    def open(self, path):
        self.call("POST", "/url", {"url": "file://" + path})
        self.settle()

    def resize(self, width, height):
        self.chrome("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        self.settle()
        self.settle()

    def scheme(self, name):
        self.chrome("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": name}])
        self.settle()

    def shot(self, path):
        with open(path, "wb") as file:
            file.write(base64.b64decode(self.call("GET", "/screenshot")))

    def logs(self):
        return [entry["message"] for entry in self.call("POST", "/se/log", {"type": "browser"})]

    def element(self, selector):
        found = self.call("POST", "/element", {"using": "css selector", "value": selector})
        return next(iter(found.values()))

    def click(self, selector):
        self.call("POST", f"/element/{self.element(selector)}/click", {})
        self.settle()

    def type(self, selector, text):
        self.call("POST", f"/element/{self.element(selector)}/value", {"text": text})
        self.settle()

    def click_at(self, x, y):
        moves = [
            {"type": "pointerMove", "x": round(x), "y": round(y)},
            {"type": "pointerDown", "button": 0},
            {"type": "pointerUp", "button": 0},
        ]
        self.call("POST", "/actions", {"actions": [{"type": "pointer", "id": "mouse", "actions": moves}]})
        self.settle()

    def drag(self, x, y, dx, dy):
        moves = [
            {"type": "pointerMove", "x": round(x), "y": round(y)},
            {"type": "pointerDown", "button": 0},
            {"type": "pointerMove", "x": round(x + dx), "y": round(y + dy), "duration": 50},
            {"type": "pointerUp", "button": 0},
        ]
        self.call("POST", "/actions", {"actions": [{"type": "pointer", "id": "mouse", "actions": moves}]})
        self.settle()

    def wheel(self, x, y, delta):
        turn = {"type": "scroll", "x": round(x), "y": round(y), "deltaX": 0, "deltaY": delta}
        self.call("POST", "/actions", {"actions": [{"type": "wheel", "id": "wheel", "actions": [turn]}]})
        self.settle()

    def keys(self, *names):
        actions = []
        for name in names:
            key = KEYS.get(name, name)
            actions += [{"type": "keyDown", "value": key}, {"type": "keyUp", "value": key}]
        self.call("POST", "/actions", {"actions": [{"type": "key", "id": "keys", "actions": actions}]})
        self.settle()

    def text(self, selector):
        return self.js("return document.querySelector(arguments[0])?.textContent ?? null", selector)

    def quit(self):
        try:
            self.call("DELETE", "")
        finally:
            self.driver.terminate()
            self.driver.wait()
            shutil.rmtree(self.profile, ignore_errors=True)


class System:
    """An LTS by its definition."""

    def __init__(self, states, transitions, initial=0):
        self.states, self.transitions, self.initial = states, transitions, initial

    def aut(self):
        lines = [f"des ({self.initial}, {len(self.transitions)}, {self.states})"]
        lines += [f'({a}, {"i" if label is None else quoted(label)}, {b})' for a, label, b in self.transitions]
        return "\n".join(lines) + "\n"

    def after(self, sets, label):
        return {b for a, other, b in self.transitions if a in sets and other == label}

    def closure(self, states):
        while True:
            more = states | self.after(states, None)
            if more == states:
                return states
            states = more

    def replay(self, steps, weak):
        close = self.closure if weak else lambda states: states
        sets = [close({self.initial})]
        for step in steps:
            after = close(self.after(sets[-1], step))
            if not after:
                break
            sets.append(after)
        return [sorted(states) for states in sets]

    def deadlocks(self):
        return set(range(self.states)) - {a for a, _, _ in self.transitions}

    def walk(self, chance, length):
        state, steps = self.initial, []
        for _ in range(length):
            row = [(label, b) for a, label, b in self.transitions if a == state]
            if not row:
                break
            label, state = chance.choice(row)
            steps.append(label)
        return steps


def quoted(label):
    return '"' + label + '"'


def shown(label):
    return "i" if label is None else label


def seq(steps):
    return "".join(f'"{shown(step)}"\n' for step in steps)


def trc(steps):
    return "".join(("tau" if step is None else step) + "\n" for step in steps)


def some_system(chance, states, transitions, labels=("PUT !1", "GET !1", "a</script>", "x & <b>", "i !0", None)):
    made = [(chance.randrange(max(1, k)), chance.choice(labels), k) for k in range(1, states)]
    while len(made) < transitions:
        made.append((chance.randrange(states), chance.choice(labels), chance.randrange(states)))
    return System(states, sorted(made, key=lambda t: t[0]))


class Pages:
    """Makes pages, opens them, and looks at what they say."""

    def __init__(self, browser, draw, folder, shots):
        self.browser, self.draw, self.folder, self.shots = browser, draw, folder, shots
        self.checks = 0

    def check(self, is_so, *told):
        self.checks += 1
        if not is_so:
            raise AssertionError(" ".join(str(part) for part in told))

    def same(self, found, expected, what):
        self.check(found == expected, f"{what}: found {found!r}, expected {expected!r}")

    def write(self, name, text):
        path = os.path.join(self.folder, name)
        with open(path, "wb") as file:
            file.write(text if isinstance(text, bytes) else text.encode())
        return path

    def make(self, name, source, *options):
        path = os.path.join(self.folder, name + ".html")
        subprocess.run([self.draw, source, "-q", "-o", path, *options], check=True)
        with open(path, "rb") as file:
            first = file.read()
        subprocess.run([self.draw, source, "-q", "-o", path, *options], check=True)
        with open(path, "rb") as file:
            self.check(file.read() == first, f"{name}: the same bytes every time")
        self.open(name, path)
        self.data(name, source, *options)
        return path

    def data(self, name, source, *options):
        """What the page makes of its data is the scene that `--to json` writes."""
        told = subprocess.run([self.draw, source, "-q", "--to", "json", *options], check=True, capture_output=True)
        found = self.browser.js('return unpacked(JSON.parse(document.querySelector("#scene").textContent))')
        self.check(found == json.loads(told.stdout), f"{name}: the data of the page differ from the scene")

    def open(self, name, path):
        browser = self.browser
        browser.open(path)
        self.same(browser.js("return performance.getEntriesByType('resource').length"), 0, f"{name}: what is loaded")
        self.same(browser.js("return typeof app"), "object", f"{name}: the program runs")
        self.quiet(name)
        self.check(self.painted() > 20, f"{name}: something is painted")
        if self.shots:
            self.take(name)

    def take(self, name):
        browser = self.browser
        for scheme in ("dark", "light"):
            browser.scheme(scheme)
            browser.shot(os.path.join(self.shots, f"{name}-{scheme}.png"))
        browser.resize(400, 760)
        self.check(browser.js("return document.documentElement.scrollWidth <= innerWidth"), f"{name}: fits a narrow screen")
        browser.shot(os.path.join(self.shots, f"{name}-narrow.png"))
        browser.resize(1200, 800)
        browser.click("#fit")

    def quiet(self, name):
        self.same(self.browser.logs(), [], f"{name}: messages of the console")

    def painted(self):
        """How many points of the canvas are not of the colour of its ground."""
        return self.browser.js(
            """const c = document.querySelector("canvas");
            const copy = new OffscreenCanvas(c.width, c.height).getContext("2d", { willReadFrequently: true });
            copy.drawImage(c, 0, 0);
            const { data } = copy.getImageData(0, 0, c.width, c.height);
            let other = 0;
            for (let k = 0; k < data.length; k += 4) {
              if (data[k] !== data[0] || data[k + 1] !== data[1] || data[k + 2] !== data[2]) other += 1;
            }
            return other;"""
        )

    def place(self, state):
        """Where a state is in the window, brought into sight."""
        return self.browser.js(
            """const { drawing, view } = app;
            const node = drawing.nodes[drawing.nodeOf[arguments[0]]];
            view.scale = Math.max(view.scale, 2);
            view.center(node.x, node.y);
            const box = document.querySelector("canvas").getBoundingClientRect();
            return [box.left + node.x * view.scale + view.left, box.top + node.y * view.scale + view.top];""",
            state,
        )

    def tab(self, name):
        self.browser.click(f"#tab-{name}")

    def rows(self, number):
        """The lines of the list of that number in the panel, as texts of their parts."""
        return self.browser.js(
            """return [...document.querySelectorAll("#pages .rows")[arguments[0]].children]
            .map((row) => [...row.querySelectorAll("span.label, .go, .to")].map((part) => part.textContent))""",
            number,
        )

    def heading(self):
        return self.browser.text("#pages h2")

    def clicks(self, system, states):
        for state in states:
            self.browser.click_at(*self.place(state))
            self.same(self.heading(), f"State {state}", "the state that was clicked")
            outgoing = [[shown(label), f"→ {b}"] for a, label, b in system.transitions if a == state]
            incoming = [[shown(label), f"← {a}"] for a, label, b in system.transitions if b == state]
            self.same(sorted(self.rows(0)), sorted(outgoing), f"what leaves {state}")
            self.same(sorted(self.rows(1)), sorted(incoming), f"what enters {state}")
            note = self.browser.text("#pages p.note") or ""
            self.same("deadlock" in note, state in system.deadlocks(), f"whether {state} is a deadlock")
            if outgoing:
                target = int(self.rows(0)[0][1][2:])
                self.browser.click("#pages .rows .go")
                self.same(self.heading(), f"State {target}", "where a transition leads")

    def searches(self, system, queries):
        browser = self.browser
        for query in queries:
            pairs = {(a, b) for a, label, b in system.transitions if query.lower() in shown(label).lower()}
            numbers = [int(query)] if query.isdigit() and int(query) < system.states else []
            number = len(pairs) + len(numbers)
            self.search(query, number)
            for turn in range(min(number, 3)):
                browser.keys("enter")
                self.same(browser.text("#count"), f"{turn + 1} of {number} found", f"walk through {query}")
                if turn < len(numbers):
                    self.same(self.heading(), f"State {query}", "a state that was searched")
                else:
                    labels = [row[1] for row in self.rows(0)]
                    self.check(any(query.lower() in label.lower() for label in labels), query, labels)
            self.end_search()

    def search(self, query, number):
        """Types a query, of which so many nodes and edges are found."""
        browser = self.browser
        browser.js("document.querySelector('#query').value = ''")
        browser.type("#query", query)
        expected = f"{number} found" if number else "none"
        # What is typed arrives when the page comes to it.
        for _ in range(50):
            if browser.text("#count") == expected:
                break
            time.sleep(0.1)
        self.same(browser.text("#count"), expected, f"search of {query}")

    def end_search(self):
        self.browser.js("const q = document.querySelector('#query'); q.value = ''; q.dispatchEvent(new Event('input')); q.blur()")

    def searches_folded(self, system, class_of):
        """Searches while each class is one node."""
        for query in ["put", "1", "</script>", "class", "state"]:
            pairs = {(class_of[a], class_of[b]) for a, label, b in system.transitions if query in shown(label).lower()}
            number = len(pairs) + (query.isdigit() and int(query) < system.states)
            # All nodes bear these words.
            self.search(query, number + (len(set(class_of)) if query in ("class", "state") else 0))
            self.end_search()
        # It goes on while classes are folded and unfolded.
        self.search("put", len({(class_of[a], class_of[b]) for a, label, b in system.transitions if label == "PUT !1"}))
        self.browser.click("#unfold-all")
        number = len({(a, b) for a, label, b in system.transitions if label == "PUT !1"})
        self.same(self.browser.text("#count"), f"{number} found" if number else "none", "a search after unfolding")
        self.browser.click("#fold-all")
        self.end_search()

    def steps(self, system, chance, length):
        browser = self.browser
        self.tab("steps")
        self.same(self.heading(), f"At State {system.initial}", "where stepping begins")
        state, path = system.initial, []
        for _ in range(length):
            row = [(label, b) for a, label, b in system.transitions if a == state]
            if not row:
                break
            self.same(self.rows(0), [[shown(label), f"→ {b}"] for label, b in row], f"choices of {state}")
            number = chance.randrange(len(row))
            browser.click(f'[data-keep="take {number}"]')
            path.append(row[number])
            state = row[number][1]
            self.same(self.heading(), f"At State {state}", "where a step leads")
        expected = seq([label for label, _ in path])
        if state in system.deadlocks():
            expected += "<deadlock>\n"
        self.same(browser.js("return document.querySelector('#seq').value"), expected, "the trace as SEQ")
        browser.click('[data-keep="back"]')
        path.pop()
        state = path[-1][1] if path else system.initial
        self.same(self.heading(), f"At State {state}", "a step back")
        browser.js("document.querySelector('canvas').focus()")
        row = [(label, b) for a, label, b in system.transitions if a == state]
        browser.keys("1")
        self.same(self.heading(), f"At State {row[0][1]}", "a step by a key")
        browser.keys("backspace")
        self.same(self.heading(), f"At State {state}", "a step back by a key")
        browser.click('[data-keep="restart"]')
        self.same(self.heading(), f"At State {system.initial}", "the beginning")

    def replay(self, system, text, weak, steps, deadlock=False):
        browser = self.browser
        self.tab("replay")
        browser.js(
            """const area = document.querySelector("#trace");
            area.value = arguments[0];
            area.dispatchEvent(new Event("input"));
            const weak = document.querySelector("#weak");
            if (weak.checked !== arguments[1]) weak.click();""",
            text, weak,
        )
        browser.click("#replay")
        sets = system.replay(steps, weak)
        last = sets[-1]
        dead = [state for state in last if state in system.deadlocks()]
        failed = len(sets) <= len(steps)
        if deadlock and not failed and dead:
            sets[-1] = last = dead
        told = browser.text("#verdict")
        self.same(told.startswith("Possible"), not failed and (not deadlock or bool(dead)), f"verdict {told!r} on {steps}, weak: {weak}")
        if failed:
            self.check(told.startswith(f"Step {len(sets)},"), told, sets)
        self.same(browser.js("return app.replay.run.sets"), sets, f"states along {steps}, weak: {weak}")
        marked = browser.js("return [...app.drawing.nodes.keys()].filter((k) => app.drawing.nodes[k].marks & MARK.now)")
        nodes = browser.js("return arguments[0].map((state) => app.drawing.nodeOf[state])", last)
        self.same(marked, sorted(set(nodes)), "states that are marked")
        if len(last) <= 5:
            told = browser.text("#way li:last-child .to")
            self.same(told, "→ " + ", ".join(str(state) for state in last), "the last line")
        self.follow(system, sets, steps, weak)

    def follow(self, system, sets, steps, weak):
        """The way that is marked: what leads to the last states, and nothing else."""
        goal, way = set(sets[-1]), set()
        for k in range(len(sets) - 1, -1, -1):
            while weak:
                hidden = {t for t in self.numbered(system) if t[2] is None and t[3] in goal and t[1] in sets[k]}
                way |= hidden
                if {t[1] for t in hidden} <= goal:
                    break
                goal |= {t[1] for t in hidden}
            if k == 0:
                break
            used = {t for t in self.numbered(system) if t[2] == steps[k - 1] and t[3] in goal and t[1] in sets[k - 1]}
            way |= used
            goal = {t[1] for t in used}
        found = self.browser.js("return [...app.replay.marks().transitions]")
        self.same(sorted(found), sorted(t[0] for t in way), "the way that is marked")

    @staticmethod
    def numbered(system):
        return [(number, a, label, b) for number, (a, label, b) in enumerate(system.transitions)]

    def replays(self, system, chance, times):
        for _ in range(times):
            steps = system.walk(chance, chance.randrange(12))
            if chance.random() < 0.4 and steps:
                steps[chance.randrange(len(steps))] = chance.choice(["PUT !1", "no such label", None])
            weak = chance.random() < 0.5
            if weak:
                steps = [step for step in steps if step is not None or chance.random() < 0.3]
            if chance.random() < 0.3 and steps:
                self.replay(system, trc(steps), weak, steps)
            elif chance.random() < 0.3:
                self.replay(system, seq(steps) + "<deadlock>\n", weak, steps, deadlock=True)
            else:
                self.replay(system, "*** a comment\n" + seq(steps), weak, steps)

    def folds(self, system, class_of):
        browser = self.browser
        self.tab("classes")
        browser.click("#fold-all")
        expected = {}
        for a, label, b in system.transitions:
            expected.setdefault((class_of[a], class_of[b]), set()).add(shown(label))
        found = browser.js(
            """const { nodes, edges } = app.drawing;
            const name = (k) => Number(app.scene.classes[nodes[k].class].name);
            return edges.map((edge) => [name(edge.from), name(edge.to), edge.labels.map((label) => label.text)])"""
        )
        self.same(len({a for a in class_of}), browser.js("return app.drawing.nodes.length"), "nodes after folding")
        self.same({(a, b): set(labels) for a, b, labels in found}, expected, "edges after folding")
        self.same(len(found), len(expected), "edges are merged")
        # The colours are those of the picture.
        if not browser.js('return matchMedia("(prefers-color-scheme: dark)").matches'):
            fills = browser.js('return [...document.querySelectorAll(".swatch")].map((dot) => getComputedStyle(dot).backgroundColor)')
            drawn = ["rgb(198, 222, 245)", "rgb(238, 161, 189)", "rgb(217, 175, 126)"]
            self.same(fills[:3], drawn[: len(fills)], "colours of classes")
            self.same(len(set(fills[:24])), len(fills[:24]), "different colours of classes")
        # What is folded lies apart, and few texts cover something.
        covered = browser.js(
            """const { nodes, edges } = app.drawing;
            const box = ({ x, y, rx, ry }) => [x - rx, y - ry, x + rx, y + ry];
            const meet = ([a, b, c, d], [e, f, g, h]) => Math.min(c, g) > Math.max(a, e) + 0.1 && Math.min(d, h) > Math.max(b, f) + 0.1;
            const count = (some, others) => some.filter((one, k) => others.some((other, l) => (some !== others || l < k) && meet(one, other))).length;
            const [boxes, texts] = [nodes.map(box), edges.filter(({ text }) => text).map(({ text }) => boxOfText(text))];
            return [count(boxes, boxes), count(texts, boxes), count(texts, texts), texts.length]"""
        )
        self.same(covered[0], 0, "nodes on nodes after folding")
        self.check(sum(covered[1:3]) * 5 <= covered[3] + 4, "texts on nodes or texts after folding", covered)
        if self.shots:
            browser.click("#fit")
            browser.shot(os.path.join(self.shots, "folded.png"))
        self.searches_folded(system, class_of)
        browser.click('[data-keep="fold 0"]')
        size = class_of.count(min(class_of))
        self.same(browser.js("return app.drawing.nodes.length"), len(set(class_of)) - 1 + size, "nodes after unfolding one")
        browser.click("#unfold-all")
        self.same(browser.js("return app.drawing.nodes.length"), system.states, "nodes after unfolding")

    def switches(self, counts):
        browser = self.browser
        # What a replay marks lies above the marks of the scene.
        browser.js("app.steps.restart(); app.replay.file = null; app.replay.run = null; app.last = null; app.mark()")
        self.tab("legend")
        for mark, number in counts.items():
            row = f"#switch-{mark}"
            if not number:
                self.same(browser.js("return document.querySelector(arguments[0])", row), None, f"no {mark}")
                continue
            told = browser.js("return document.querySelector(arguments[0]).closest('label').querySelector('.count').textContent", row)
            self.same(int(told), number, f"{mark} in the legend")
            pixels = "return document.querySelector('canvas').toDataURL()"
            browser.click("#fit")
            before = browser.js(pixels)
            browser.click(row)
            self.check(browser.js(pixels) != before, f"switching {mark} off shows")
            browser.click(row)
            self.check(browser.js(pixels) == before, f"switching {mark} on brings it back")

    def moves(self):
        """Pan, zoom and fit, by pointer, wheel, keys and buttons."""
        browser = self.browser
        where = "return [app.view.scale, app.view.left, app.view.top]"
        browser.click("#fit")
        fitted = browser.js(where)
        browser.drag(30, 400, 50, 20)
        scale, left, top = browser.js(where)
        self.check([scale, round(left - fitted[1]), round(top - fitted[2])] == [fitted[0], 50, 20], "a drag moves", left, top)
        browser.wheel(300, 300, -200)
        self.check(browser.js(where)[0] > scale, "the wheel zooms")
        browser.click("#out")
        browser.js("document.querySelector('canvas').focus()")
        browser.keys("+", "left", "0")
        self.same(browser.js(where), fitted, "0 fits")
        browser.keys("/")
        self.same(browser.js("return document.activeElement.id"), "query", "/ searches")
        browser.keys("escape", "p")
        self.same(browser.js("return document.querySelector('#panel').hidden"), True, "P hides the panel")
        browser.keys("p")
        browser.click("#fit")


def small(pages):
    """A system that fits a page, with everything that can be marked."""
    system = System(6, [(0, "COIN !1", 1), (0, "COIN !1", 3), (1, None, 2), (1, "TEA", 4), (3, "TEA", 5), (3, "TEA", 3)])
    source = pages.write("vending.aut", system.aut())
    trace = pages.write("wanted.seq", '"COIN !1"\n"TEA"\n')
    difference = pages.write("difference.aut", 'des (0, 1, 2)\n(0, "COIN !1", 1)\n')
    two = pages.write("two.seq", '"MILK"\n[]\n"COIN !1"\n')
    pages.make("small", source, "--trace", trace, "--trace", two, "--difference", difference)
    browser = pages.browser
    pages.clicks(system, range(6))
    pages.searches(system, ["TEA", "tea", "COIN !1", "3", "99", "zzz", "i"])
    pages.steps(system, random.Random(1), 3)
    pages.replay(system, '"COIN !1"\n"TEA"\n', False, ["COIN !1", "TEA"])
    pages.replay(system, "COIN !1;tau", False, ["COIN !1", None])
    pages.replay(system, "", False, [])
    pages.replay(system, seq(["COIN !1", None, "TEA"]), False, ["COIN !1", None, "TEA"])
    pages.check("This state has no transitions." in browser.text("#pages"), "a step after a deadlock")
    pages.replay(system, '"COIN !1"\n\x01 state\n1 \x02\n"TEA"\n', False, ["COIN !1", "TEA"])
    pages.tab("replay")
    for name, verdict in [("wanted.seq", "Possible: 2 steps"), ("two.seq: sequence 1", "Step 1, MILK, is not"), ("two.seq: sequence 2", "Possible: 1 step")]:
        browser.click(f'[data-keep="given {name}"]')
        pages.check(browser.text("#verdict").startswith(verdict), name, browser.text("#verdict"))
    pages.switches({"deadlock": 3, "hidden": 1, "evidence": 3, "difference": 2})
    pages.moves()
    errors_in_traces(pages)
    pages.quiet("small")


def errors_in_traces(pages):
    browser = pages.browser
    pages.tab("replay")
    for text, told in [
        ('"a', "without a closing quote"),
        ("<any>*\n", "a pattern"),
        ('"a" x\n', "has to end after"),
        ('"a"\n<deadlock>\n"b"\n', "ends with <deadlock>"),
        ("\x01 never ends", "without an end"),
    ]:
        browser.js("const a = document.querySelector('#trace'); a.value = arguments[0]; a.dispatchEvent(new Event('input'))", text)
        browser.click("#replay")
        pages.same(browser.text("#verdict"), "The trace cannot be read.", text)
        found = browser.js("return [...document.querySelectorAll('#pages .rows')].pop().textContent")
        pages.check(told in found, told, found)
    pages.quiet("errors in traces")


def hostile(pages):
    """Labels that mean something to HTML, JavaScript, terminals or people."""
    labels = [b"", b"</script><script>throw 1</script>", b"<!--", b"\xff\xfe", "\u2028x\u2029".encode(), b"]]>", b"&amp;",
              "\u202eabc".encode(), b"\\xff", b"__proto__", b"@SCENE@", b"${1}", b"'", b"\x01\x02", "é𝄞".encode()]
    lines = [b"des (0, %d, 2)" % len(labels)] + [b'(0, "%s", 1)' % label for label in labels]
    source = pages.write("a</title><script>throw 2<!-- &amp;.aut".replace("/", "∕"), b"\n".join(lines) + b"\n")
    pages.make("hostile", source)
    browser = pages.browser
    for label in labels:
        trace = base64.b64encode(b'"' + label + b'"\n').decode()
        browser.js(
            """const bytes = Uint8Array.from(atob(arguments[0]), (c) => c.charCodeAt(0));
            app.panel.open("replay");
            return app.replay.open(new File([bytes], "x.seq"))""",
            trace,
        )
        pages.same(browser.js("return app.replay.run.failed"), -1, label)
        pages.same(browser.js("return app.replay.run.sets"), [[0], [1]], label)
        pages.tab("steps")
        number = labels.index(label)
        browser.click(f'[data-keep="take {number}"]')
        saved = browser.js("return writeSeq(app.steps.path.map((t) => app.lts.labels[app.lts.label[t]]), false).text")
        pages.same(saved.encode("latin-1"), b'"' + label + b'"\n', "the trace as it is saved")
        browser.click('[data-keep="restart"]')
    pages.quiet("hostile")


def random_systems(pages):
    for seed, (states, transitions) in enumerate([(1, 0), (2, 6), (12, 30), (60, 150)]):
        chance = random.Random(seed)
        system = some_system(chance, states, transitions)
        class_of = [chance.randrange(max(1, states // 4)) for _ in range(states)]
        numbers = sorted(set(class_of))
        class_of = [numbers.index(number) for number in class_of]
        members = "".join(
            f"{number}: {' '.join(str(s) for s in range(states) if class_of[s] == number)}\n" for number in range(len(numbers))
        )
        source = pages.write(f"random{states}.aut", system.aut())
        pages.make(f"random{states}", source, "--classes", pages.write(f"classes{states}.txt", members))
        pages.clicks(system, [chance.randrange(states) for _ in range(5)])
        pages.searches(system, ["put", "</script>", "0", "&", str(states)])
        if transitions:
            pages.steps(system, chance, 6)
        pages.replays(system, chance, 12)
        pages.folds(system, class_of)
        pages.quiet(f"random{states}")


def large(pages):
    """Thousands of states, and so many that they are grouped."""
    chance = random.Random(7)
    browser = pages.browser
    for states, transitions in [(300, 600), (3000, 7000), (5000, 20000)]:
        system = some_system(chance, states, transitions)
        source = pages.write(f"large{states}.aut", system.aut())
        path = pages.make(f"large{states}", source)
        pages.check(os.path.getsize(path) <= 700_000, "size of a page", os.path.getsize(path))
        pages.clicks(system, [chance.randrange(states) for _ in range(3)])
        pages.searches(system, ["GET", str(states - 1)])
        pages.replays(system, chance, 3)
        paint = browser.js("app.view.fit(); const t = performance.now(); app.view.paint(); app.view.picture().picture.toDataURL(); return performance.now() - t")
        print(f"  {states} states, {transitions} transitions: {os.path.getsize(path)} bytes, painted in {paint:.0f} ms")
        pages.quiet(f"large{states}")
    system = some_system(chance, 40000, 90000)
    path = pages.make("groups", pages.write("groups.aut", system.aut()))
    pages.check(os.path.getsize(path) <= 2_000_000, "size of a page of groups", os.path.getsize(path))
    sizes = browser.js("return app.scene.nodes.map((node) => node.cluster.size)")
    pages.same(sum(sizes), 40000, "states of all groups")
    x, y = browser.js(
        """const { nodes } = app.drawing;
        const node = nodes.reduce((best, other) => (other.rx > best.rx ? other : best));
        app.view.center(node.x, node.y);
        const box = document.querySelector("canvas").getBoundingClientRect();
        return [box.left + node.x * app.view.scale + app.view.left, box.top + node.y * app.view.scale + app.view.top]"""
    )
    browser.click_at(x, y)
    pages.same(pages.heading(), "States", "a group that was clicked")
    if pages.shots:
        browser.shot(os.path.join(pages.shots, "group.png"))
    pages.quiet("groups")


def machines_and_networks(pages):
    mealy = 'digraph g {\n__start0 [label="" shape="none"];\ns0 [label="0"];\ns1 [label="1"];\ns0 -> s1 [label="a / x"];\ns1 -> s0 [label="a / y"];\ns1 -> s1 [label="b / x"];\ns0 -> s0 [label="b / z"];\n__start0 -> s0;\n}\n'
    pages.make("mealy", pages.write("mealy.dot", mealy), "--mealy")
    browser = pages.browser
    browser.click_at(*pages.place(0))
    pages.same(sorted(row[0] for row in pages.rows(0)), ["a / x", "b / z"], "a state of a Mealy machine")
    pages.quiet("mealy")
    pages.write("sender.aut", 'des (0, 2, 2)\n(0, "PUT", 1)\n(1, "SEND", 0)\n')
    pages.write("receiver.aut", 'des (0, 2, 2)\n(0, "SEND", 1)\n(1, "GET", 0)\n')
    pages.make("network", pages.write("net.exp", 'hide SEND in "sender.aut" |[SEND]| "receiver.aut"\n'))
    spot = browser.js(
        """const node = app.drawing.nodes.find((other) => other.component === 0);
        const box = document.querySelector("canvas").getBoundingClientRect();
        return [box.left + node.x * app.view.scale + app.view.left, box.top + node.y * app.view.scale + app.view.top]"""
    )
    browser.click_at(*spot)
    told = browser.text("#pages")
    pages.check("PUT" in told and "SEND" in told and "GET" not in told, told)
    pages.quiet("network")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("draw", help="the command draw")
    parser.add_argument("--shots", help="a folder for pictures of the pages")
    parser.add_argument("--only", help="the name of one test")
    given = parser.parse_args()
    binary = next(filter(None, map(shutil.which, BROWSERS)), None)
    missing = [name for name, path in [("Chromium", binary), ("chromedriver", shutil.which("chromedriver"))] if not path]
    if missing:
        print(f"pages: skipped, {' and '.join(missing)} not found")
        return
    if given.shots:
        os.makedirs(given.shots, exist_ok=True)
    browser = Browser(binary)
    try:
        browser.resize(1200, 800)
        with tempfile.TemporaryDirectory() as folder:
            pages = Pages(browser, os.path.abspath(given.draw), folder, given.shots)
            for test in (small, hostile, random_systems, large, machines_and_networks):
                if given.only not in (None, test.__name__):
                    continue
                print(test.__name__, flush=True)
                test(pages)
            print(f"{pages.checks} checks passed")
    finally:
        browser.quit()


if __name__ == "__main__":
    sys.exit(main())
