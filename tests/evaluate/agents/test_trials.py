from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from skillquiver.errors import UsageError
from skillquiver.evaluate.agents.trials import Trial, read_jobs, read_trial
from skillquiver.serve.cli import main


def result(task: str = "warm", arm: str = "vector", reward: Any = 1.0, **fields: Any) -> dict[str, Any]:
    """A ``result.json`` as version 0.26 of the runner writes it, without what is not read."""
    path = f"/data/out/{arm}/{task}"
    return {
        "schema_version": 1,
        "task_name": f"quiver/{task}",
        "trial_name": f"{task}__aB3dE5f",
        "task_id": {"path": path},
        "source": arm,
        "config": {"task": {"path": path, "source": arm}, "trial_name": f"{task}__aB3dE5f"},
        "agent_info": {"name": "claude-code", "version": "1", "model_info": {"name": "m1", "provider": "p"}},
        "agent_result": {"n_input_tokens": 1200, "n_output_tokens": 80, "cost_usd": 0.5},
        "verifier_result": {"rewards": {"reward": reward}},
        "exception_info": None,
        "reward_valid": True,
        "started_at": "2026-11-01T10:00:00Z",
        "finished_at": "2026-11-01T10:05:00Z",
        "agent_execution": {
            "started_at": "2026-11-01T10:01:00.500000Z",
            "finished_at": "2026-11-01T10:02:00.750000Z",
        },
        **fields,
    }


def write_trial(job: Path, name: str, row: Any) -> Path:
    """A trial's folder; ``row`` may be a damaged file's text, or ``None`` for a trial that never ended."""
    folder = job / name
    (folder / "agent").mkdir(parents=True)
    if row is not None:
        text = row if isinstance(row, str) else json.dumps(row)
        (folder / "result.json").write_text(text, encoding="utf-8")
    return folder


def _write_config(folder: Path, **values: Any) -> None:
    (folder / "config.json").write_text(json.dumps(values), encoding="utf-8")


# --- one trial ---------------------------------------------------------------------------------------


def test_a_result_says_task_arm_agent_reward_and_cost() -> None:
    assert read_trial(result(), place="here") == Trial(
        task="warm",
        arm="vector",
        agent="claude-code m1",
        reward=1.0,
        input_tokens=1200,
        output_tokens=80,
        cost=0.5,
        seconds=60.25,
        place="here",
    )


def test_an_arm_that_is_told_counts_more_than_the_folder() -> None:
    assert read_trial(result(arm="x"), arm="skillquiver").arm == "skillquiver"


def test_without_a_source_the_arm_is_the_folder_of_the_pack() -> None:
    row = result(source=None, config={"task": {"path": "C:\\out\\vector\\warm"}}, task_id={})
    assert (read_trial(row).arm, read_trial(row).task) == ("vector", "warm")


def test_a_packaged_task_goes_by_the_last_part_of_its_name() -> None:
    row = result(task_id={"org": "quiver", "name": "warm"}, config={})
    assert read_trial(row).task == "warm"


def test_steps_are_added_up_where_the_trial_has_no_totals() -> None:
    steps = [
        {"agent_result": {"n_input_tokens": 10, "n_output_tokens": 1}},
        {"agent_result": {"n_input_tokens": 5, "n_output_tokens": None}},
        {"agent_result": None},
    ]
    trial = read_trial(result(agent_result=None, step_results=steps))
    assert (trial.input_tokens, trial.output_tokens, trial.cost) == (15, 1, None)


def test_without_the_agents_time_that_of_the_trial_counts() -> None:
    assert read_trial(result(agent_execution=None)).seconds == 300.0
    assert read_trial(result(agent_execution=None, finished_at="soon")).seconds is None


@pytest.mark.parametrize(
    ("fields", "error"),
    [
        ({"verifier_result": None}, "no reward"),
        ({"verifier_result": {"rewards": {}}}, "no reward"),
        ({"verifier_result": {"rewards": [1]}}, "no reward"),
        ({"reward_valid": False}, "no reward"),
        ({"reward_valid": False, "exception_info": {"exception_type": "ApiError"}}, "ApiError"),
        (
            {"verifier_result": None, "step_results": [{"exception_info": {"exception_type": "StepError"}}]},
            "StepError",
        ),
        ({"verifier_result": {"rewards": {"reward": "1"}}}, "the reward is no number"),
        ({"verifier_result": {"rewards": {"reward": True}}}, "the reward is no number"),
        ({"verifier_result": {"rewards": {"reward": float("nan")}}}, "the reward is no number"),
        ({"verifier_result": {"rewards": {"b": 1, "a": 0}}}, "several rewards, none called reward: a, b"),
    ],
)
def test_a_trial_without_a_valid_reward_says_why(fields: dict[str, Any], error: str) -> None:
    trial = read_trial(result(**fields))
    assert (trial.reward, trial.error) == (None, error)


def test_an_exception_does_not_take_away_a_reward_that_the_runner_calls_valid() -> None:
    row = result(reward=0.0, exception_info={"exception_type": "AgentTimeoutError"})
    assert read_trial(row).reward == 0.0


def test_a_reward_by_another_name_counts_if_it_is_the_only_one_or_asked_for() -> None:
    assert read_trial(result(verifier_result={"rewards": {"score": 0.25}})).reward == 0.25
    two = result(verifier_result={"rewards": {"a": 0.25, "b": 0.5}})
    assert read_trial(two, reward="b").reward == 0.5


@pytest.mark.parametrize("row", [None, [], {}, {"task_name": 3}, "text"])
def test_values_that_are_no_trial_are_an_error_of_one(row: object) -> None:
    assert read_trial(row, place="/jobs/warm__x").error == "not a trial"


def test_names_in_results_cannot_break_a_line_or_fill_a_page() -> None:
    trial = read_trial(result(task="a\nb\x1b[2J" + "x" * 500, source="v\u202eec\n"))
    assert "\n" not in trial.task + trial.arm
    assert "\x1b" not in trial.task
    assert len(trial.task) <= 120


# --- folders -----------------------------------------------------------------------------------------


def _jobs(tmp_path: Path) -> Path:
    jobs = tmp_path / "jobs"
    for arm, reward in (("vector", 0.0), ("skillquiver", 1.0)):
        job = jobs / f"2026-{arm}"
        write_trial(job, "warm__1", result(arm=arm, reward=reward))
        write_trial(job, "cool__1", result(task="cool", arm=arm, reward=1.0))
        _write_config(job, job_name=job.name)
        (job / "result.json").write_text(json.dumps({"n_total_trials": 2, "stats": {}}), encoding="utf-8")
    return jobs


def test_trials_are_found_in_a_folder_of_jobs_in_a_job_and_alone(tmp_path: Path) -> None:
    jobs = _jobs(tmp_path)
    assert len(read_jobs(jobs).trials) == 4
    assert [t.task for t in read_jobs(jobs / "2026-vector").trials] == ["cool", "warm"]
    (trial,) = read_jobs(jobs / "2026-vector" / "warm__1").trials
    assert (trial.task, trial.reward) == ("warm", 0.0)
    assert read_jobs(jobs).notes == ()


def test_trials_that_broke_off_or_are_damaged_are_kept_with_their_arm(tmp_path: Path) -> None:
    job = tmp_path / "job"
    write_trial(job, "fine__1", result(task="fine"))
    for name, row in (("cut__1", '{"task_name": "quiver/cut", '), ("never__1", None), ("other__1", "[1]")):
        folder = write_trial(job, name, row)
        path = f"/out/vector/{name.removesuffix('__1')}"
        _write_config(folder, trial_name=name, task={"path": path}, agent={"name": "claude-code"})
    write_trial(job, "bare__1", "[")
    trials = {trial.task: (trial.arm, trial.error) for trial in read_jobs(job).trials}
    assert trials == {
        "fine": ("vector", ""),
        "cut": ("vector", "result.json is not JSON"),
        "never": ("vector", "no result.json: never finished"),
        "other": ("vector", "result.json is not of a trial"),
        "bare": ("", "result.json is not JSON"),
    }


def test_trials_of_a_job_that_never_started_are_told_of(tmp_path: Path) -> None:
    jobs = _jobs(tmp_path)
    (jobs / "2026-vector" / "result.json").write_text('{"n_total_trials": 5}', encoding="utf-8")
    (note,) = read_jobs(jobs).notes
    assert "2026-vector: 3 of 5 trials never started" in note


def test_a_result_beyond_all_measure_is_not_read(tmp_path: Path) -> None:
    folder = write_trial(tmp_path, "warm__1", None)
    with (folder / "result.json").open("wb") as file:
        file.truncate(257 * 2**20)  # sparse: it takes no room
    (trial,) = read_jobs(tmp_path).trials
    assert (trial.task, trial.error) == ("warm", "result.json is over 256 MB")


def test_a_folder_without_trials_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="holds no trial"):
        read_jobs(tmp_path)
    with pytest.raises(UsageError, match="cannot read"):
        read_jobs(tmp_path / "gone")


# --- the command -------------------------------------------------------------------------------------


def _run(*words: str) -> Result:
    answer = CliRunner().invoke(main, ["eval", "import", "harbor", *words], prog_name="quiver")
    assert answer.exception is None or isinstance(answer.exception, SystemExit), answer.exception
    return answer


def test_the_command_gives_a_section_with_a_value_for_every_task(tmp_path: Path) -> None:
    jobs = _jobs(tmp_path)
    section = json.loads(_run(str(jobs), str(jobs / "2026-vector"), "--json").stdout)
    assert section["name"] == "agents"
    assert section["samples"]["vector, reward"] == {"cool": 1.0, "warm": 0.0}
    assert section["samples"]["skillquiver, solved"] == {"cool": 1.0, "warm": 1.0}
    assert section["tables"][0]["rows"][0][:4] == ["skillquiver", 2, 2, 0]
    assert section["command"] == f"quiver eval import harbor {jobs} {jobs / '2026-vector'}"


def test_the_command_takes_the_arm_of_a_folder_from_the_command_line(tmp_path: Path) -> None:
    jobs = _jobs(tmp_path)
    words = [f"before={jobs / '2026-vector'}", f"after={jobs / '2026-skillquiver'}"]
    text = _run(*words).stdout
    assert "| after − before | 2 |" in text
    assert "2 tasks in common are too few for a claim" in text


def test_the_command_refuses_what_is_no_folder(tmp_path: Path) -> None:
    answer = _run(f"vector={tmp_path / 'gone'}")
    assert (answer.exit_code, "no such folder" in answer.stderr) == (2, True)


@pytest.mark.parametrize("value", [10**400, 1e308, -1e308])
def test_a_number_that_no_mean_can_hold_is_none(value: float) -> None:
    trial = read_trial(
        result(reward=value, agent_result={"n_input_tokens": value, "n_output_tokens": 1, "cost_usd": value})
    )
    assert (trial.reward, trial.error) == (None, "the reward is no number")
    assert (trial.input_tokens, trial.output_tokens, trial.cost) == (None, 1, None)
