# SPDX-License-Identifier: Apache-2.0
"""What can go wrong with views and loans."""


class ViewError(RuntimeError):
    """Any of these errors."""


class WrongMiddlewareError(ViewError):
    """The process does not run on rmw_ligament_cpp."""


class MalformedMessageError(ViewError):
    """The bytes are no message of the type: their publisher is faulty."""


class UnsupportedMessageError(ViewError):
    """The type has a field, or the image an encoding, that cannot be shown."""


class MessageReleasedError(ViewError):
    """The view was released, or the loan published or given back."""


class TooManyViewsError(ViewError):
    """The subscription's earlier messages are still in use by views or arrays."""


class LoanError(ViewError):
    """No memory is lent, or what was lent is not published."""
