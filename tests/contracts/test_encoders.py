from __future__ import annotations

import pytest

from skillquiver.testing import HashEncoder
from skillquiver.types import Encoder
from tests.contracts.encoders import EncoderContract


class TestMiniLM(EncoderContract):
    @pytest.fixture
    def encoder(self, minilm: Encoder) -> Encoder:
        return minilm


class TestHashEncoder(EncoderContract):
    @pytest.fixture
    def encoder(self) -> Encoder:
        return HashEncoder()
