#include "coopsim_json.h"

#include <stdlib.h>
#include <string.h>

enum { DEEPEST = 32 };

typedef struct {
    const char *text;
    size_t length, at, count, room;
    json_token *tokens;
} parser;

static int skip(parser *it) {
    while (it->at < it->length && strchr(" \t\r\n", it->text[it->at]) != NULL) it->at++;
    return it->at < it->length ? it->text[it->at] : 0;
}

static size_t add(parser *it, char type) {
    if (it->count == it->room) {
        it->room = 2 * it->room + 64;
        it->tokens = realloc(it->tokens, sizeof *it->tokens * it->room);
    }
    it->tokens[it->count] = (json_token){.type = type, .first = it->at};
    return it->count++;
}

static int end(parser *it, size_t token, size_t at) {
    it->tokens[token].end = at;
    it->tokens[token].next = it->count;
    return 1;
}

static int string(parser *it) {
    if (skip(it) != '"') return 0;
    it->at++;
    size_t token = add(it, '"');
    while (it->at < it->length && it->text[it->at] != '"') it->at += it->text[it->at] == '\\' ? 2 : 1;
    if (it->at >= it->length) return 0;
    return end(it, token, it->at++);
}

static int word(parser *it) {
    size_t token = add(it, 0);
    while (it->at < it->length && strchr("+-.0123456789abcdefghijklmnopqrstuvwxyzE", it->text[it->at]) != NULL) it->at++;
    return it->tokens[token].first < it->at && end(it, token, it->at);
}

static int value(parser *it, int depth) {
    int mark = skip(it), last = mark == '{' ? '}' : ']';
    if (mark == '"') return string(it);
    if (mark != '{' && mark != '[') return word(it);
    if (depth > DEEPEST) return 0;
    size_t token = add(it, (char)mark);
    it->at++;
    if (skip(it) == last) return it->at++, end(it, token, it->at);
    while (1) {
        if (mark == '{' && (!string(it) || skip(it) != ':' || !++it->at)) return 0;
        if (!value(it, depth + 1)) return 0;
        int behind = skip(it);
        it->at++;
        if (behind == last) return end(it, token, it->at);
        if (behind != ',') return 0;
    }
}

json_token *json_parse(const char *text, size_t length, size_t *count) {
    parser it = {.text = text, .length = length};
    int is_right = value(&it, 0) && skip(&it) == 0;
    *count = it.count;
    if (is_right) return it.tokens;
    free(it.tokens);
    return NULL;
}

size_t json_named(const char *text, const json_token *tokens, size_t object, const char *name, size_t length) {
    if (tokens[object].type != '{') return 0;
    for (size_t token = object + 1; token < tokens[object].next; token = tokens[token + 1].next) {
        size_t size = tokens[token].end - tokens[token].first;
        if (size == length && memcmp(text + tokens[token].first, name, size) == 0) return token + 1;
    }
    return 0;
}

size_t json_at(const json_token *tokens, size_t array, size_t place) {
    if (tokens[array].type != '[') return 0;
    for (size_t token = array + 1; token < tokens[array].next; token = tokens[token].next)
        if (place-- == 0) return token;
    return 0;
}

long json_whole(const char *text, const json_token *tokens, size_t token) {
    return token != 0 && tokens[token].type == 0 ? strtol(text + tokens[token].first, NULL, 10) : 0;
}
