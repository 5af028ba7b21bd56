# SPDX-License-Identifier: Apache-2.0
"""Message types: ROS 2 definitions in, type model, hashes, C++ headers and JSON tables out.

from ligament.messages import TypeStore, load_store

store = load_store("jazzy", package_dirs=[Path("my_msgs")])
store.message("sensor_msgs/msg/Image").fields
store.nearest("sensor_msgs/msg/Imaje")     # "sensor_msgs/msg/Image"
"""

from ligament.messages.errors import DefinitionError
from ligament.messages.hashing import type_hash
from ligament.messages.model import Action, Constant, Field, FieldType, Message, Service
from ligament.messages.store import TypeStore, load_store

__all__ = [
    "Action",
    "Constant",
    "DefinitionError",
    "Field",
    "FieldType",
    "Message",
    "Service",
    "TypeStore",
    "load_store",
    "type_hash",
]
