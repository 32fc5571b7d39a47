"""The contract of an encoder. Subclass ``EncoderContract``, give it a fixture ``encoder``, and run pytest."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from skillquiver.types import Encoder

TEXTS = (
    "Fill in a PDF form.",
    "",
    "x",
    "Cut a video at its silences, then join what is left. " * 40,
    "将 CSV 转换为 Parquet 的技能",
    "a\x00b \U0001f600 \u202e",
)


class EncoderContract:
    def test_it_satisfies_the_protocol(self, encoder: Encoder) -> None:
        assert isinstance(encoder, Encoder)
        assert encoder.name
        assert encoder.dimension > 0

    def test_rows_are_unit_vectors_of_float32_one_a_text(self, encoder: Encoder) -> None:
        rows = encoder.encode(TEXTS)
        assert rows.shape == (len(TEXTS), encoder.dimension)
        assert rows.dtype == np.float32
        np.testing.assert_allclose(np.linalg.norm(rows, axis=1), 1.0, atol=1e-4)

    def test_no_texts_give_no_rows(self, encoder: Encoder) -> None:
        assert encoder.encode([]).shape == (0, encoder.dimension)

    def test_rows_come_in_the_order_of_the_texts(self, encoder: Encoder) -> None:
        forward = encoder.encode(TEXTS)
        backward = encoder.encode(TEXTS[::-1])
        assert (np.einsum("ij,ij->i", forward, backward[::-1]) > 0.995).all()

    def test_a_text_has_the_same_vector_alone_and_among_others(self, encoder: Encoder) -> None:
        together = encoder.encode(TEXTS)
        alone = np.concatenate([encoder.encode([text]) for text in TEXTS])
        assert (np.einsum("ij,ij->i", together, alone) > 0.995).all()

    def test_the_same_texts_give_the_same_bytes(self, encoder: Encoder) -> None:
        runs = [encoder.encode(TEXTS).tobytes() for _ in range(2)]
        assert all(one == other for one, other in pairwise(runs))

    def test_texts_with_words_in_common_are_nearer_than_texts_without(self, encoder: Encoder) -> None:
        cut, trim, soup = encoder.encode(["cut a long video", "cut a short video", "tomato soup recipe"])
        assert float(cut @ trim) > float(cut @ soup)
