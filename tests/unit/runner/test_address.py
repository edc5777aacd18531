"""The address of a server that somebody names."""

import pytest

from specbench.errors import InputError
from specbench.runner.address import check_url


@pytest.mark.parametrize(
    "url",
    [
        "http://127.0.0.1:8000",
        "https://engine.example/tenant/v1",
        "http://[::1]:8000",
        "http://localhost",
    ],
)
def test_an_address_with_a_path_is_fine(url: str) -> None:
    check_url(url)


@pytest.mark.parametrize(
    "url",
    [
        "",
        "localhost:8000",
        "http://",
        "http://h:99999",
        "http://h:x",
        "ftp://h",
        "http:h",
    ],
)
def test_what_is_no_address_is_bad_input(url: str) -> None:
    with pytest.raises(InputError, match="is not a URL"):
        check_url(url)


@pytest.mark.parametrize("url", ["http://h/?x=1", "http://h/v1#top", "http://h?"])
def test_a_query_would_swallow_the_paths_that_are_added(url: str) -> None:
    with pytest.raises(InputError, match="query or a fragment"):
        check_url(url)


@pytest.mark.parametrize("url", ["http://user@h:1", "http://user:pass@h:1"])
def test_credentials_are_refused_and_not_shown(url: str) -> None:
    with pytest.raises(InputError) as caught:
        check_url(url)
    assert "pass" not in caught.value.message.replace("password", "")
