"""The Accept header: which of two forms of an answer a client prefers (RFC 9110, section 12.5.1)."""


def prefers(accept: str, media_type: str) -> bool:
    """Whether a client that names this media type wants it at least as much as JSON."""
    weights = dict(map(_weight, accept.lower().split(",")))
    wanted = weights.get(media_type, 0.0)
    return wanted > 0 and wanted >= weights.get("application/json", 0.0)


def _weight(part: str) -> tuple[str, float]:
    name, *parameters = (each.strip() for each in part.split(";"))
    weight = next((each[2:] for each in parameters if each.startswith("q=")), "1")
    try:
        return name, float(weight)
    except ValueError:
        return name, 0.0
