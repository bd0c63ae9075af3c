"""Typed model calls: DSPy signatures over the trial's backbone.

Every call a method makes besides the actor's goes through here. A signature says what goes in and what must come out;
DSPy's chat format renders it, one `dspy.LM` carries it to the backbone as plain messages, and what comes back is read
into the fields' types. DSPy keeps nothing: no cache, no history, no retries of its own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from evoplay.methods.backbones.base import Completion, Message
from evoplay.methods.base import MethodError

if TYPE_CHECKING:
    from evoplay.methods.services import Services

_QUOTED_REPLY = 4000
"""Characters of an unreadable reply that are shown back to the model."""


class StructuredFailed(RuntimeError):
    """A structured call whose reply could not be read, not even after its repair.

    `purpose` is the call's, `problem` what was wrong with the last reply, `reply` the head of that reply.
    """

    def __init__(self, purpose: str, problem: str, reply: str) -> None:
        super().__init__(f"the reply to a '{purpose}' call could not be read, nor its repair: {problem}")
        self.purpose = purpose
        self.problem = problem
        self.reply = reply[:_QUOTED_REPLY]


class Structured:
    """Structured calls of one trial. Usable from several threads at once."""

    def __init__(self, services: Services) -> None:
        import dspy

        self._services = services
        self._lm = dspy.LM("evoplay/backbone", engine=Engine(services), cache=False, num_retries=0)

    def ask(
        self,
        signature: Any,
        *,
        purpose: str,
        step: int = 0,
        temperature: float | None = None,
        max_tokens: int | None = None,
        **inputs: Any,
    ) -> Any:
        """Call the model with a signature's inputs; its outputs as a `dspy.Prediction`.

        Parameters
        ----------
        signature : a `dspy.Signature` class or a string such as "transcript -> lessons: list[str]".
        purpose : the tag of the token ledger. step : the step it belongs to, 0 for the end or start of an episode.
        temperature, max_tokens : None for the backbone's own settings.
        inputs : values of all input fields. Text in them is data: field markers in it are defused.

        Raises
        ------
        StructuredFailed : the reply could not be read and its one repair neither. The method's state is its own to
            leave unchanged; the loop records the failure.
        CallFailed, LimitReached : from the backbone.
        MethodError : inputs that are not those of the signature.
        """
        import dspy

        from evoplay.methods.fields import FieldFormat, Unreadable

        signature = dspy.Signature(signature) if isinstance(signature, str) else signature
        _check_inputs(signature, inputs)
        form = FieldFormat()
        messages = form.messages(signature, inputs)
        reply = self._complete(messages, purpose, step, temperature, max_tokens)
        try:
            return dspy.Prediction(**form.read(signature, reply))
        except Unreadable as unreadable:
            messages += form.repair(signature, reply[:_QUOTED_REPLY], str(unreadable))
        reply = self._complete(messages, "repair", step, temperature, max_tokens)
        try:
            return dspy.Prediction(**form.read(signature, reply))
        except Unreadable as unreadable:
            raise StructuredFailed(purpose, str(unreadable), reply) from unreadable

    def _complete(
        self, messages: Sequence[Message], purpose: str, step: int, temperature: float | None, max_tokens: int | None
    ) -> str:
        import dspy
        from dspy import lm15
        from dspy.utils.exceptions import LMError

        system = "".join(message.content for message in messages if message.role == "system")
        request = lm15.Request(
            model=self._lm.model,
            system=system or None,
            messages=tuple(
                lm15.Message.assistant(message.content)
                if message.role == "assistant"
                else lm15.Message.user(message.content)
                for message in messages
                if message.role != "system"
            ),
            config=lm15.Config(
                temperature=temperature, max_tokens=max_tokens, extensions={"purpose": purpose, "step": step}
            ),
        )
        try:
            with dspy.context(disable_history=True, trace=None, send_stream=None):
                response = self._lm(request)
        except LMError as error:
            # DSPy wraps whatever an engine raises; the loop has to see the failure itself.
            failure = error.__cause__ or error
        else:
            return response.text or ""
        raise failure


class Engine:
    """DSPy's engine contract, `complete(Request) -> Response`, over a trial's backbone.

    Purpose and step travel in `request.config.extensions`; the seed is the trial's for (episode, step, purpose).
    """

    def __init__(self, services: Services) -> None:
        self._services = services

    def complete(self, request: Any) -> Any:
        """One request, one call of the backbone. Raises what the backbone raises."""
        from dspy import lm15

        services = self._services
        extensions: Mapping[str, Any] = request.config.extensions or {}
        purpose, step = str(extensions.get("purpose", "reflect")), int(extensions.get("step", 0))
        completion = services.backbone.complete(
            _messages(request),
            purpose=purpose,
            seed=services.seed_of(services.episode, step, purpose),
            temperature=request.config.temperature,
            max_tokens=request.config.max_tokens,
            where=f"{services.cell}/e{services.episode:02d}/s{step:03d} {purpose}",
        )
        return lm15.Response(
            id=None,
            model=completion.model or request.model,
            message=lm15.Message.assistant([lm15.TextPart(encodable(completion.text))]),
            finish_reason="stop",
            usage=_usage(completion),
        )

    def close(self) -> None:
        """Nothing to release: the backbone is the trial's."""


def encodable(text: str) -> str:
    """A text that can be sent: lone surrogates, which no wire carries, become question marks."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode(errors="replace").decode()
    return text


def _messages(request: Any) -> list[Message]:
    system = request.system
    if system is not None and not isinstance(system, str):
        system = "".join(part.text for part in system)
    # A signature's instructions are the same at every call.
    messages = [Message("system", system, len(system))] if system else []
    messages += [
        Message("assistant" if message.role == "assistant" else "user", message.text or "")
        for message in request.messages
    ]
    return messages


def _usage(completion: Completion) -> Any:
    from dspy import lm15

    usage = completion.usage
    return lm15.Usage(
        input_tokens=usage.input,
        output_tokens=usage.output,
        cache_read_tokens=usage.cached,
        cache_write_tokens=usage.cache_write,
        reasoning_tokens=usage.reasoning,
    )


def _check_inputs(signature: Any, inputs: Mapping[str, Any]) -> None:
    expected = list(signature.input_fields)
    if set(inputs) != set(expected):
        raise MethodError(
            f"the signature {signature.__name__} was given the inputs {', '.join(sorted(inputs)) or 'none'}: "
            f"give exactly {', '.join(expected)}"
        )
