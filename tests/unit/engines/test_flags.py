"""A sweep's `args` as command-line flags."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from specbench.engines.flags import flag_name, flags, named_args, refuse_reserved
from specbench.errors import InputError
from specbench.schema.sweep import Scalar


@pytest.mark.parametrize(
    ("key", "name"),
    [
        ("max_model_len", "max-model-len"),
        ("max-model-len", "max-model-len"),
        ("--max-model_len", "max-model-len"),
        ("compilation_config.cudagraph_mode", "compilation-config.cudagraph_mode"),
    ],
)
def test_spellings_of_a_flag_are_one_flag(key: str, name: str) -> None:
    assert flag_name(key) == name


def test_values_become_flags() -> None:
    args: dict[str, Scalar] = {
        "enforce_eager": True,
        "enable-chunked-prefill": False,
        "max-model-len": 4096,
        "gpu_memory_utilization": 0.9,
        "dtype": "bfloat16",
    }
    assert flags(named_args(args)) == (
        *("--dtype", "bfloat16"),
        "--no-enable-chunked-prefill",
        "--enforce-eager",
        *("--gpu-memory-utilization", "0.9"),
        *("--max-model-len", "4096"),
    )


@pytest.mark.parametrize("value", [-1, -0.5, "-O3"])
def test_value_that_begins_with_a_dash_is_tied_to_its_flag(value: Scalar) -> None:
    assert flags({"x": value}) == (f"--x={value}",)


ARGS = st.dictionaries(
    st.from_regex(r"[a-z]{1,4}(-[a-z]{1,4})?", fullmatch=True),
    st.booleans() | st.integers() | st.text(max_size=5),
)


@given(ARGS, st.data())
def test_order_of_the_file_does_not_matter(
    args: dict[str, Scalar], data: st.DataObject
) -> None:
    shuffled = dict(data.draw(st.permutations(list(args.items()))))
    assert flags(named_args(shuffled)) == flags(named_args(args))


def test_flag_given_twice_is_an_error_naming_both_keys() -> None:
    with pytest.raises(InputError) as error:
        named_args({"max-model-len": 1, "max_model_len": 2})
    assert "target.args.max_model_len" in error.value.message
    assert "target.args.max-model-len" in error.value.message


@pytest.mark.parametrize(
    "key", ["port", "served_model_name", "served-model", "no-served-model-name", "po"]
)
def test_reserved_flag_is_refused_by_the_key_that_was_written(key: str) -> None:
    reserved = {"port": "use target.port", "served-model-name": "no"}
    with pytest.raises(InputError) as error:
        refuse_reserved([key], reserved)
    assert f"target.args.{key} " in error.value.message
    assert error.value.hint in reserved.values()


@pytest.mark.parametrize("key", ["port-range", "report", "no", "dtype"])
def test_other_flags_pass(key: str) -> None:
    refuse_reserved([key], {"port": "use target.port"})


def test_fields_of_a_reserved_flag_are_refused() -> None:
    with pytest.raises(InputError, match=r"target\.args\.speculative_config\.method"):
        refuse_reserved(["speculative_config.method"], {"speculative-config": "no"})
