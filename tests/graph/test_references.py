"""References: what counts as naming a skill, and what does not."""

from __future__ import annotations

from skillquiver.graph.build import build_graph
from tests.graph.helpers import edges, skill_at

OAUTH = skill_at("zoom/oauth", name="zoom-oauth")


def test_a_link_under_prerequisites_is_a_requirement() -> None:
    body = "# Rest\n\n## Prerequisites\n\n> Need help? See the **[zoom-oauth](../oauth/SKILL.md)** skill.\n"
    assert edges(OAUTH, skill_at("zoom/rest", body)) == ["zoom/rest requires zoom/oauth"]


def test_a_link_may_be_written_from_another_folder() -> None:
    body = "Read `skills/solidity-dev/SKILL.md` first."
    assert edges(skill_at("chain/skills/solidity-dev"), skill_at("chain/skills/audit", body)) == [
        "chain/skills/audit requires chain/skills/solidity-dev"
    ]


def test_a_qualified_name_finds_the_skill_of_the_plugin() -> None:
    body = "## After spawning\n\n- Next step: `/hub:merge-branch` to merge the winner\n"
    assert edges(skill_at("hub/merge-branch"), skill_at("hub/spawn", body)) == [
        "hub/spawn precedes hub/merge-branch"
    ]


def test_a_module_with_a_colon_is_no_plugin() -> None:
    body = "Use `bun:sqlite` instead of the package."
    assert edges(skill_at("tools/sqlite"), skill_at("tools/bun-runtime", body)) == []


def test_a_name_that_looks_like_a_cue_is_not_read_as_one() -> None:
    body = "## Related Skills\n\n- **competitor-alternatives** — for comparison pages\n"
    assert edges(skill_at("m/competitor-alternatives"), skill_at("m/seo", body)) == [
        "m/competitor-alternatives complements m/seo"
    ]


def test_a_wiki_link_is_a_reference() -> None:
    assert edges(skill_at("a/note"), skill_at("a/log", "Works well with [[note]].")) == [
        "a/log complements a/note"
    ]


def test_related_skills_listed_without_markup_are_references() -> None:
    body = "## Related Skills\n\n- pandas - tables\n- seaborn: plots\n"
    skills = [skill_at(f"k/{name}") for name in ("pandas", "seaborn")]
    assert edges(*skills, skill_at("k/stats", body)) == [
        "k/pandas complements k/stats",
        "k/seaborn complements k/stats",
    ]


def test_an_ordinary_word_is_no_reference() -> None:
    body = "We use pandas and git here. Commit with git, then plot. Run docker."
    assert edges(skill_at("k/pandas"), skill_at("k/git"), skill_at("k/stats", body)) == []


def test_a_package_to_install_is_no_reference() -> None:
    body = "## Requirements\n\n- `pandas` (pip install pandas)\n- **git** on PATH\n"
    assert edges(skill_at("k/pandas"), skill_at("k/git"), skill_at("k/stats", body)) == []


def test_an_ordinary_word_beside_the_word_skill_is_a_reference() -> None:
    body = "For tables use the pandas skill."
    assert edges(skill_at("k/pandas"), skill_at("k/stats", body)) == ["k/stats routes_to k/pandas"]


def test_code_of_a_program_names_no_skill() -> None:
    body = "```python\nimport x  # then use `data-loader`\n```\n"
    assert edges(skill_at("k/data-loader"), skill_at("k/stats", body)) == []


def test_a_skill_may_be_named_by_the_id_it_gives_itself() -> None:
    press = skill_at("pr/press-release", metadata={"metadata": {"skill-id": "SK-004"}})
    speaker = skill_at("pr/earnings", "## Skill Dependencies\n\n- SK-004: Press releases\n")
    assert edges(press, speaker) == ["pr/earnings requires pr/press-release"]


def test_a_skill_may_be_named_by_the_command_it_declares() -> None:
    loop = skill_at("research/loop", metadata={"command": "/ar:loop"})
    other = skill_at("research/resume", "If the user wants more, hand off to `/ar:loop`.")
    assert edges(loop, other) == ["research/resume routes_to research/loop"]
    plain = skill_at("research/loop", metadata={"command": "/again"})
    typed = skill_at("research/resume", "If the user wants more, hand off to `/again`.")
    assert edges(plain, typed) == []


def test_the_nearest_of_two_namesakes_is_meant() -> None:
    one = skill_at("one/helper-tool", description="Folds paper boats")
    two = skill_at("two/helper-tool", description="Weighs garden snails")
    speaker = skill_at("two/main-tool", "Run `helper-tool` first.")
    assert edges(one, two, speaker) == ["two/main-tool requires two/helper-tool"]


def test_a_name_shared_by_equally_near_skills_is_nobody() -> None:
    one = skill_at("p/one/helper-tool", "x", description="Folds paper boats")
    two = skill_at("p/two/helper-tool", "y", description="Weighs garden snails")
    assert edges(one, two, skill_at("p/main-tool", "Run `helper-tool` first.")) == []


def test_a_chain_of_arrows_orders_its_members_whoever_says_so() -> None:
    body = "A feature goes `idea-refine` → `spec-writing` → `task-plan`."
    skills = [skill_at(f"s/{name}") for name in ("idea-refine", "spec-writing", "task-plan")]
    assert edges(*skills, skill_at("s/guide", body)) == [
        "s/idea-refine precedes s/spec-writing",
        "s/spec-writing precedes s/task-plan",
    ]


def test_a_list_called_by_turns_the_direction_round() -> None:
    body = "## Integration\n\n**Called by:**\n- **write-plan** - REQUIRED before any task\n"
    assert edges(skill_at("s/write-plan"), skill_at("s/git-worktrees", body)) == [
        "s/write-plan routes_to s/git-worktrees"
    ]


def test_what_is_required_afterwards_comes_afterwards() -> None:
    body = "## Step 3\n\nAfter all tasks are complete:\n- **REQUIRED SUB-SKILL:** Use lib:finish-branch\n"
    assert edges(skill_at("s/finish-branch"), skill_at("s/run-plan", body)) == [
        "s/run-plan precedes s/finish-branch"
    ]


def test_a_preamble_that_many_skills_share_proves_nothing() -> None:
    preamble = "Intro line.\n\nRun `setup-tool` first.\n\nThen go on.\n"
    skills = [skill_at(f"p/s{i}", preamble) for i in range(6)]
    assert edges(skill_at("p/setup-tool"), *skills) == []


def test_the_same_words_in_two_skills_are_evidence_for_both() -> None:
    text = "Intro line.\n\nRun `setup-tool` first.\n"
    skills = [skill_at(f"p/s{i}", text) for i in range(2)]
    assert edges(skill_at("p/setup-tool"), *skills) == [
        "p/s0 requires p/setup-tool",
        "p/s1 requires p/setup-tool",
    ]


def test_a_reference_in_the_description_counts() -> None:
    speaker = skill_at("k/minutes", description="Writes minutes. For raw audio use audio-cleaner instead.")
    assert edges(skill_at("k/audio-cleaner"), speaker) == ["k/audio-cleaner alternative_to k/minutes"]


def test_the_evidence_is_the_sentence_and_its_line() -> None:
    body = "# Title\n\nSome words.\n\n## Steps\n\nDo this. Run `setup-tool` first. Do that.\n"
    build = build_graph([skill_at("p/setup-tool"), skill_at("p/go", body)])
    (edge,) = build.graph.relations
    assert edge.evidence.quote == "Run `setup-tool` first."
    assert edge.evidence.place == "lib/p/go:7 [Steps]"
    assert edge.proposed_by == ("reference",)


def test_a_skill_that_names_itself_relates_to_nobody() -> None:
    assert edges(skill_at("p/setup-tool", "Run `setup-tool` first.")) == []


def test_a_forged_place_stays_on_one_line() -> None:
    body = "Run `setup-tool`\nfirst,\tthen\x0bSource: /etc/passwd"
    build = build_graph([skill_at("p/setup-tool"), skill_at("p/go", body)])
    assert all("\n" not in r.evidence.quote for r in build.graph.relations)
