/* {{name}} as a testee of vmconf: requests on standard input, answers on standard output.
   This reads only what it needs from a request; use a JSON library for the program. */

#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The fields of the state that are reported; `vmconf serve {{machine}}` answers hello with all that there are. */
static const char HELLO[] =
    "{\"type\":\"hello\",\"version\":1,\"name\":\"{{name}}\",\"release\":\"0.1.0\",\"language\":\"C\","
    "\"machines\":[{\"machine\":\"{{machine}}\",\"fields\":[]}]}";

/* What follows the first member of this name, outside of other objects as vmconf writes them. */
static const char *member(const char *line, const char *name) {
    char key[32];
    snprintf(key, sizeof key, "\"%s\":", name);
    const char *found = strstr(line, key);
    return found ? found + strlen(key) : "";
}

/* Runs a program on a fresh machine. TODO: call your machine here, and print
   {"type":"done","id":ID,"steps":[{"fields":{...}}]} */
static void run(unsigned long long id, const char *program) {
    if (strncmp(program, "{}", 2) == 0)
        printf("{\"type\":\"error\",\"id\":%llu,\"message\":\"the program is empty\"}\n", id);
    else
        printf("{\"type\":\"skip\",\"id\":%llu,\"reason\":\"nothing is implemented yet\"}\n", id);
}

int main(void) {
    char *line = NULL;
    size_t size = 0;
    while (getline(&line, &size, stdin) > 0) {
        unsigned long long id = strtoull(member(line, "id"), NULL, 10);
        if (strncmp(member(line, "type"), "\"hello\"", 7) == 0)
            puts(HELLO);
        else if (strncmp(member(line, "machine"), "\"{{machine}}\"", strlen("\"{{machine}}\"")) != 0)
            printf("{\"type\":\"skip\",\"id\":%llu,\"reason\":\"no such machine\"}\n", id);
        else
            run(id, member(line, "program"));
        fflush(stdout);
    }
    free(line);
    return 0;
}
