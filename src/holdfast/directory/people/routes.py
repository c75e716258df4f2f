"""Users over HTTP, for administrators."""

from typing import Annotated

from fastapi import APIRouter, Response
from pydantic import Field

from holdfast.directory.model import Role, User
from holdfast.directory.people import service
from holdfast.directory.users import EMAIL_FORM
from holdfast.edge.preconditions import IfMatch, set_etag
from holdfast.edge.route import ApiRoute, TheCaller, TheDatabase
from holdfast.edge.wire import Body
from holdfast.kernel.ids import ClientId

router = APIRouter(route_class=ApiRoute, tags=["directory"])

MAX_EMAIL_CHARS = 320

Email = Annotated[str, Field(max_length=MAX_EMAIL_CHARS, pattern=f"^{EMAIL_FORM}$")]


class UserCreate(Body):
    """A user to register."""

    user_id: ClientId = Field(examples=["rosa"])
    email: Email | None = Field(None, examples=["rosa@example.com"])
    role: Role = Field("member", examples=["member"])


class UserChange(Body):
    """What to change about a user; what is left out stays, and null takes the e-mail address away."""

    email: Email | None = None
    role: Role | None = Field(None, examples=["member"])


@router.post("/users", operation_id="directory.create_user", status_code=201)
async def post_user(
    body: UserCreate, response: Response, caller: TheCaller, db: TheDatabase
) -> User:
    """Register a user (service key or owner); 409 where the id or the e-mail address is taken."""
    user = await service.create_user(db, caller, body.user_id, email=body.email, role=body.role)
    set_etag(response, user.version)
    return user


@router.patch("/users/{user_id}", operation_id="directory.change_user")
async def patch_user(
    user_id: str,
    body: UserChange,
    if_match: IfMatch,
    response: Response,
    caller: TheCaller,
    db: TheDatabase,
) -> User:
    """Change a user's e-mail address or role (service key or owner); 409 for the last owner."""
    user = await service.change_user(
        db,
        caller,
        user_id,
        email=body.email,
        sets_email="email" in body.model_fields_set,
        role=body.role,
        if_match=if_match,
    )
    set_etag(response, user.version)
    return user


@router.delete("/users/{user_id}", operation_id="directory.delete_user", status_code=204)
async def delete_user(user_id: str, if_match: IfMatch, caller: TheCaller, db: TheDatabase) -> None:
    """Delete a user with their keys and sessions (service key or owner); their memory stays until they are erased."""
    await service.delete_user(db, caller, user_id, if_match=if_match)
