/* {{name}} as a testee of vmconf for the family {{machine}}: requests on standard input, answers on standard output. */

#define _POSIX_C_SOURCE 200809L
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* JSON as a text of C. */
#define JSON(...) #__VA_ARGS__

static const char HELLO[] = JSON({
    "type": "hello", "version": 1, "name": "{{name}}", "release": "0.1.0", "language": "C",
    /* Remove the fields that your machine does not have{{optional}}. */
    "machines": [{"machine": "{{machine}}", "actions": [{{actions}}], "fields": [
{{fields}}
    ]}]
});

/* A sparse memory: its cells by address. A cell that is not listed is 0. */
struct cell {
    uint64_t address, value;
};

struct memory {
    size_t count;
    struct cell *cells;
};

/* What a case gives. Numbers of more than 64 bits, and all other types, are JSON, and NULL if they are not given. */
struct machine {
{{members}}
};

/* Where the cell of an address is, or belongs. What not every family needs is inline, so that nothing warns of it. */
static inline size_t place_of(const struct memory *memory, uint64_t address) {
    size_t low = 0, high = memory->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (memory->cells[middle].address < address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static inline uint64_t read_cell(const struct memory *memory, uint64_t address) {
    size_t place = place_of(memory, address);
    bool is_listed = place < memory->count && memory->cells[place].address == address;
    return is_listed ? memory->cells[place].value : 0;
}

static inline void write_cell(struct memory *memory, uint64_t address, uint64_t value) {
    size_t place = place_of(memory, address);
    if (place == memory->count || memory->cells[place].address != address) {
        memory->cells = realloc(memory->cells, (memory->count + 1) * sizeof *memory->cells);
        if (memory->cells == NULL) abort();
        size_t behind = memory->count++ - place;
        memmove(&memory->cells[place + 1], &memory->cells[place], behind * sizeof *memory->cells);
    }
    memory->cells[place] = (struct cell){address, value};
}

/* A value of JSON is where its text begins. vmconf sends valid JSON, so that little is needed to find a value in it. */
static const char *without_space(const char *json) {
    return json + strspn(json, " \t\r\n");
}

static const char *end_of(const char *json) {
    int depth = 0;
    do {
        if (*json == '"') {
            while (*++json != '"' && *json != '\0')
                if (*json == '\\' && json[1] != '\0') json++;
        } else if (*json == '[' || *json == '{') {
            depth++;
        } else if (*json == ']' || *json == '}') {
            depth--;
        }
        if (*json == '\0') return json;
        json++;
    } while (depth > 0 || strchr(",:]} \t\r\n", *json) == NULL);
    return json;
}

/* The first item of a list, or the first name of an object; NULL without one. */
static const char *first(const char *json) {
    if (json == NULL || (*json != '[' && *json != '{')) return NULL;
    json = without_space(json + 1);
    return *json == ']' || *json == '}' ? NULL : json;
}

/* What follows a value in a list or an object; NULL behind the last one. */
static const char *next(const char *json) {
    json = without_space(end_of(json));
    return *json == ',' ? without_space(json + 1) : NULL;
}

/* Whether a value is this one, such as JSON("hello"). */
static bool is(const char *json, const char *text) {
    size_t size = strlen(text);
    return json != NULL && (size_t)(end_of(json) - json) == size && strncmp(json, text, size) == 0;
}

/* A member of an object; NULL if it has none of this name. */
static const char *member(const char *object, const char *name) {
    for (const char *key = first(object), *value; key != NULL; key = next(value)) {
        value = without_space(without_space(end_of(key)) + 1);
        if (is(key, name)) return value;
    }
    return NULL;
}

/* A number as vmconf writes it, "0x1f" or "-0x1f", in two's complement; 0 if it is not given. */
static inline uint64_t number(const char *json) {
    return json == NULL ? 0 : strtoull(json + 1, NULL, 16);
}

static inline void read_memory(struct memory *memory, const char *json) {
    memory->count = 0;
    for (const char *pair = first(json); pair != NULL; pair = next(pair)) {
        const char *address = first(pair);
        write_cell(memory, number(address), number(next(address)));
    }
}

/* Makes a fresh machine with what the case gives. TODO: call yours here. */
static void load(struct machine *machine, const char *program) {
{{loads}}
}

/* Performs an action, such as "execute". Returns what the machine lacks, or NULL. TODO: call yours here. */
static const char *perform(struct machine *machine, const char *action) {
    (void)machine, (void)action;
    return "nothing is implemented yet";
}

/* The fields of a state, as they are written. */
struct fields {
    FILE *out;
    const char *separator;
};

static void write_json(struct fields *fields, const char *name, const char *json) {
    if (json == NULL) return;
    fprintf(fields->out, "%s%s:%.*s", fields->separator, name, (int)(end_of(json) - json), json);
    fields->separator = ",";
}

static inline void write_unsigned(struct fields *fields, const char *name, uint64_t number) {
    char json[24];
    snprintf(json, sizeof json, "\"0x%" PRIx64 "\"", number);
    write_json(fields, name, json);
}

static inline void write_signed(struct fields *fields, const char *name, int64_t number) {
    char json[24];
    uint64_t size = number < 0 ? -(uint64_t)number : (uint64_t)number;
    snprintf(json, sizeof json, "\"%s0x%" PRIx64 "\"", number < 0 ? "-" : "", size);
    write_json(fields, name, json);
}

/* A memory is a list of pairs of address and cell. */
static inline void write_memory(struct fields *fields, const char *name, const struct memory *memory) {
    fprintf(fields->out, "%s%s:[", fields->separator, name);
    fields->separator = ",";
    for (size_t place = 0; place < memory->count; place++) {
        struct cell cell = memory->cells[place];
        const char *comma = place == 0 ? "" : ",";
        fprintf(fields->out, "%s[\"0x%" PRIx64 "\",\"0x%" PRIx64 "\"]", comma, cell.address, cell.value);
    }
    fputc(']', fields->out);
}

/* Writes a field of the state, if the machine has it. */
static void report(struct fields *fields, const struct machine *machine, const char *field) {
{{reports}}
}

/* Writes the states of the steps. Returns what the machine lacks, or NULL. */
static const char *run(FILE *out, struct machine *machine, const char *request) {
    load(machine, member(request, JSON("program")));
    const char *separator = "";
    for (const char *step = first(member(request, JSON("steps"))); step != NULL; step = next(step)) {
        for (const char *action = first(member(step, JSON("do"))); action != NULL; action = next(action)) {
            const char *lacks = perform(machine, action);
            if (lacks != NULL) return lacks;
        }
        fprintf(out, "%s{\"fields\":{", separator);
        struct fields fields = {out, ""};
        for (const char *name = first(member(step, JSON("observe"))); name != NULL; name = next(name))
            report(&fields, machine, name);
        fputs("}}", out);
        separator = ",";
    }
    return NULL;
}

static void answer(struct machine *machine, const char *request) {
    if (is(member(request, JSON("type")), JSON("hello"))) {
        puts(HELLO);
        return;
    }
    bool is_run = is(member(request, JSON("type")), JSON("run"));
    bool is_known = is_run && is(member(request, JSON("machine")), JSON("{{machine}}"));
    char *states = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&states, &size);
    if (out == NULL) abort();
    const char *lacks = is_known ? run(out, machine, request) : "no such request or machine";
    fclose(out);
    const char *id = member(request, JSON("id"));
    int id_size = id == NULL ? 0 : (int)(end_of(id) - id);
    if (lacks != NULL)
        printf("{\"type\":\"skip\",\"id\":%.*s,\"reason\":\"%s\"}\n", id_size, id, lacks);
    else
        printf("{\"type\":\"done\",\"id\":%.*s,\"steps\":[%s]}\n", id_size, id, states);
    free(states);
}

int main(void) {
    static struct machine machine;
    char *line = NULL;
    size_t size = 0;
    while (getline(&line, &size, stdin) > 0) {
        answer(&machine, without_space(line));
        fflush(stdout);
    }
    free(line);
    return 0;
}
