from __future__ import annotations

import pytest

from skillquiver.skills.decode import decode

from .library import codes


def text_of(data: bytes) -> str | None:
    return decode(data, "x", max_bytes=1000).text


def test_a_byte_order_mark_is_dropped_without_a_finding() -> None:
    decoded = decode(b"\xef\xbb\xbf---\nname: x\n", "x", max_bytes=1000)
    assert (decoded.text, decoded.findings) == ("---\nname: x\n", ())


@pytest.mark.parametrize("codec", ["utf-16", "utf-16-le", "utf-16-be"])
def test_utf16_is_read_with_and_without_a_mark_and_reported(codec: str) -> None:
    decoded = decode("---\nname: é\n---\nHello there\n".encode(codec), "x", max_bytes=1000)
    assert decoded.text == "---\nname: é\n---\nHello there\n"
    assert codes(decoded.findings) == ["encoding-utf16"]


def test_every_kind_of_line_end_becomes_a_line_feed() -> None:
    assert text_of(b"a\r\nb\rc\nd") == "a\nb\nc\nd"


def test_bytes_that_are_not_utf8_are_replaced_with_a_finding_that_names_the_line() -> None:
    decoded = decode(b"# Title\nCaf\xe9 and much more text\n", "x", max_bytes=1000)
    assert decoded.text == "# Title\nCaf\ufffd and much more text\n"
    assert [(f.code, f.line) for f in decoded.findings] == [("encoding-invalid", 2)]


def test_a_file_above_the_bound_is_not_read() -> None:
    decoded = decode(b"a" * 1001, "x", max_bytes=1000)
    assert (decoded.text, codes(decoded.findings)) == (None, ["file-too-large"])


def test_data_that_is_no_text_is_reported() -> None:
    assert codes(decode(bytes(range(256)) * 3, "x", max_bytes=1000).findings)[-1] == "not-text"


@pytest.mark.parametrize("data", [b"", b"\n \t\r\n", b"\xef\xbb\xbf"])
def test_a_file_without_text_is_one_finding(data: bytes) -> None:
    assert codes(decode(data, "x", max_bytes=1000).findings) == ["file-empty"]
