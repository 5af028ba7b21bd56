# SPDX-License-Identifier: Apache-2.0
"""Messages that are written where their subscriptions will read them."""

from __future__ import annotations

import contextlib
from typing import Any

from ligament.views.encoding import plan_message
from ligament.views.fields import Fields, Memory, read_fields
from ligament.views.layout import ENCAPSULATION
from ligament.views.middleware import LoanStruct, Middleware, middleware


class Lent:
    """Keeps a loan, and the publisher whose memory it is, as long as an array lies in it."""

    def __init__(self, functions: Middleware, handle: Any, size: int, aligned_offset: int) -> None:
        self._functions, self._loan = functions, LoanStruct()
        self._stack = contextlib.ExitStack()
        self._stack.enter_context(handle)  # who destroys it now, does so when this goes
        self._rmw = functions.publisher(handle)
        self._loan = functions.borrow(self._rmw, size, aligned_offset)

    @property
    def __array_interface__(self) -> dict[str, Any]:
        place = (self._loan.data, False)
        return {"version": 3, "typestr": "|u1", "shape": (self._loan.size,), "data": place}

    def publish(self) -> None:
        """The loan ends, but arrays in it may still be read."""
        self._functions.publish(self._rmw, self._loan)

    def give_back(self) -> None:
        """Where it was not published."""
        self._functions.give_back(self._loan)

    def __del__(self) -> None:
        self.give_back()
        self._stack.close()


class Loan(Fields):
    """A message to be filled: single numbers and arrays of numbers may be written any time.

    Write no array of it after it was published: subscriptions read the same memory.
    """

    __slots__ = ("_lent",)
    _lent: Lent

    def publish(self) -> None:
        """Publish now; the end of the block then does nothing."""
        _ = self._memory.stored  # raises where it has ended
        self._memory.end("the loan was published")
        self._lent.publish()

    def release(self) -> None:
        """Give the memory back, unpublished."""
        if self._memory.is_open:
            self._memory.end("the loan was given back")
            self._lent.give_back()

    def __enter__(self) -> Any:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is not None:
            Loan.release(self)
        elif self._memory.is_open:
            Loan.publish(self)


def loan(publisher: Any, **fields: Any) -> Any:
    """A `Loan` of the publisher's type with these fields; those not given have their defaults.

    An array of numbers is given with its content or as a length; the caller then fills it. Strings
    and lists of messages are given here and stay as they are. A message within is given as message
    or as dict: `header={"frame_id": "camera"}`.
    """
    functions = middleware()
    plan = plan_message(publisher.msg_type, fields)
    offset = len(ENCAPSULATION)
    lent = Lent(functions, publisher.handle, offset + plan.size, offset + plan.chosen[0])
    memory = Memory(lent, is_writable=True)
    memory.stored[:offset] = list(ENCAPSULATION)
    plan.write(memory.stored[offset:])
    message = read_fields(publisher.msg_type, Loan, memory)
    message._lent = lent
    return message
