"""Every setting, its default, what it means. Read once, in app.py, and handed on.

Order: flags of the command line, then `HOLDFAST_*` variables, then the TOML file, then the defaults here. Product numbers
(how long a block may be) are not settings: they stand in each face's model.py.
"""

import os
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal, Self

from platformdirs import user_config_path, user_data_path
from pydantic import Field, SecretStr, ValidationError, model_validator
from pydantic_settings import (
    BaseSettings,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
    TomlConfigSettingsSource,
)

from holdfast.setting_forms import (
    AssetsUrl,
    Duration,
    EmbedderName,
    HttpUrl,
    LogLevel,
    Networks,
    Origins,
    PostgresUrl,
    RedisUrl,
    Words,
)


def _config_file() -> Path:
    named = os.environ.get("HOLDFAST_CONFIG")
    return Path(named) if named else user_config_path("holdfast") / "holdfast.toml"


class Settings(BaseSettings):
    """The settings of one deployment."""

    model_config = SettingsConfigDict(env_prefix="HOLDFAST_", extra="ignore", env_ignore_empty=True)

    data_dir: Path = Field(
        default_factory=lambda: user_data_path("holdfast"),
        description="Where the embedded database and assets live.",
    )
    host: str = Field("127.0.0.1", description="The address to listen on.")
    port: int = Field(
        8321, ge=0, le=65535, description="The port to listen on; 0 takes a free one."
    )
    processes: int = Field(1, ge=1, le=64, description="How many API processes share the port.")
    worker: bool = Field(True, description="Run background jobs inside `serve`.")

    database_url: PostgresUrl | None = Field(
        None, description="A Postgres 15+ with pgvector; unset starts the embedded one."
    )
    migration_url: PostgresUrl | None = Field(
        None,
        description="The URL of the schema's owner, directly to Postgres, if database_url has another login or is a pooler.",
    )
    replica_url: PostgresUrl | None = Field(
        None,
        description="A streaming replica of database_url, which recall and other reads are answered from when it is up to date.",
    )
    assets_url: AssetsUrl | None = Field(
        None,
        description="Where assets are stored, such as s3://bucket/prefix; unset: a folder of data_dir.",
    )
    redis_url: RedisUrl | None = Field(
        None, description="Redis, for conversations persisted there."
    )
    pool_size: int = Field(20, ge=1, le=500, description="Database connections per process.")
    statement_timeout: Duration = Field(
        "10s",
        description="How long a call waits for a database that does not answer; then it is answered with MEM-003.",
    )

    llm: str | None = Field(
        None,
        description="The model for extraction and summaries. It is sent messages, and facts that memory holds about them.",
    )
    llm_base_url: HttpUrl | None = Field(None, description="An OpenAI-compatible endpoint.")
    llm_api_key: SecretStr | None = Field(None, description="The key for that endpoint.")
    embedder: EmbedderName = Field(
        "local",
        description="local, none, or an OpenAI-compatible URL (https://host/v1#model).",
    )
    embedder_api_key: SecretStr | None = Field(None, description="The key for that URL.")
    close_reading: Literal["on", "off"] = Field(
        "on",
        description="Whether recall compares its candidates token by token, if the model supports it.",
    )
    token_endpoints: Origins = Field(
        default_factory=list,
        description="Origins (https://host:port) that memory resources may ask for token counts, besides the "
        "providers' own.",
    )
    token_keys: Words = Field(
        default_factory=list,
        description="Environment variables that memory resources may name as api_key_env, besides the "
        "providers' usual ones.",
    )
    flushed_kept_for: Duration | None = Field(
        None, description="How long flushed messages are kept, such as 90d; unset: forever."
    )
    settle_after: Duration = Field(
        "15m", description="How long nothing is written to a conversation before it settles."
    )
    consolidate: Duration | None = Field(
        None, description="How often memory is consolidated by itself, such as 24h; unset: never."
    )

    bootstrap_key: SecretStr | None = Field(
        None, description="The first service key, for unattended starts."
    )
    owner_email: str | None = Field(None, description="The first owner's e-mail address.")
    owner_password: SecretStr | None = Field(None, description="The first owner's password.")

    max_connections: int = Field(
        1000, ge=8, le=100_000, description="The most connections of one API process at a time."
    )
    request_timeout_s: float = Field(
        20.0,
        gt=0,
        le=600,
        description="Seconds allowed for a request's headers, and for a body that arrives slower than 1 KiB/s.",
    )
    cors_origins: Words = Field(
        default_factory=list,
        description="Origins that may call the API from a browser; none by default.",
    )
    allowed_hosts: Words = Field(
        default_factory=list,
        description="Host names that MCP answers to besides loopback ones; none: those alone on a loopback "
        "address, any on another.",
    )
    trusted_proxies: Networks = Field(
        default_factory=list,
        description="Addresses or networks of proxies whose X-Forwarded-For header is used; none by default.",
    )
    cookie_secure: bool | None = Field(
        None,
        description="Send the cookie over HTTPS only; by default if the host is not loopback.",
    )
    slow_recall: Duration = Field(
        "1s",
        description="A recall that takes longer is logged with what took how long, without content.",
    )
    otlp_endpoint: HttpUrl | None = Field(
        None,
        description="An OpenTelemetry collector (OTLP over HTTP, http://127.0.0.1:4318) for traces and metrics; unset: none.",
    )
    log_level: LogLevel = Field("info", description="debug, info, warning or error.")

    @model_validator(mode="after")
    def _replica_needs_a_primary(self) -> Self:
        if self.replica_url is not None and self.database_url is None:
            raise ValueError("replica_url needs database_url: the embedded database has no replica")
        return self

    @property
    def embedder_key(self) -> str | None:
        """The embedder's key, in the clear."""
        key = self.embedder_api_key
        return None if key is None else key.get_secret_value()

    @property
    def assets(self) -> str:
        """Where assets are kept: a URL, or a folder."""
        return self.assets_url or str(self.data_dir / "assets")

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,  # noqa: ARG003  (the base class's signature)
        file_secret_settings: PydanticBaseSettingsSource,  # noqa: ARG003
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Flags, then variables, then the file."""
        return init_settings, env_settings, TomlConfigSettingsSource(settings_cls, _config_file())


class SettingsError(Exception):
    """A setting is wrong; the message names it and says what would be right."""


def read_settings(**flags: Any) -> Settings:
    """The settings with the flags that were given (None: not given)."""
    _check_file(_config_file())
    try:
        return Settings(**{name: value for name, value in flags.items() if value is not None})
    except ValidationError as error:
        raise SettingsError("; ".join(_in_words(each) for each in error.errors())) from None


def _check_file(file: Path) -> None:
    """Raise SettingsError for a file that was named and is not there, that is no TOML, or that has a name which is no setting."""
    if not file.is_file():
        if os.environ.get("HOLDFAST_CONFIG"):
            raise SettingsError(f"HOLDFAST_CONFIG: there is no file {file}")
        return
    try:
        names = tomllib.loads(file.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise SettingsError(f"{file} cannot be read as TOML: {error}") from None
    unknown = sorted(names.keys() - Settings.model_fields.keys())
    if unknown:
        raise SettingsError(
            f"{file}: there is no setting {', '.join(unknown)} (docs/settings.md has them all)"
        )


def _in_words(error: Mapping[str, Any]) -> str:
    """What is wrong with one setting; never its value, which may be a secret."""
    message = str(error["msg"]).removeprefix("Value error, ")
    name = ".".join(str(part) for part in error["loc"])
    return f"HOLDFAST_{name.upper()}: {message}" if name else message
