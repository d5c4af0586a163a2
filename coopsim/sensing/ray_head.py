"""Layout of the two arrays of a scene for ray casting.

Everything lies in two arrays, because each array handed to compiled code costs 0.1 to 0.2 µs: `numbers` and `whole`
(integers). Both begin with a head whose places are named here, then come tables that start where the head says.
"""

HEAD = 24  # words before the lists; more than are used, so that a new one moves nothing

# head of `numbers`: lower left corner, columns and lines per metre
X0, Y0, COLUMNS_PER_METRE, LINES_PER_METRE = 0, 1, 2, 3
FIXED_X0, FIXED_Y0, FIXED_PER_METRE = 4, 5, 6
LARGEST = 7  # bounding radius of the largest shape in the grid
PREPARED = 8  # the lists of fixed shapes hold all within this distance of their cell [m]
FIRST_LOOK = 9  # farther shapes are visited only by rays that are still free [m]
PLAIN_LOW, PLAIN_HIGH = 10, 11  # heights that all shapes of the grid take up, where they are plain [m]
TRAVELLED = 12  # sum over all ticks of how far the shape of the grid moved that moved farthest [m]

# head of `whole`: sizes, then where the tables start
STALE = 0
COLUMNS, LINES = 1, 2
FIXED_COLUMNS, FIXED_LINES = 3, 4
SMALL, MOVING, FIXED, OUTLINE = 5, 6, 7, 8  # numbers of shapes; the first SMALL moving ones are in the grid
AT_MOVING, AT_PLACED, AT_FIXED, AT_OUTLINE, AT_NEAR = 9, 10, 11, 12, 13  # in `numbers`
AT_BODY, AT_START, AT_LIST_START, AT_LIST = 14, 15, 16, 17  # in `whole`
AT_FOUND = 18  # in `whole`: rooms for the shapes that are looked at together
OUTSIDE = 19  # how many shapes of the grid were outside of it
PLAIN = 20  # 1 where all shapes of the grid are upright cylinders
AT_SEARCH, AT_MIDDLE = 21, 22  # in `numbers`; half the height of each body
AT_PLACE = 23  # in `whole`: place in the search columns of each shape of the grid; then the shape of each place

# columns of a shape after those of `kernels.shapes`, whose frame is that of its body (of the world once placed): body
# (-1 = fixed), lower and upper end (above the body, or the floor once placed), 1 = a sphere, body that it is a part of
BODY, LOW, HIGH, ROUND, OWNER = range(6, 11)
WIDTH = OWNER + 1
FOUND = 64  # shapes that are looked at together at most
NOTES, NOTE_WIDTH = 64, FOUND + 8  # rooms for such shapes, and their width: threads must not write side by side
# the shapes of the grid once more, each column by itself in memory: middle, bounding radius, owner, lower and upper
# end; and middles by the shapes' own numbers
SEARCH_WIDTH, OWN_X, OWN_Y = 8, 6, 7
# a body in `whole`: the first of its shapes in the outline table, their number, the body that it is a part of
BODY_FIRST, BODY_COUNT, BODY_OWNER, BODY_WIDTH = 0, 1, 2, 3
