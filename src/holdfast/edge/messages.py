"""Messages in a request body: a text (one user message), one message, or several. Their checks are in conversations/intake.py,
whose errors name the message; the models here only describe them in the OpenAPI document."""

from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field


class NewMessage(BaseModel):
    """A message. Fields that are not listed here are kept under `metadata.raw`."""

    model_config = ConfigDict(extra="allow")

    role: Literal["user", "assistant", "system", "tool"]
    content: str | None = Field(None, description="may be empty or left out with tool_calls")
    id: str | None = Field(None, min_length=1, max_length=128)
    type: str = Field("message", min_length=1, max_length=64)
    name: str | None = Field(None, min_length=1, max_length=256)
    tool_calls: list[dict[str, Any]] | None = None
    tool_call_id: str | None = Field(None, min_length=1, max_length=256)
    metadata: dict[str, Any] | None = None
    created_at: datetime | None = None


# The value stays what the request has: an object with any fields.
_Message = Annotated[
    dict[str, Any], BeforeValidator(lambda value: value, json_schema_input_type=NewMessage)
]
_Messages = Annotated[list[str | _Message], Field(json_schema_extra={"minItems": 1})]
Messages = str | _Message | _Messages
