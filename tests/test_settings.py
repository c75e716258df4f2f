"""What is wrong with the settings is said in one line, by their names, without their values."""

import pytest

from holdfast.settings import SettingsError, read_settings


def test_a_replica_needs_a_primary(monkeypatch):
    monkeypatch.delenv("HOLDFAST_DATABASE_URL", raising=False)
    monkeypatch.setenv("HOLDFAST_REPLICA_URL", "postgresql://replica.internal/holdfast")
    with pytest.raises(SettingsError, match="replica_url needs database_url"):
        read_settings()
    read = read_settings(database_url="postgresql://db.internal/holdfast")
    assert read.replica_url == "postgresql://replica.internal/holdfast"


def test_every_wrong_setting_is_named_and_no_value_is_shown(monkeypatch):
    monkeypatch.setenv("HOLDFAST_PORT", "secret-port")
    monkeypatch.setenv("HOLDFAST_POOL_SIZE", "0")
    with pytest.raises(SettingsError) as refused:
        read_settings()
    assert "HOLDFAST_PORT: " in str(refused.value)
    assert "HOLDFAST_POOL_SIZE: " in str(refused.value)
    assert "secret-port" not in str(refused.value)


def test_lists_are_json_or_words_with_commas(monkeypatch):
    monkeypatch.setenv("HOLDFAST_TRUSTED_PROXIES", "10.0.0.0/8, 192.0.2.7")
    monkeypatch.setenv("HOLDFAST_CORS_ORIGINS", '["https://a.example"]')
    read = read_settings()
    assert read.trusted_proxies == ["10.0.0.0/8", "192.0.2.7"]
    assert read.cors_origins == ["https://a.example"]


def test_flags_come_before_variables_and_variables_before_the_file(monkeypatch, tmp_path):
    file = tmp_path / "holdfast.toml"
    file.write_text('port = 1111\nhost = "0.0.0.0"\nprocesses = 3\n')
    monkeypatch.setenv("HOLDFAST_CONFIG", str(file))
    monkeypatch.setenv("HOLDFAST_PORT", "2222")
    monkeypatch.delenv("HOLDFAST_HOST", raising=False)
    read = read_settings(processes=5)
    assert (read.processes, read.port, read.host) == (5, 2222, "0.0.0.0")


WRONG = {
    "HOLDFAST_STATEMENT_TIMEOUT": "soon",
    "HOLDFAST_SETTLE_AFTER": "15",
    "HOLDFAST_SLOW_RECALL": "0s",
    "HOLDFAST_FLUSHED_KEPT_FOR": "forever",
    "HOLDFAST_CONSOLIDATE": "daily",
    "HOLDFAST_LOG_LEVEL": "loud",
    "HOLDFAST_EMBEDDER": "local:other",
    "HOLDFAST_ASSETS_URL": "bucket://holdfast",
    "HOLDFAST_DATABASE_URL": "secret-and-no-url",
    "HOLDFAST_MIGRATION_URL": "http://u:secret@host/x",
    "HOLDFAST_REDIS_URL": "localhost:6379",
    "HOLDFAST_LLM_BASE_URL": "api.example.com/v1",
    "HOLDFAST_OTLP_ENDPOINT": "http://",
    "HOLDFAST_TRUSTED_PROXIES": "10.0.0.0/8, proxy.internal",
    "HOLDFAST_TOKEN_ENDPOINTS": "tokens.internal",
    "HOLDFAST_CORS_ORIGINS": "[bad",
}


def test_a_wrong_form_is_refused_before_anything_is_started(monkeypatch):
    for name, value in WRONG.items():
        monkeypatch.setenv(name, value)
    with pytest.raises(SettingsError) as refused:
        read_settings()
    message = str(refused.value)
    assert [name for name in WRONG if f"{name}: must be" not in message] == []
    assert "secret" not in message


def test_right_forms_are_taken(monkeypatch):
    right = {
        "HOLDFAST_STATEMENT_TIMEOUT": "1h30m",
        "HOLDFAST_LOG_LEVEL": "WARNING",
        "HOLDFAST_EMBEDDER": "https://host/v1#model",
        "HOLDFAST_DATABASE_URL": "postgresql://u:p%40ss@/holdfast?host=/run/postgresql",
        "HOLDFAST_REDIS_URL": "unix:///run/redis.sock",
        "HOLDFAST_ASSETS_URL": "s3://bucket/prefix",
        "HOLDFAST_OTLP_ENDPOINT": "http://127.0.0.1:4318",
        "HOLDFAST_TRUSTED_PROXIES": "::1",
        "HOLDFAST_TOKEN_ENDPOINTS": '["https://tokens.internal:8443"]',
    }
    for name, value in right.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("HOLDFAST_CONSOLIDATE", "")  # an empty variable is one that is not set
    read = read_settings()
    assert (read.log_level, read.consolidate) == ("warning", None)


@pytest.mark.parametrize(
    ("text", "named"),
    [("prot = 9000\n", "there is no setting prot"), ("port = = 1\n", "cannot be read as TOML")],
)
def test_a_file_with_a_mistake_is_refused(monkeypatch, tmp_path, text, named):
    file = tmp_path / "holdfast.toml"
    file.write_text(text)
    monkeypatch.setenv("HOLDFAST_CONFIG", str(file))
    with pytest.raises(SettingsError, match=named):
        read_settings()


def test_a_file_that_is_named_must_be_there(monkeypatch, tmp_path):
    monkeypatch.setenv("HOLDFAST_CONFIG", str(tmp_path / "nowhere.toml"))
    with pytest.raises(SettingsError, match=r"there is no file .*nowhere\.toml"):
        read_settings()
