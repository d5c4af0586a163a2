/* Frames around messages: their length in four bytes (plain TCP), or those of ZeroMQ's protocol. */
#include "parts.h"

/* Returns the length of the message that has begun, its head included; 0 = more must come, -1 = it has no place, or is none. */
int64_t frame_length(const uint8_t *raw, int64_t kind, int64_t have, int64_t room, int64_t *begin) {
    uint64_t size;
    if (kind == LANE_TCP) {
        if (have < TCP_HEAD) return 0;
        *begin = TCP_HEAD, size = big_endian(raw, TCP_HEAD);
    } else if (raw[0] == LONG) {
        if (have < LONG_HEAD) return 0;
        *begin = LONG_HEAD, size = big_endian(raw + 1, 8);
    } else if (raw[0] == 0) {
        if (have < SHORT_HEAD) return 0;
        *begin = SHORT_HEAD, size = raw[1];
    } else {
        return -1;
    }
    return size > (uint64_t)(room - *begin) ? -1 : *begin + (int64_t)size;
}

/* Puts the head of a frame before a message of so many bytes, which begins after the room; returns where the frame begins. */
int64_t put_frame(uint8_t *raw, int64_t kind, int64_t bytes) {
    uint64_t size = (uint64_t)bytes;
    int head = kind == LANE_TCP ? TCP_HEAD : size < 256 ? SHORT_HEAD : LONG_HEAD;
    int width = head == SHORT_HEAD ? 1 : head == LONG_HEAD ? 8 : TCP_HEAD;
    raw[REPLY_ROOM - head] = head == LONG_HEAD ? LONG : 0;
    for (int k = 0; k < width; k++) raw[REPLY_ROOM - 1 - k] = (uint8_t)(size >> (8 * k));
    return REPLY_ROOM - head;
}
