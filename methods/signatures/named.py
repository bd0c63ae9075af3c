"""The field by which derived texts name the steps they rest on, and what it forgives."""

from typing import Any

from pydantic import RootModel, model_validator

NAMES = "labels of the steps it rests on, as they stand above the steps, such as e02/s017"


class Steps(RootModel[list[str]]):
    """Labels of steps."""

    # Whatever cannot be read names none: a lost link is no reason to lose what was derived.

    @model_validator(mode="before")
    @classmethod
    def _forgiving(cls, value: Any) -> Any:
        if isinstance(value, str):
            return [part for part in value.replace(";", ",").split(",") if part.strip()]
        if isinstance(value, list):
            return [str(one) for one in value if isinstance(one, str | int)]
        return []


NONE = Steps([])
