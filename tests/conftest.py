"""What all tests share."""

import pytest
from hypothesis import settings

# How long an example takes depends on what else the machine does.
settings.register_profile("evoplay", deadline=None)
settings.load_profile("evoplay")


@pytest.fixture(autouse=True, scope="session")
def cache_of_its_own(tmp_path_factory):
    """Solved instances are kept in a folder of this test session, never in the user's."""
    patch = pytest.MonkeyPatch()
    patch.setenv("EVOPLAY_CACHE", str(tmp_path_factory.mktemp("cache")))
    yield
    patch.undo()
