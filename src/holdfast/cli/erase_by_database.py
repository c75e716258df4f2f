"""Erasing with access to the database, while no service runs."""

import asyncio
from dataclasses import asdict
from typing import Any

from holdfast.cli.admin import caller_of
from holdfast.cli.reach import reach_database
from holdfast.deployment import config_of, open_deployment
from holdfast.erasure import service
from holdfast.erasure.model import Receipt
from holdfast.erasure.verify import verify as verify_receipt
from holdfast.settings import read_settings


def erase(org: str | None, user_id: str, *, everything: bool) -> dict[str, Any]:
    """The receipt."""
    settings, caller = read_settings(), caller_of(org)

    async def run(app_url: str, owner_url: str) -> Receipt:
        async with open_deployment(config_of(settings, app_url)) as deployment:
            erasing = service.Erasing(
                deployment.conversations, deployment.assets, lambda: owner_url
            )
            await service.must_reach_redis(erasing, caller)
            receipt = await service.erase(erasing, caller, user_id, everything=everything)
            return await service.complete(erasing, caller, receipt)

    with reach_database(settings) as urls:
        return asdict(asyncio.run(run(urls.app, urls.owner)))


def verify(org: str | None, receipt_id: str) -> dict[str, Any]:
    """What a check of a receipt finds."""
    settings, caller = read_settings(), caller_of(org)

    async def run(app_url: str) -> Any:
        async with open_deployment(config_of(settings, app_url)) as deployment:
            receipt = await service.open_receipt(deployment.db, caller, receipt_id)
            return await verify_receipt(deployment.db, caller, receipt)

    with reach_database(settings) as urls:
        return asdict(asyncio.run(run(urls.app)))
