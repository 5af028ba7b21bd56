# SPDX-License-Identifier: Apache-2.0
"""Subscriptions of rclpy whose callbacks get views."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

from rclpy.event_handler import SubscriptionEventCallbacks
from rclpy.impl.implementation_singleton import rclpy_implementation
from rclpy.qos import QoSProfile
from rclpy.subscription import Subscription
from rclpy.type_support import check_is_valid_msg_type

from ligament.views.errors import ViewError
from ligament.views.fields import Fields, Memory, read_fields
from ligament.views.middleware import Middleware, ViewStruct, middleware


class View(Fields):
    """A message that came. It is in use until it and all arrays of it are gone or released."""

    __slots__ = ()

    def release(self) -> None:
        """Ends the view. Arrays that were made of it stay valid, and keep the message in use."""
        self._memory.end("the view was released")

    def __enter__(self) -> Any:
        return self

    def __exit__(self, *_: object) -> None:
        View.release(self)  # not the field that a type may have of this name


class Sample:
    """Keeps a sample of the pool as long as an array lies in it."""

    def __init__(self, functions: Middleware, view: ViewStruct) -> None:
        self._view, self._release = view, functions.release

    @property
    def __array_interface__(self) -> dict[str, Any]:
        place = (self._view.data, True)  # read-only, as it is mapped
        return {"version": 3, "typestr": "|u1", "shape": (self._view.size,), "data": place}

    def __del__(self) -> None:
        self._release(self._view)


class _Handle(rclpy_implementation.Subscription):  # type: ignore[misc]
    """What an executor asks for messages: `take_message` is all that differs from rclpy's."""

    def prepare(self, functions: Middleware, topic: str) -> None:
        """After it was made."""
        self._functions, self._topic = functions, topic
        self._rmw = functions.subscription(self)

    def take_message(self, message_type: Any, raw: bool) -> Any:
        """A view, or the error that there is instead, for the callback.

        An error here would leave the executor with a subscription that it never asks again.
        """
        try:
            taken = self._functions.take(self._rmw, self._topic)
        except ViewError as error:
            return error, {}
        if taken is None:
            return None
        info = {
            "source_timestamp": taken.source_timestamp,
            "received_timestamp": taken.received_timestamp,
            "publication_sequence_number": taken.publication_sequence_number,
            "reception_sequence_number": None,
        }
        memory = Memory(Sample(self._functions, taken), is_writable=False)
        try:
            return read_fields(message_type, View, memory), info
        except ViewError as error:
            error.args = (f"'{self._topic}': {error}",)
            return error.with_traceback(None), info


def _raising(callback: Callable[..., Any]) -> Callable[..., Any]:
    """The callback, but for errors, which are raised where it would have run."""

    def check(message: Any) -> None:
        if isinstance(message, ViewError):
            raise message

    if inspect.iscoroutinefunction(callback):

        @functools.wraps(callback)
        async def run_async(message: Any, *info: Any) -> Any:
            check(message)
            return await callback(message, *info)

        return run_async

    @functools.wraps(callback)
    def run(message: Any, *info: Any) -> Any:
        check(message)
        return callback(message, *info)

    return run


def _make_handle(node: Any, message_type: Any, topic: str, qos: QoSProfile) -> _Handle:
    words = (node.handle, message_type, topic, qos.get_c_qos_profile())
    with node.handle:
        try:
            return _Handle(*words)
        except TypeError:
            return _Handle(*words, None)  # since Kilted, with options of a content filter


def subscribe(
    node: Any,
    message_type: Any,
    topic: str,
    callback: Callable[..., Any],
    qos: QoSProfile | int = 10,
    *,
    callback_group: Any = None,
    event_callbacks: Any = None,
) -> Any:
    """`node.create_subscription`, but the callback gets a `View`.

    Errors (`TooManyViewsError`, `MalformedMessageError`) are raised from the executor's spin, as
    what the callback raises is. No message is lost by the first: it comes once there is room.
    """
    functions = middleware()
    profile = qos if isinstance(qos, QoSProfile) else QoSProfile(depth=qos)
    if hasattr(node, "ligament_qos"):  # in a graph, whose word is stronger
        profile = node.ligament_qos(topic, profile, publishes=False)
    group = callback_group or node.default_callback_group
    check_is_valid_msg_type(message_type)
    handle = _make_handle(node, message_type, topic, profile)
    try:
        handle.prepare(functions, topic)
        events = event_callbacks or SubscriptionEventCallbacks()
        subscription = Subscription(
            handle, message_type, topic, _raising(callback), group, profile, False, events
        )
    except Exception:
        handle.destroy_when_not_in_use()
        raise
    # As Node.create_subscription goes on; there is no other way to add one that was made outside.
    group.add_entity(subscription)
    node._subscriptions.append(subscription)
    node._wake_executor()
    for event_handler in subscription.event_handlers:
        node.add_waitable(event_handler)
    return subscription
