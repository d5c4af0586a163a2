"""Size limits of a recording's parts, so that a foreign file is refused before it fills the memory."""

MOST_RECORD_BYTES = 1 << 30
"""Of one MCAP record in the file."""
# a small chunk may unpack to any size: foreign files must not fill the memory
MOST_CHUNK_BYTES = 64 << 20
"""Of a chunk when it is unpacked; the writer refuses to write a larger one."""
MOST_MESSAGES = 1 << 17
"""In one chunk; ours hold a few."""
MOST_RECORDS = 1 << 12
"""In one message of ticks; the writer gathers 128."""
MOST_EDITS_BYTES = 8 << 20
"""Of one message of edits."""
MOST_TEXT_BYTES = 16 << 20
"""Of a layout, of the index, and of a text that is read as JSON."""
MOST_IMAGE_BYTES = 4 << 20
"""Of a message with an image."""
# a column is a number of each record: tables are made from what a foreign layout says
MOST_COLUMNS = 1 << 22
"""In one table."""
MOST_LIST = 1 << 16
"""Values of one robot's row: as many as a message of the protocol holds."""
