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
