"""Every default and the reason for it."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = [
    "DEFAULT_GRAPH",
    "DEFAULT_READ",
    "AgentSettings",
    "DiffuseSettings",
    "EvalSettings",
    "GraphSettings",
    "HttpSettings",
    "LlmSettings",
    "PackSettings",
    "RankSettings",
    "ReadSettings",
    "RewriteSettings",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadSettings:
    """Bounds on what is read from a library root. Sizes in bytes."""

    max_depth: int = 6
    """Folders below a root: hosts look 4 to 6 levels deep (Agent Skills client guide)."""

    pack_depth: int = 16
    """Hard bound for roots that hold whole repositories rather than one skills folder."""

    max_file_bytes: int = 1_000_000
    """Public libraries reach 290 KB; anything larger is not a skill, and is never read whole."""

    max_yaml_bytes: int = 64_000
    """Frontmatter above this is an attack or an accident."""

    max_yaml_aliases: int = 32
    """Legitimate frontmatter uses none; alias bombs need hundreds."""


DEFAULT_READ = ReadSettings()
"""What reading uses when the caller does not say."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PackSettings:
    """Which candidates a bundle takes, and how it spreads its budget."""

    min_confidence: float = 0.005
    """A match less likely than one in two hundred costs an agent more attention than it brings."""

    confidence_ratio: float = 0.02
    """Below this share of the best match's confidence the list has dropped: half as many skills hold
    nearly all that twelve would (decisions/0006)."""

    reach_ratio: float = 0.1
    """The same for a skill that only relations lead to: below, they point at company, not at need
    (decisions/0048)."""

    max_skills: int = 12
    """Above a dozen skills an agent reads a catalogue, not instructions."""

    breadth_share: float = 0.25
    """Share of the budget that cards of the lower ranks may take before higher ranks get their bodies."""

    duplicate_body: float = 0.85
    """Overlap of word shingles from which bodies under different names are copies (decisions/0021)."""

    duplicate_description: float = 0.95
    """Overlap of words from which descriptions under different names are the same."""

    duplicate_namesake_body: float = 0.3
    """The same for bodies of skills with the same name: forks drift apart, their purpose does not."""

    duplicate_namesake_description: float = 0.5
    """The same for descriptions of skills with the same name whose bodies have something in common."""

    requires_confidence: float = 0.6
    """A requirement at least this sure brings the required skill along if there is room: every `requires`
    that the rules read out of texts (decisions/0048)."""

    hard_requires_confidence: float = 0.75
    """From here on a skill does not come without what it requires; below, texts say "using X", not
    "X first", and a good match is worth more than a doubtful need."""

    exclusion_confidence: float = 0.5
    """From here on `conflicts_with` and `supersedes` keep a skill out: more likely right than not."""

    alternative_confidence: float = 0.8
    """Least confidence from which one of two alternatives is enough: copies under one name were right ten
    times in ten."""

    derived_alternative_confidence: float = 0.9
    """The same where a text is the source: five times in ten "use X instead" means another task, so only
    the plainest statements leave a match out."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RankSettings:
    """Weights of the standardised channels, and where a ranking says that it has nothing.

    The ablation behind every weight is in docs/decisions/0005.
    """

    full_weight: float = 1.0
    """BM25 over the whole text."""

    card_weight: float = 0.5
    """BM25 over name, description and when-to-use."""

    name_weight: float = 0.4
    """BM25 over the name alone."""

    dense_weight: float = 0.8
    """Cosine of the best query window with name, description and when-to-use."""

    rerank_depth: int = 100
    """First results that the second stage orders anew; it was trained on as many. 0 switches it off, and so
    does a library with fewer skills, where it does not help (decisions/0008)."""

    judged: int = 3
    """The status looks at the best confidence among this many first results."""

    hit_confidence: float = 0.5
    """From here on the best skill is more likely right than not."""

    none_confidence: float = 0.13
    """Below this the library has nothing for the query (decisions/0006)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphSettings:
    """What the deterministic graph proposes, and how much of it."""

    similar_k: int = 8
    """Embedding neighbours per skill: the published comparisons use 8."""

    similar_floor: float = 0.5
    """Cosine below which two skills are not called similar (same source)."""

    lexical_k: int = 8
    """Lexical neighbours per skill, proposed as pairs to judges that can read."""

    need_k: int = 3
    """Offers looked at per need: the third is rarely right."""

    rare_holders: int = 8
    """Skills that may share a tool or an artifact before it proves nothing about any two of them."""

    sources: tuple[str, ...] = ()
    """Names of the candidate sources to use; empty means every registered one."""


DEFAULT_GRAPH = GraphSettings()
"""What the graph uses when the caller does not say."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LlmSettings:
    """How a language model is asked. Prices in dollars per million tokens, sizes in characters."""

    concurrency: int = 8
    """Calls in flight: 10,000 calls of 20 s take seven hours. Raise it where the provider allows more."""

    timeout_seconds: float = 120.0
    """A guess with room: 2,000 tokens at 20 tokens a second, and a queue before them."""

    max_attempts: int = 5
    """Tries per call while the provider is busy or unreachable: with the backoff below, about a minute."""

    max_answers: int = 2
    """Tries per call while answers do not follow the schema: each costs money."""

    backoff_seconds: float = 2.0
    """First wait; it doubles with every try."""

    max_wait_seconds: float = 120.0
    """Longest wait, and the longest Retry-After that is obeyed before the call counts as failed."""

    thinking_tokens: int = 2_000
    """Room in an answer's limit for models that think first; paid only when used."""

    max_candidates: int = 64
    """Candidates per call: 99.6 % of public skills have fewer; a hub with more is asked in several calls."""

    focus_chars: int = 6_000
    """Text shown of the skill a call is about: the median public skill fits whole."""

    subject_chars: int = 1_600
    """Text shown of each skill a swap check is about."""

    candidate_chars: int = 1_000
    """Text shown of a candidate: its card and the passages that state needs and hand-overs."""

    input_price: float | None = None
    """Dollars per million input tokens; needed for prices and for ``max_spend``."""

    output_price: float | None = None
    """Dollars per million output tokens."""

    max_spend: float | None = None
    """Dollars one run may cost at most; no call starts that could exceed it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DiffuseSettings:
    """How relevance flows from matched skills along relations (decisions/0045).

    The weights of a type estimate how likely the other end is needed if this one is. *Up* leads to the end
    that comes first, *down* to the one that comes later; multiplied with the relation's confidence.
    """

    restart_prob: float = 0.3
    """Share of the mass that starts again at the seeds with each step."""

    tolerance: float = 1e-9
    """Iteration ends when no score moves by more: far below what an order could depend on."""

    max_iter: int = 200
    """Bound on iterations: 0.7 to the 200th is far below the tolerance."""

    hops: int = 2
    """Relations between a match and what it leads to: a third one multiplies three guesses."""

    max_nodes: int = 256
    """Skills of a neighbourhood at most: hubs must not make the cost grow with the library."""

    max_seeds: int = 12
    """As many as a bundle holds."""

    min_seed: float = 0.005
    """Least confidence of a seed: that of a match in a bundle."""

    seed_ratio: float = 0.2
    """Least share of the best match's confidence: weaker ones lead to noise; 0.1 to 0.8 do as well."""

    min_reach: float = 0.02
    """Least confidence of what the graph adds, as a share of the best match's: as for matches in a bundle."""

    topical_lift: float = 20.0
    """What a match's odds gain per confidence that flows in along topical relations; harms above 50."""

    requires_up: float = 0.6
    """What a needed skill requires is needed, if the words were read right."""

    requires_down: float = 0.1
    """A login is required by many; who needs it needs hardly any one of them."""

    feeds_into_up: float = 0.4
    """Something must make the input, but it may be there already."""

    feeds_into_down: float = 0.2
    """What is made is made for somebody, not always for this one."""

    precedes_up: float = 0.25
    """The step before is often done already."""

    precedes_down: float = 0.25
    """The next step is often another task."""

    routes_to_up: float = 0.1
    """Who does the job needs no dispatcher."""

    routes_to_down: float = 0.25
    """A dispatcher hands over to one of several."""

    verifies_up: float = 0.2
    """A check needs something to check, which is often there."""

    verifies_down: float = 0.4
    """What is made should be checked."""

    specializes_up: float = 0.3
    """The general skill holds what the special one leaves out."""

    specializes_down: float = 0.1
    """One of several special cases."""

    supersedes_up: float = 0.0
    """Nobody needs what was replaced."""

    supersedes_down: float = 0.6
    """Who found the old one wants the new one."""

    complements: float = 0.15
    """Used together, at times."""

    alternative_to: float = 0.05
    """Either does the job: needed only if the match was the wrong one."""

    similar_to: float = 0.05
    """The ranker has seen these already: its own neighbours add little."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RewriteSettings:
    """When a query is rewritten, and how long a person who searches waits for a model."""

    long_characters: int = 400
    """Shorter queries stay as they are: one window of the dense channel holds them whole."""

    cjk_share: float = 0.2
    """Tasks with more Chinese, Japanese or Korean letters stay as they are: the rules read English."""

    shown_characters: int = 12_000
    """Characters of a task that a model is shown; the longest public one has 10,473."""

    timeout_seconds: float = 30.0
    """A guess: someone is waiting for the answer."""

    max_attempts: int = 2
    """Tries per call while the provider is busy or unreachable; then the rules do it."""

    max_wait_seconds: float = 5.0
    """Longest wait between the two tries."""

    unserved_calls: int = 2
    """Calls in a row that nobody served, after which a run of many queries asks no more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpSettings:
    """What the HTTP gateway takes from one client, and how long it waits."""

    max_body_bytes: int = 65_536
    """Six times the longest public task, lists of skill ids included."""

    max_query_bytes: int = 16_384
    """Bytes of the address after ``?``; longer tasks go into the body of a POST."""

    rate_per_second: float = 20.0
    """Requests per second for each token or, without one, address: what a library answers on two cores."""

    burst: int = 40
    """Requests that may come at once after a pause: an agent that looks into every skill of a bundle."""

    max_concurrent: int = 8
    """Requests under way. A library answers one at a time, so that the last of them waits for seven."""

    timeout_seconds: float = 10.0
    """Until an answer is given up: forty times what the slow ones take."""

    body_timeout_seconds: float = 5.0
    """Until the whole body has to be there: who sends it a byte a second holds a place for no longer."""

    drain_seconds: int = 10
    """After SIGTERM, until requests under way are cut off: no less than ``timeout_seconds``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EvalSettings:
    """How experiments count and resample."""

    seed: int = 0
    """Of everything that is drawn: the same inputs give the same report."""

    draws: int = 10_000
    """Bootstrap and randomisation draws: the ends of an interval then vary by less than 0.005."""

    level: float = 0.95
    """Coverage of intervals."""

    top_k: int = 8
    """Cutoff of recall and completeness, and most skills of an arm: as many as the published comparison."""

    budget: int = 8_000
    """Tokens of a bundle, as `quiver bundle` has it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentSettings:
    """What the arms of an agent benchmark give, and how an agent is driven through a game."""

    budget: int = 8_000
    """Tokens of skills that the vector and the Skillquiver arm may give: that of `quiver bundle`."""

    max_skills: int = 8
    """Most skills of these two arms: as many as the published comparison."""

    all_skills: int = 200
    """Most skills of the arm that gives everything: hosts cut their listings long before."""

    all_tokens: int = 100_000
    """Most tokens of the same where it is given as text: half of a context window of 200,000."""

    max_steps: int = 50
    """Commands an agent may give in one game, as in the published runs of household games."""

    answer_tokens: int = 300
    """Room for one command with a short reason; models that think get `LlmSettings.thinking_tokens` more."""

    observation_chars: int = 2_000
    """Characters of an observation that an agent is shown: games of one's own may print books."""

    say_order: bool = False
    """Whether instructions name the skills in order: off, arms differ by their skills alone."""
