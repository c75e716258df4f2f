"""The pages, a module for each part of the menu."""

from holdfast.console.routes import account, overview, sign_in

ROUTERS = (
    sign_in.open_router,
    sign_in.router,
    overview.router,
    account.router,
)
