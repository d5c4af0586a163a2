/* Numbers as MessagePack packs them, and parts of messages that are known. */
#include "parts.h"

#include <string.h>

uint64_t big_endian(const uint8_t *raw, int width) {
    uint64_t value = 0;
    for (int k = 0; k < width; k++) value = value << 8 | raw[k];
    return value;
}

/* Returns where the unsigned integer at a place ends, -1 if there is none before the end. */
int64_t read_uint(const uint8_t *raw, int64_t at, int64_t end, uint64_t *value) {
    if (at >= end) return -1;
    uint8_t kind = raw[at];
    if (kind < 0x80) {
        *value = kind;
        return at + 1;
    }
    if (kind < 0xcc || kind > 0xcf) return -1;
    int width = 1 << (kind - 0xcc);
    if (end - at - 1 < width) return -1;
    *value = big_endian(raw + at + 1, width);
    return at + 1 + width;
}

int64_t put_uint(uint8_t *raw, int64_t at, uint64_t value) {
    if (value < 0x80) {
        raw[at] = (uint8_t)value;
        return at + 1;
    }
    int kind = value < 0x100 ? 0 : value < 0x10000 ? 1 : value < 0x100000000ULL ? 2 : 3, width = 1 << kind;
    raw[at++] = (uint8_t)(0xcc + kind);
    for (int k = width - 1; k >= 0; k--) raw[at++] = (uint8_t)(value >> (8 * k));
    return at;
}

/* Returns where the number at a place ends, whole or not; -1 if there is none before the end, or none that is finite. */
int64_t read_number(const uint8_t *raw, int64_t at, int64_t end, double *value) {
    if (at < end && raw[at] == FLOAT64) {
        if (end - at < 9) return -1;
        uint64_t bits = big_endian(raw + at + 1, 8);
        memcpy(value, &bits, 8);
        return is_finite(*value) ? at + 9 : -1;
    }
    if (at < end && raw[at] >= 0xe0) {
        *value = (double)(int8_t)raw[at];
        return at + 1;
    }
    uint64_t whole;
    at = read_uint(raw, at, end, &whole);
    if (at >= 0) *value = (double)whole;
    return at;
}

int64_t put_number(uint8_t *raw, int64_t at, double value) {
    uint64_t bits;
    memcpy(&bits, &value, 8);
    raw[at++] = FLOAT64;
    for (int k = 7; k >= 0; k--) raw[at++] = (uint8_t)(bits >> (8 * k));
    return at;
}

bool is_finite(double value) {
    uint64_t bits;
    memcpy(&bits, &value, 8);
    return (bits >> 52 & 0x7ff) != 0x7ff;
}

/* Returns where a known part ends, -1 if something else stands there. */
int64_t skip(const uint8_t *raw, int64_t at, int64_t end, const uint8_t *part, int64_t size) {
    if (end - at < size || memcmp(raw + at, part, (size_t)size)) return -1;
    return at + size;
}
