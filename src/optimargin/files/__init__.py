"""Tables in, models out and in; files are written whole or not at all."""

from optimargin.files.columns import Columns, sort_columns, table_pipeline
from optimargin.files.errors import FileError
from optimargin.files.models import Model, load_model, save_model
from optimargin.files.tables import read_table, write_table
from optimargin.files.whole import written_whole

__all__ = [
    "Columns",
    "FileError",
    "Model",
    "load_model",
    "read_table",
    "save_model",
    "sort_columns",
    "table_pipeline",
    "write_table",
    "written_whole",
]
