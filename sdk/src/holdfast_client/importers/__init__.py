"""Memory from other systems' exports.

    from holdfast_client.importers import import_file

    report = import_file(client, "mem0", Path("mem0.json"), user="ana")

formats.py    reads each format into pieces: memories, messages, entities, relations, texts
importing.py  writes the pieces; what is there already is left as it is, so that an import can be run again after an interruption
"""

from holdfast_client.importers.formats import FORMATS
from holdfast_client.importers.importing import ImportReport, import_file

__all__ = ["FORMATS", "ImportReport", "import_file"]
