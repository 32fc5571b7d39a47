from __future__ import annotations

from skillquiver.skills.plugins import version_key


def test_versions_are_ordered_by_number_and_releases_stand_above_their_pre_releases() -> None:
    shuffled = ["v2", "1.10.0", "main", "1.9", "2.0.0-rc1", "1.9.1"]
    assert sorted(shuffled, key=version_key) == ["main", "1.9", "1.9.1", "1.10.0", "2.0.0-rc1", "v2"]
