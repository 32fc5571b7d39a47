from __future__ import annotations

import pytest

from skillquiver.serve.hook.gate import is_request, slash_command, words_of


@pytest.mark.parametrize(
    "prompt",
    [
        *("", "   ", "\n\t", "?", "...", "👍", "42"),
        *("/deploy staging", "/pdf", "  /plugin:review all of it", "/clear\nand more words about deploying"),
        *("yes", "Yes.", "yes please", "y", "ok", "OK, go ahead", "continue", "Continue please!", "go on"),
        *(
            "looks good to me, thanks",
            "do it",
            "sounds good, proceed",
            "no, stop",
            "thank you so much",
            "LGTM",
        ),
        *("ja", "Ja, bitte mach weiter", "weiter", "oui, continue", "d'accord, vas-y", "sí, por favor"),
        *("sim, pode continuar", "va bene, procedi", "да, продолжай", "tak, dalej", "evet, devam et"),
        *("继续", "好的，请继续", "是的", "はい、続けてください", "お願いします", "네, 계속해주세요", "नहीं"),
        "<task-notification><task-id>b1</task-id><status>completed</status></task-notification>",
        "<system-reminder>\nConvert all csv files to parquet.\n</system-reminder>",
        "<system-reminder>note</system-reminder>\n<local-command-stdout>done</local-command-stdout>",
        "<teammate-message from='x'>Convert all csv files to parquet",
        "<ping/>",
        "[SYSTEM NOTIFICATION - NOT USER INPUT]\nThe background task has finished converting csv files.",
        "[Request interrupted by user]",
        "[Scheduled] convert the csv files of last night",
        "Scheduled task: convert the csv files of last night",
        "Notification: the conversion of the csv files has finished",
        "Subagent result: converted all csv files into parquet",
        '{"type": "result", "summary": "converted all csv files"}',
        '[{"event": "done"}]',
    ],
)
def test_what_asks_for_nothing_is_no_request(prompt: str) -> None:
    assert is_request(prompt) is False


@pytest.mark.parametrize(
    "prompt",
    [
        "convert data.csv to parquet",
        "yes, and convert the csv file to parquet",
        "run tests",
        "ok, now deploy the service to staging",
        "/home/me/data.csv needs typed columns",
        "# Task: Add an audit log endpoint to the admin API\n\nAn event is written for each run.",
        "Task: convert the csv files",
        "Bug report: the export fails with an event loop error",
        "System prompt: write one for a travel agent",
        "[RFC] write a design document for the cache",
        "<system-reminder>note</system-reminder>\nconvert the csv file to parquet",
        "<div>hello</div> make this page responsive",
        "{ this is no JSON but a request for a parser }",
        "请把这个文件转换成 Parquet",
        "このファイルを変換してください",
        "이 파일을 변환해 주세요",
        "преобразуй этот файл в parquet",
        "baue mir bitte eine Präsentation",
    ],
)
def test_what_somebody_asks_for_is_a_request(prompt: str) -> None:
    assert is_request(prompt) is True


def test_the_name_of_a_command_stands_behind_its_slash() -> None:
    assert slash_command("/deploy staging") == "deploy"
    assert slash_command(" /plugin:review") == "plugin:review"
    assert [slash_command(text) for text in ("deploy", "/", "/ deploy", "/a/b", "/" + "x" * 300)] == [""] * 5


def test_elements_that_a_host_put_first_are_not_part_of_the_words() -> None:
    assert words_of("<system-reminder>be brief</system-reminder>\n\nfill in the form") == "fill in the form"


@pytest.mark.parametrize("text", ["<" * 20_000, "<a-b " * 5_000, "<a>" * 7_000, "[" * 20_000, "x:" * 10_000])
def test_text_made_to_be_slow_is_looked_at_once(text: str) -> None:
    """It ends: patterns that would try every pair of places take minutes for these."""
    assert is_request(text) in (True, False)
