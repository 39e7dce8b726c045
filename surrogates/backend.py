"""The one place where TensorFlow is imported: late, because it costs seconds, and quietly."""

from __future__ import annotations

import logging
import os
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any


def tensorflow() -> Any:
    """The tensorflow module, loaded on first use."""
    if "tensorflow" not in sys.modules:
        with _native_greetings_held():
            import tensorflow as tf

            tf.zeros([])  # looks for devices, and talks about it
            tf.get_logger().addFilter(_advice_for_others)
    import tensorflow as tf

    return tf


def tensorflow_probability() -> Any:
    """The tensorflow_probability module, loaded on first use."""
    tensorflow()
    import tensorflow_probability as tfp

    return tfp


def repeated(times: Any, body: Callable[..., Sequence[Any]], *state: Any) -> Sequence[Any]:
    """Within a compiled function: `body(step, *state)`, which gives the next state, so many times; the last state.

    A `for` would do the same by way of AutoGraph, which rewrites programs and does not do so in every Python (3.13).
    """
    tf = tensorflow()
    begun = (tf.constant(0), *state)
    ended = tf.while_loop(
        lambda step, *_: step < times,
        lambda step, *now: (step + 1, *body(step, *now)),
        begun,
        parallel_iterations=1,  # each step rests on the one before
    )
    return tuple(ended[1:])


def _advice_for_others(record: logging.LogRecord) -> bool:
    """Hold back what no caller of ours can act on.

    Each network is traced once and kept; a process that makes several is told of a loop that is not there. And
    tensorflow-probability 0.25 tells of its own variational process that it calls its parent with `jitter` (2026-11).
    """
    said = record.getMessage()
    return "triggered tf.function retracing" not in said and "calling GaussianProcess.__init__" not in said


@contextmanager
def _native_greetings_held() -> Iterator[None]:
    """Hold what native code writes to stderr while loading; it is shown only if loading fails.

    TensorFlow's "oneDNN is on" and "no GPU" lines come before its log level is read, so no setting silences them.
    """
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    # Off by itself on some processors, where LeNet then takes twice as long.
    os.environ.setdefault("TF_ENABLE_ONEDNN_OPTS", "1")
    sys.stderr.flush()
    with tempfile.TemporaryFile() as held:
        real = os.dup(2)
        os.dup2(held.fileno(), 2)
        try:
            yield
        except BaseException:
            os.dup2(real, 2)
            held.seek(0)
            sys.stderr.write(held.read().decode(errors="replace"))
            raise
        finally:
            os.dup2(real, 2)
            os.close(real)
