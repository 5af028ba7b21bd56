# SPDX-License-Identifier: Apache-2.0
"""Messages of rclpy nodes where they lie in shared memory, as NumPy arrays: nothing is copied.

For nodes that run on rmw_ligament_cpp. Needs nothing but the standard library, NumPy and rclpy.

    from ligament import views

    def look(image):                            # a view: fields as the message has them
        print(image.header.frame_id, image.array().mean())

    views.subscribe(node, Image, "image", look)

    with views.loan(publisher, data=480 * 640 * 3, encoding="rgb8") as image:
        image.height, image.width, image.step = 480, 640, 640 * 3
        image.array()[...] = frame              # published when the block ends
"""

from ligament.views.errors import (
    LoanError,
    MalformedMessageError,
    MessageReleasedError,
    TooManyViewsError,
    UnsupportedMessageError,
    ViewError,
    WrongMiddlewareError,
)
from ligament.views.loans import Loan, loan
from ligament.views.subscriptions import View, subscribe

__all__ = [
    "Loan",
    "LoanError",
    "MalformedMessageError",
    "MessageReleasedError",
    "TooManyViewsError",
    "UnsupportedMessageError",
    "View",
    "ViewError",
    "WrongMiddlewareError",
    "loan",
    "subscribe",
]
