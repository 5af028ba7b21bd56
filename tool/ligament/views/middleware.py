# SPDX-License-Identifier: Apache-2.0
"""The C functions of rmw_ligament_cpp (its header views.h), called in this process."""

from __future__ import annotations

import contextlib
import ctypes
import functools
import os
from ctypes import POINTER, byref, c_bool, c_char, c_int64, c_size_t, c_uint8, c_uint64
from ctypes import c_void_p as pointer_t
from typing import Any

import rclpy

from ligament.views.errors import LoanError, TooManyViewsError, ViewError, WrongMiddlewareError

NAME = "rmw_ligament_cpp"
RET_OK, RET_TOO_MANY_VIEWS = 0, 2001


class ViewStruct(ctypes.Structure):
    """`rmw_ligament_view_t`."""

    _fields_ = (
        ("data", pointer_t),
        ("size", c_size_t),
        ("source_timestamp", c_int64),
        ("received_timestamp", c_int64),
        ("publication_sequence_number", c_uint64),
        ("publisher_gid", c_uint8 * 16),
        ("sample", pointer_t),
    )


class LoanStruct(ctypes.Structure):
    """`rmw_ligament_loan_t`."""

    _fields_ = (("data", pointer_t), ("size", c_size_t), ("loan", pointer_t))


class _ErrorText(ctypes.Structure):
    """`rcutils_error_string_t`."""

    _fields_ = (("text", c_char * 1024),)


def _loaded(name: str) -> ctypes.CDLL:
    """A library that this process has loaded already, alone or with all others."""
    with contextlib.suppress(OSError):
        return ctypes.CDLL(name, mode=os.RTLD_NOLOAD | os.RTLD_LAZY)
    return ctypes.CDLL(None)


class Middleware:
    """The functions, with errors as exceptions."""

    def __init__(self) -> None:
        rmw, rcl, rcutils = (_loaded(f"lib{name}.so") for name in (NAME, "rcl", "rcutils"))
        try:
            self._take = rmw.rmw_ligament_take_view
            self._release = rmw.rmw_ligament_release_view
            self._borrow = rmw.rmw_ligament_borrow_loan
            self._publish = rmw.rmw_ligament_publish_loan
            self._return = rmw.rmw_ligament_return_loan
        except AttributeError:
            raise WrongMiddlewareError(
                f"this {NAME} is older than ligament.views: rebuild it"
            ) from None
        self._take.argtypes = [pointer_t, POINTER(ViewStruct), POINTER(c_bool)]
        self._release.argtypes = [POINTER(ViewStruct)]
        self._borrow.argtypes = [pointer_t, c_size_t, c_size_t, POINTER(LoanStruct)]
        self._publish.argtypes = [pointer_t, POINTER(LoanStruct)]
        self._return.argtypes = [POINTER(LoanStruct)]
        self._release.restype = self._return.restype = None
        self._handles = [rcl.rcl_subscription_get_rmw_handle, rcl.rcl_publisher_get_rmw_handle]
        for get in self._handles:
            get.argtypes, get.restype = [pointer_t], pointer_t
        self._get_error = rcutils.rcutils_get_error_string
        self._reset_error = rcutils.rcutils_reset_error
        self._get_error.restype, self._reset_error.restype = _ErrorText, None
        self._get_error.argtypes = self._reset_error.argtypes = []

    def _error(self) -> str:
        text: bytes = self._get_error().text
        self._reset_error()
        return text.decode(errors="replace").rsplit(", at ", 1)[0]

    def subscription(self, handle: Any) -> int:
        """The rmw_subscription_t of rclpy's handle."""
        return self._checked(self._handles[0](handle.pointer))

    def publisher(self, handle: Any) -> int:
        """The rmw_publisher_t of rclpy's handle."""
        return self._checked(self._handles[1](handle.pointer))

    def _checked(self, pointer: int | None) -> int:
        if not pointer:
            raise ViewError(self._error())
        return pointer

    def take(self, subscription: int, topic: str) -> ViewStruct | None:
        """The next message; nothing where there is none."""
        view, taken = ViewStruct(), c_bool(False)
        code: int = self._take(subscription, byref(view), byref(taken))
        if code == RET_TOO_MANY_VIEWS:
            raise TooManyViewsError(
                f"'{topic}': {self._error()}. Arrays keep their message in use: copy what you "
                "keep, or release views when you have read them"
            )
        if code != RET_OK:
            raise ViewError(f"'{topic}': {self._error()}")
        return view if taken.value else None

    def release(self, view: ViewStruct) -> None:
        """Once no array lies in it any more."""
        self._release(byref(view))

    def borrow(self, publisher: int, size: int, aligned_offset: int) -> LoanStruct:
        """Memory for a message."""
        loan = LoanStruct()
        if self._borrow(publisher, size, aligned_offset, byref(loan)) != RET_OK:
            raise LoanError(self._error())
        return loan

    def publish(self, publisher: int, loan: LoanStruct) -> None:
        """And ends the loan."""
        if self._publish(publisher, byref(loan)) != RET_OK:
            raise LoanError(self._error())

    def give_back(self, loan: LoanStruct) -> None:
        """Where it was not published."""
        self._return(byref(loan))


@functools.cache
def middleware() -> Middleware:
    """Of this process; raises where it runs on another one."""
    name = rclpy.get_rmw_implementation_identifier()
    if name != NAME:
        raise WrongMiddlewareError(
            f"this process runs on {name}, but views need {NAME}: set RMW_IMPLEMENTATION={NAME} "
            f"in the environment before it starts (where ROS 2 is installed without a choice of "
            f"middleware: LD_PRELOAD=<prefix>/lib/lib{NAME}.so)"
        )
    return Middleware()
