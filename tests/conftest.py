"""What holds for all tests: how hypothesis runs, and which tests need a program that may lack."""

from __future__ import annotations

import os
import shutil

import pytest
from hypothesis import settings

# Time says nothing on a busy machine; and a build server must not fail on what it drew today.
settings.register_profile("here", deadline=None)
settings.register_profile("ci", deadline=None, derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") else "here")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    if shutil.which("trec_eval") is not None:
        return
    for item in items:
        if item.get_closest_marker("oracle") is not None:
            item.add_marker(pytest.mark.skip(reason="no trec_eval on PATH"))
