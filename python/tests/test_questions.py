"""Each question against known answers, and against what a few lines of Python find."""

from __future__ import annotations

import json
import pathlib

import pytest

import hyades
from systems import random_lts


def strong_classes(lts: hyades.LTS) -> list[int]:
    """The definition, as a fixpoint over partitions."""
    classes = [0] * lts.states
    while True:
        seen: dict[object, int] = {}
        signatures = [
            (classes[s], frozenset((label, classes[t]) for label, t in lts.successors(s)))
            for s in range(lts.states)
        ]
        finer = [seen.setdefault(signature, len(seen)) for signature in signatures]
        if len(seen) == len(set(classes)):
            return finer
        classes = finer


def reached(lts: hyades.LTS) -> set[int]:
    found, todo = {lts.initial}, [lts.initial]
    while todo:
        for _, target in lts.successors(todo.pop()):
            if target not in found:
                found.add(target)
                todo.append(target)
    return found


def both(first: hyades.LTS, second: hyades.LTS) -> hyades.LTS:
    shift = first.states
    moved = [(s + shift, l, t + shift) for s, l, t in second]
    return hyades.LTS.from_transitions([*first, *moved], states=shift + second.states)


def holds(lts: hyades.LTS, trace: list[str]) -> bool:
    """Whether there is such a path from the initial state."""
    now = {lts.initial}
    for label in trace:
        now = {t for s in now for l, t in lts.successors(s) if l == label}
    return bool(now)


def test_quotients_have_as_many_states_as_there_are_classes() -> None:
    for seed in range(150):
        lts = random_lts(seed)
        classes = strong_classes(lts)
        live = reached(lts)
        quotient, of_state = hyades.minimize(lts, "strong", classes=True)
        assert quotient.states == len({classes[s] for s in live}), seed
        for s in range(lts.states):
            for t in range(lts.states):
                if s in live and t in live:
                    assert (of_state[s] == of_state[t]) == (classes[s] == classes[t])
            assert (of_state[s] == hyades.Minimized.NO_CLASS) == (s not in live)
        assert hyades.equiv(lts, quotient)
        assert hyades.minimize(quotient) == quotient


def test_known_quotients(testdata: pathlib.Path) -> None:
    lts = hyades.read(testdata / "quotients" / "brp68.aut.xz")
    assert (lts.states, lts.transitions) == (1108, 1327)
    assert hyades.minimize(lts, "branching").states == 5
    with pytest.raises(ValueError, match="isomorphism"):
        hyades.minimize(lts, "isomorphism")
    with pytest.raises(ValueError, match="nope"):
        hyades.minimize(lts, "nope")


def test_a_quotient_with_its_classes(early: hyades.LTS) -> None:
    for relation in ["trace", "weaktrace"]:
        with pytest.raises(ValueError, match="there are no classes of states by " + relation):
            hyades.minimize(early, relation, classes=True)
    found = hyades.minimize(early, classes=True)
    assert isinstance(found, hyades.Minimized) and found == (found.lts, found.classes)
    assert hyades.Minimized.NO_CLASS == found.NO_CLASS == 2**32 - 1
    assert found._fields == ("lts", "classes") and repr(found).startswith("Minimized(lts=<LTS")


def test_comparison_is_that_of_classes() -> None:
    answers = set()
    for seed in range(0, 400, 2):
        first, second = random_lts(seed), random_lts(seed + 1)
        union = both(first, second)
        classes = strong_classes(union)
        same = classes[first.initial] == classes[first.states + second.initial]
        verdict = hyades.equiv(first, second)
        answers.add(verdict.holds)
        assert verdict.holds is same and bool(verdict) is same
        if same:
            assert verdict.reason is verdict.trace is verdict.formula is None
            continue
        assert verdict.reason and verdict.formula
        if verdict.trace is not None:
            assert holds(first, verdict.trace) != holds(second, verdict.trace)
        assert isinstance(verdict.evidence, hyades.LTS)
    assert answers == {True, False}


def test_known_spectra(testdata: pathlib.Path) -> None:
    expected = json.loads((testdata / "spectrum" / "expected.json").read_text())
    assert expected
    early, late = testdata / "early.aut", testdata / "late.aut"
    found = hyades.spectrum(early, late)
    assert found["trace"].equivalent is True
    assert found["strong"].equivalent is False
    assert found["sim"].below.holds is True and found["sim"].above.holds is False
    assert found["sim"].equivalent is False
    for name, order in found.items():
        assert name == order.relation
        assert order.equivalent is hyades.equiv(early, late, name).holds
        assert order.below.holds is hyades.equiv(early, late, name, preorder=True).holds
    assert set(found) <= set(hyades.relations())


def test_sharp_relations_ask_for_strong_labels() -> None:
    """Only a hidden step before `b` hides that `a` is not answered at once."""
    first = hyades.LTS.from_transitions([(0, "a", 1), (0, "i", 2), (2, "a", 1), (1, "b", 0)])
    second = hyades.LTS.from_transitions([(0, "i", 1), (1, "a", 2), (2, "b", 0)])
    assert hyades.equiv(first, second, "branching")
    for relation, coarser in [("sharp", "branching"), ("divsharp", "divbranching")]:
        why = f"{relation} depends on which labels are strong.*strong_labels.*it is {coarser}"
        with pytest.raises(ValueError, match=why):
            hyades.equiv(first, second, relation)
        with pytest.raises(ValueError, match=why):
            hyades.minimize(first, relation)
        for strong, same in [("a", False), (["a"], False), (["b", "c.*"], True), ((), True)]:
            verdict = hyades.equiv(first, second, relation, strong_labels=strong)
            assert verdict.holds is same, (relation, strong)
            states = hyades.minimize(second, relation, strong_labels=strong).states
            assert states == (2 if same else 3), (relation, strong)
            order = hyades.spectrum(first, second, strong_labels=strong)[relation]
            assert order.equivalent is same
        assert relation in hyades.relations()
        assert relation not in hyades.spectrum(first, second)
    with pytest.raises(ValueError, match="sharp and divsharp, found strong"):
        hyades.equiv(first, second, strong_labels="a")
    with pytest.raises(ValueError, match="sharp and divsharp, found branching"):
        hyades.minimize(first, "branching", strong_labels="a")


def test_limits_leave_a_question_open(testdata: pathlib.Path) -> None:
    lts = hyades.read(testdata / "quotients" / "onebit.aut.xz")
    small = hyades.minimize(lts, "branching")
    verdict = hyades.equiv(lts, small, "weaktrace", max_pairs=1)
    if verdict.holds is None:
        assert not verdict and verdict.reason == "a limit was reached"
        assert "UNKNOWN" in repr(verdict)
    stopped = hyades.reach(lts, max_states=100, deadlock=True)
    assert not stopped.complete and stopped.deadlock is not None
    assert stopped.deadlock.holds is None and not stopped.deadlock
    with pytest.raises(hyades.LimitError, match="a limit was reached after"):
        stopped.lts
    open_question = hyades.check("[true*] < true > true", testdata / "channels" / "x25_v1.toml", max_states=3)
    assert open_question.holds is None and open_question.reason


def test_known_refinements(testdata: pathlib.Path) -> None:
    cases = json.loads((testdata / "refine" / "expected.json").read_text())
    folder = testdata / "refine"
    checked = 0
    for case in cases:
        spec, impl = folder / f"{case['spec']}.aut", folder / f"{case['impl']}.aut"
        for model in ("T", "F", "FD"):
            known = case[model]
            verdict = hyades.refine(spec, impl, model)
            assert verdict.holds is known["holds"], (case, model)
            checked += 1
            if not verdict:
                assert verdict.reason and verdict.trace is not None
                trace = verdict.trace
                assert holds(hyades.read(impl), trace)
    assert checked > 60


def test_networks(testdata: pathlib.Path, tmp_path: pathlib.Path) -> None:
    (tmp_path / "tea.aut").write_text('des (0, 2, 2)\n(0, COIN, 1)\n(1, TEA, 0)\n')
    (tmp_path / "user.aut").write_text('des (0, 1, 2)\n(0, COIN, 1)\n')
    net = tmp_path / "net.exp"
    net.write_text('"tea.aut" |[COIN]| "user.aut"\n')
    lts = hyades.read(net)
    assert sorted(lts) == [(0, "COIN", 1), (1, "TEA", 2)]
    found = hyades.reach(net, deadlock=True, livelock=True, find=["TEA", "NONE"])
    assert found.lts == lts and found.complete and (found.states, found.transitions) == (3, 2)
    assert found.deadlock is not None and found.deadlock.trace == ["COIN", "TEA"]
    assert found.livelock is not None and found.livelock.holds is False
    assert [bool(one) for one in found.find] == [True, False]
    assert found.find[0].trace == ["COIN", "TEA"]
    assert hyades.refine(tmp_path / "tea.aut", net, "T")
    verdict = hyades.refine(tmp_path / "tea.aut", net)
    assert not verdict and verdict.trace == ["COIN", "TEA"] and "nothing" in str(verdict.reason)
    assert not hyades.check("[true*] < true > true", net)
    phils = testdata / "networks" / "phils_3" / "net.exp"
    assert hyades.reach(phils).states == 79
    answered = hyades.reach(phils, find=".*", space=False)
    assert answered.states < 79
    with pytest.raises(ValueError, match="space=True"):
        answered.lts


def test_the_hidden_action_is_found_as_it_is_shown() -> None:
    lts = hyades.LTS.from_transitions([(0, "i", 1), (1, "x", 2)], hidden="x")
    assert lts.hidden == "tau"
    visible, hidden = hyades.reach(lts, find=["i", "tau"]).find
    assert visible.trace == ["i"] and hidden.trace == ["i", "tau"]
    names = ["i", "tau", "\u03c4", "tau_1"]
    for k, name in enumerate(names):
        each = [(0, label, 0) for label in names[:k]]
        lts = hyades.LTS.from_transitions([*each, (0, "x", 1)], hidden="x")
        assert lts.hidden == name
        (verdict,) = hyades.reach(lts, find=name).find
        assert verdict.trace == [name]


def test_systems_of_machines(testdata: pathlib.Path, tmp_path: pathlib.Path) -> None:
    reached = hyades.reach(testdata / "channels" / "x25_v1.toml", deadlock=True)
    assert (reached.states, reached.transitions) == (111, 241)
    wrong = tmp_path / "wrong.toml"
    wrong.write_text('format = "csm-system-1"\nnonsense = 1\n')
    with pytest.raises(hyades.ParseError) as caught:
        hyades.reach(wrong)
    assert caught.value.line == 2 and caught.value.file == str(wrong)
    wrong.write_bytes(b"a = 1\n\xff\n")
    with pytest.raises(hyades.ParseError, match="UTF-8"):
        hyades.reach(wrong)


def test_plugins_that_are_none(tmp_path: pathlib.Path) -> None:
    with pytest.raises(FileNotFoundError):
        hyades.reach(tmp_path / "none.so")
    (tmp_path / "text.so").write_text("no shared object")
    with pytest.raises(hyades.ModelError):
        hyades.reach(tmp_path / "text.so")
    with pytest.raises(ValueError, match="plugins"):
        hyades.reach(b"des (0, 0, 1)\n", argument="x")


@pytest.mark.filterwarnings("ignore::hyades.FormatWarning")
def test_known_formulas(testdata: pathlib.Path) -> None:
    folder = testdata / "check"
    cases = json.loads((folder / "expected.json").read_text())["formulas"]
    for case in cases:
        system = folder / case["lts"]
        system = system if system.exists() else testdata / case["lts"]
        verdict = hyades.check(folder / case["formula"], system)
        assert verdict.holds is case["expected"], case
        length = case.get("trace", {}).get("length")
        if length is not None and verdict.trace is not None and verdict.cycle is None:
            # From where a fixpoint is decided the way goes on.
            assert len(verdict.trace) >= length, case
            assert holds(hyades.read(system), verdict.trace), case
    assert len(cases) > 90


def test_properties_with_names(testdata: pathlib.Path) -> None:
    file = testdata / "vending-properties.mcl"
    verdicts = hyades.check_all(file, testdata / "vending.aut")
    assert [(v.name, v.holds) for v in verdicts] == [
        ("TEA_AND_COFFEE", True),
        ("PAID", True),
        ("NO_END", False),
    ]
    assert verdicts[2].trace and verdicts[2].reason
    with pytest.raises(ValueError, match="check_all"):
        hyades.check(file, testdata / "vending.aut")


def test_formulas_of_mcrl2(late: hyades.LTS) -> None:
    assert hyades.check("[true*] [TEA] false", late, syntax="mcf").holds is False
    data = hyades.LTS.from_transitions([(0, "a(1)", 1), (1, "a(2)", 0)])
    formula = "forall n: Nat . val(n < 1) || <true*.a(n)> true"
    assert hyades.check(formula, data, syntax="mcf", values={"Nat": ["1", "2"]})
    assert not hyades.check(formula, data, syntax="mcf", values={"Nat": ["1", "2", "3"]})
    with pytest.raises(ValueError):
        hyades.check(formula, data, syntax="mcf", values={"Nat": ["x"]})
    with pytest.raises(ValueError, match="mcl or mcf"):
        hyades.check("true", late, syntax="ltl")


def test_texts_that_are_no_formulas(late: hyades.LTS, tmp_path: pathlib.Path) -> None:
    with pytest.raises(hyades.ParseError) as caught:
        hyades.check("[ true* ]\n < true >", late)
    error = caught.value
    assert (error.file, error.line, error.code) == ("<formula>", 2, "formula")
    file = tmp_path / "wrong.mcl"
    file.write_text("[")
    with pytest.raises(hyades.ParseError) as caught:
        hyades.check(file, late)
    assert caught.value.file == str(file)
    for missing in (tmp_path / "none.mcl", str(tmp_path / "none.mcl")):
        with pytest.raises(FileNotFoundError) as none:
            hyades.check(missing, late)
        assert str(none.value) == f"[Errno 2] No such file or directory: '{missing}'"
    with pytest.warns(hyades.FormatWarning, match="NONE"):
        assert hyades.check('[ "NONE" ] false', late)


def test_formulas_with_labels_that_are_no_utf8() -> None:
    lts = hyades.LTS.from_transitions([(0, b"\xff", 1), (1, "b", 0)])
    label = lts.labels[1]
    assert label == "\udcff"
    assert hyades.check(f'<"{label}"> true', lts)
    verdict = hyades.check(f'["{label}"] false', lts)
    assert verdict.holds is False and verdict.trace == [label]


def test_cycles(testdata: pathlib.Path) -> None:
    reached = hyades.reach(testdata / "vending.aut", livelock=True)
    livelock = reached.livelock
    assert livelock is not None and livelock.cycle is not None and livelock.trace is not None
    assert set(livelock.trace[livelock.cycle :]) == {"i"}
    evidence = livelock.evidence
    assert evidence is not None and all(evidence.successors(s) for s in range(evidence.states))


@pytest.mark.filterwarnings("ignore::hyades.FormatWarning")
def test_formulas_that_tell_apart_hold_in_one_system() -> None:
    relations = [name for name in hyades.relations() if "sharp" not in name]
    by_check = weak = 0
    for seed in range(0, 60, 2):
        first, second = random_lts(seed), random_lts(seed + 1)
        for relation in relations:
            verdict = hyades.equiv(first, second, relation)
            if verdict.formula is None or verdict.reason is None:
                continue
            is_first = verdict.reason.startswith("of the first")
            has, lacks = (first, second) if is_first else (second, first)
            both = hyades.evaluate(verdict.formula, has), hyades.evaluate(verdict.formula, lacks)
            assert both == (True, False), (seed, relation, verdict)
            try:
                checked = [hyades.check(verdict.formula, lts).holds for lts in (has, lacks)]
            except hyades.ParseError:
                weak += 1
            else:
                by_check += 1
                assert checked == [True, False], (seed, relation, verdict)
    assert by_check > 50 and weak > 50


@pytest.mark.filterwarnings("ignore::hyades.FormatWarning")
@pytest.mark.parametrize(
    "label", [b"\xff", b"a\xc3", "\u00fc".encode(), b'"', b"\\", b"\\xFF", b"\x01", b"a\tb", b"\\n"]
)
def test_formulas_spell_labels_as_check_reads_them(label: bytes) -> None:
    one = hyades.LTS.from_transitions([(0, label, 1)])
    none = hyades.LTS.from_transitions([])
    for first, second in (one, none), (none, one):
        formula = hyades.equiv(first, second).formula
        assert formula is not None
        for decide in hyades.evaluate, hyades.check:
            assert bool(decide(formula, one)) != bool(decide(formula, none)), formula


def test_formulas_that_are_evaluated(early: hyades.LTS, late: hyades.LTS) -> None:
    formula = '<"COIN">["COFFEE"]false'
    assert hyades.evaluate(formula, early) is True and hyades.evaluate(formula, late) is False
    assert hyades.evaluate('X1 = <"COIN">X2\nX2 = <<"TEA">>true', early)
    # For commands bytes are escapes.
    odd = hyades.LTS.from_transitions([(0, b"\xff", 1)])
    for spelled in '<"\\xFF">true', '<"\udcff">true':
        assert hyades.evaluate(spelled, odd)
    with pytest.raises(hyades.ParseError, match="<formula>:2:4: ") as caught:
        hyades.evaluate('X1 = X2\nX2 >true', early)
    assert (caught.value.line, caught.value.column, caught.value.code) == (2, 4, "formula")


def test_arguments_are_for_plugins(early: hyades.LTS, testdata: pathlib.Path) -> None:
    for model in (early, testdata / "early.aut"):
        for call in (
            lambda: hyades.reach(model, argument="x"),
            lambda: hyades.check("true", model, argument="x"),
            lambda: hyades.refine(early, model, argument="x"),
        ):
            with pytest.raises(ValueError, match=r"argument is for model plugins \(.so\)"):
                call()


def test_names_with_bytes_that_are_no_utf8() -> None:
    lts = hyades.LTS.from_transitions([(0, b"\xff", 1), (1, b"\xfe", 2)])
    (found,) = hyades.reach(lts, find="\udcff").find
    assert found.name == "find \udcff" and repr(found) == "<find \udcff: TRUE>"
    short = hyades.LTS.from_transitions([(0, b"\xff", 1)])
    reason = hyades.refine(lts, short, "F").reason
    assert reason == "after the trace the implementation accepts nothing"
    other = hyades.LTS.from_transitions([(0, b"\xff", 1), (0, b"\xfe", 1)])
    reason = hyades.refine(other, short, "F").reason
    assert reason == "after the trace the implementation accepts only \udcff"
