"""Marks of passes over servers that go on running."""

from specbench.runner.prompts import pass_marks


def test_arms_with_servers_of_their_own_have_equal_marks() -> None:
    urls = {"baseline": "http://a", "fast": "http://b"}
    assert pass_marks(urls) == {"baseline": "", "fast": ""}


def test_arms_that_share_a_server_are_told_apart_by_marks_of_one_length() -> None:
    urls = {"baseline": "http://a", "aa": "http://a", "fast": "http://b"}
    assert pass_marks(urls) == {"baseline": "a", "aa": "b", "fast": ""}


def test_launched_engines_need_no_marks() -> None:
    assert pass_marks({}) == {}
