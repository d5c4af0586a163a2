/* What the files of the lane share among themselves. */
#ifndef COOPSIM_LANE_PARTS_H
#define COOPSIM_LANE_PARTS_H

#include "lane.h"

#include <stdbool.h>

#define US 1000LL
#define MS (1000LL * US)
/* of the protocol: the first field of a message */
#define VERSION 1
/* bytes before a message: its length by plain TCP; flags and length by ZMTP, where flag LONG says that the length has 8 */
#define TCP_HEAD 4
#define SHORT_HEAD 2
#define LONG_HEAD 9
#define LONG 2
#define FLOAT64 0xcb /* type of a float64 in MessagePack */
#define REPLY_ROOM 16 /* before a message that is packed: its frame is put there once its length is known */
/* shared by these files, seen by no other library */
#define INSIDE __attribute__((visibility("hidden")))

/* words of a record's header, see coopsim/state/record.py */
enum {
    R_SIZE,
    R_TICK,
    R_TIME = 3,
    R_GENERATION = 5,
    R_MODE,
    R_FLAGS,
    R_BODIES,
    R_READINGS,
    R_EDITS = 11,
    R_KEYFRAME = 16,
    R_LAYOUT
};
#define HEADER_BYTES 192 /* 24 words, see coopsim/state/record.py */

/* bytes.c */
INSIDE uint64_t big_endian(const uint8_t *raw, int width);
INSIDE int64_t read_uint(const uint8_t *raw, int64_t at, int64_t end, uint64_t *value);
INSIDE int64_t put_uint(uint8_t *raw, int64_t at, uint64_t value);
INSIDE int64_t read_number(const uint8_t *raw, int64_t at, int64_t end, double *value);
INSIDE int64_t put_number(uint8_t *raw, int64_t at, double value);
INSIDE bool is_finite(double value);
INSIDE int64_t skip(const uint8_t *raw, int64_t at, int64_t end, const uint8_t *part, int64_t size);

/* frames.c */
INSIDE int64_t frame_length(const uint8_t *raw, int64_t kind, int64_t have, int64_t room, int64_t *begin);
INSIDE int64_t put_frame(uint8_t *raw, int64_t kind, int64_t bytes);

/* forms.c */
INSIDE const lane_form *recognise(const lane_state *lane, lane_member *m, int64_t at, int64_t end);
INSIDE bool pack(const lane_state *lane, lane_member *m, const lane_form *form);

/* tick.c */
INSIDE int64_t now(void);
INSIDE uint64_t load(const uint64_t *word);
INSIDE void store(uint64_t *word, uint64_t value);
INSIDE bool is_wanted(const lane_state *lane);
INSIDE bool is_overwritten(const lane_state *lane);
INSIDE void command(lane_state *lane, const lane_member *m, const lane_form *form);
INSIDE void watch_tick(lane_state *lane);
INSIDE bool is_ticking(const lane_state *lane);
INSIDE bool drain(const lane_state *lane);
INSIDE void let_tick(lane_state *lane);
INSIDE bool await_tick(lane_state *lane);

#endif
