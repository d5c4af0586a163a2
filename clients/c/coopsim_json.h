/* JSON text as tokens, each with the index of what follows it; for LAYOUT. */
#ifndef COOPSIM_JSON_H
#define COOPSIM_JSON_H

#include <stddef.h>

typedef struct {
    char type;         /* { [ " or, for anything else, 0 */
    size_t first, end; /* of the text; of a string what is between its quotes */
    size_t next;       /* token behind it and all that it holds */
} json_token;

/* The tokens of a text, to be freed; NULL when it is no JSON. */
json_token *json_parse(const char *text, size_t length, size_t *count);
/* Index of the value of a name in an object, or of a place in an array; 0 when there is none. */
size_t json_named(const char *text, const json_token *tokens, size_t object, const char *name, size_t length);
size_t json_at(const json_token *tokens, size_t array, size_t place);
/* The integer that a token says, 0 when it says none. */
long json_whole(const char *text, const json_token *tokens, size_t token);

#endif
