/* {{name}} as a testee of vmconf: requests on standard input, answers on standard output. It needs cJSON, which
   Debian has as libcjson-dev. As written, it is a toy EVM that pushes, adds and stores numbers of 64 bits: call your
   machine in its place. */

#define _POSIX_C_SOURCE 200809L
#include <cjson/cJSON.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The fields of the state that are reported; `vmconf serve evm` answers hello with all that there are. */
static const char HELLO[] =
    "{\"type\":\"hello\",\"version\":1,\"name\":\"{{name}}\",\"release\":\"0.1.0\",\"language\":\"C\","
    "\"machines\":[{\"machine\":\"evm\","
    "\"fields\":[\"outcome\",\"gas\",\"out\",\"logs\",\"logsHash\",\"callcreates\",\"post\"]}]}";

/* Keccak-256 of the RLP of an empty list. */
static const char NO_LOGS[] = "0x1dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d49347";

/* Why there is no state: the machine lacks something ("skip"), or the program is wrong ("error"). */
struct refusal {
    const char *type;
    char text[100];
};

/* How a program ends. An exceptional halt is state, and no error. */
enum end { SUCCESS, HALT, REFUSED };

static enum end refuse(struct refusal *why, const char *type, const char *text, const char *what) {
    why->type = type;
    snprintf(why->text, sizeof why->text, "%s%s", text, what);
    return REFUSED;
}

/* The text of a member; NULL without one. */
static const char *text_of(const cJSON *object, const char *name) {
    return cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(object, name));
}

/* The byte of "0x..." at this place, or 0 behind the end, as pushes read it. */
static unsigned byte_at(const char *code, size_t size, size_t place) {
    unsigned byte = 0;
    if (place < size) sscanf(code + 2 + 2 * place, "%2x", &byte);
    return byte;
}

/* As vmconf writes keys: the shortest even number of digits. */
static void write_key(char *key, size_t size, uint64_t number) {
    char digits[20];
    int length = snprintf(digits, sizeof digits, "%" PRIx64, number);
    snprintf(key, size, "0x%s%s", length % 2 ? "0" : "", digits);
}

static bool is_zero(const cJSON *object, const char *name) {
    const char *number = text_of(object, name);
    return number == NULL || strtoull(number, NULL, 16) == 0;
}

static void store(cJSON *storage, uint64_t key, uint64_t value, uint64_t *price) {
    char name[24], number[24];
    write_key(name, sizeof name, key);
    write_key(number, sizeof number, value);
    *price = value != 0 && is_zero(storage, name) ? 20000 : 5000;
    cJSON_DeleteItemFromObjectCaseSensitive(storage, name);
    cJSON_AddStringToObject(storage, name, number);
}

/* Removes zero words and empty accounts, which are not reported. */
static void prune(cJSON *accounts) {
    for (cJSON *account = accounts->child, *next; account != NULL; account = next) {
        next = account->next;
        cJSON *storage = cJSON_GetObjectItemCaseSensitive(account, "storage");
        for (cJSON *word = storage->child, *after; word != NULL; word = after) {
            after = word->next;
            if (is_zero(storage, word->string)) cJSON_Delete(cJSON_DetachItemViaPointer(storage, word));
        }
        bool has_code = strcmp(text_of(account, "code"), "0x") != 0;
        if (!has_code && storage->child == NULL && is_zero(account, "balance") && is_zero(account, "nonce"))
            cJSON_Delete(cJSON_DetachItemViaPointer(accounts, account));
    }
}

/* Executes code, and changes gas and storage. */
static enum end execute(const char *code, uint64_t *gas, cJSON *storage, struct refusal *why) {
    uint64_t stack[1024];
    size_t height = 0, size = strlen(code) / 2 - 1;
    for (size_t pc = 0; pc < size;) {
        unsigned op = byte_at(code, size, pc++);
        uint64_t price = 3;
        if (op == 0x00) return SUCCESS;
        if (op >= 0x60 && op <= 0x7f) { /* PUSH1 to PUSH32 */
            if (height == 1024) return HALT;
            uint64_t value = 0;
            for (unsigned left = op - 0x5f; left > 0; left--) {
                if (value >> 56) return refuse(why, "skip", "numbers of more than 64 bits", "");
                value = value << 8 | byte_at(code, size, pc++);
            }
            stack[height++] = value;
        } else if (op == 0x01 || op == 0x55) { /* ADD, SSTORE */
            if (height < 2) return HALT;
            uint64_t top = stack[--height], below = stack[--height];
            if (op == 0x55) {
                store(storage, top, below, &price);
            } else {
                if (top + below < top) return refuse(why, "skip", "numbers of more than 64 bits", "");
                stack[height++] = top + below;
            }
        } else {
            char name[12];
            snprintf(name, sizeof name, "0x%02x", op);
            return refuse(why, "skip", "no instruction ", name);
        }
        if (*gas < price) return HALT;
        *gas -= price;
    }
    return SUCCESS;
}

/* Runs a program on a fresh machine: the state as an object, or NULL and why. TODO: call your machine here. */
static cJSON *run(const cJSON *program, struct refusal *why) {
    const char *code = text_of(program, "code"), *gas_text = text_of(program, "gas");
    const char *address = text_of(program, "address");
    const cJSON *pre = cJSON_GetObjectItemCaseSensitive(program, "pre");
    if (code == NULL || gas_text == NULL || address == NULL || !cJSON_IsObject(pre)) {
        refuse(why, "error", "the program has no code, gas, address or accounts", "");
        return NULL;
    }
    uint64_t gas = strtoull(gas_text, NULL, 16);
    cJSON *post = cJSON_Duplicate(pre, true), *account = cJSON_GetObjectItemCaseSensitive(post, address);
    if (account == NULL) {
        account = cJSON_Parse("{\"balance\":\"0x0\",\"nonce\":\"0x0\",\"code\":\"0x\",\"storage\":{}}");
        cJSON_AddItemToObject(post, address, account);
    }
    cJSON *storage = cJSON_GetObjectItemCaseSensitive(account, "storage");
    enum end end = execute(code, &gas, storage, why);
    prune(post);
    cJSON *state = end == REFUSED ? NULL : cJSON_CreateObject();
    if (end == SUCCESS) {
        char left[24];
        snprintf(left, sizeof left, "0x%" PRIx64, gas);
        cJSON_AddStringToObject(state, "outcome", "success");
        cJSON_AddStringToObject(state, "gas", left);
        cJSON_AddStringToObject(state, "out", "0x");
        cJSON_AddArrayToObject(state, "logs");
        cJSON_AddStringToObject(state, "logsHash", NO_LOGS);
        cJSON_AddArrayToObject(state, "callcreates");
        cJSON_AddItemToObject(state, "post", post);
        return state;
    }
    if (end == HALT) cJSON_AddStringToObject(state, "outcome", "halt");
    cJSON_Delete(post);
    return state;
}

/* Whether a step is ["execute"]. */
static bool executes(const cJSON *step) {
    const cJSON *actions = cJSON_GetObjectItemCaseSensitive(step, "do");
    const char *first = cJSON_GetStringValue(cJSON_GetArrayItem(actions, 0));
    return cJSON_GetArraySize(actions) == 1 && first != NULL && strcmp(first, "execute") == 0;
}

/* The states of the steps, or NULL and why. */
static cJSON *states_of(const cJSON *request, struct refusal *why) {
    const cJSON *steps = cJSON_GetObjectItemCaseSensitive(request, "steps"), *step, *name;
    if (cJSON_GetArraySize(steps) > 1 || (cJSON_GetArraySize(steps) == 1 && !executes(cJSON_GetArrayItem(steps, 0)))) {
        refuse(why, "skip", "only execute, once", "");
        return NULL;
    }
    cJSON *states = cJSON_CreateArray();
    cJSON_ArrayForEach(step, steps) {
        cJSON *all = run(cJSON_GetObjectItemCaseSensitive(request, "program"), why);
        if (all == NULL) {
            cJSON_Delete(states);
            return NULL;
        }
        cJSON *state = cJSON_CreateObject(), *fields = cJSON_AddObjectToObject(state, "fields");
        cJSON_ArrayForEach(name, cJSON_GetObjectItemCaseSensitive(step, "observe")) {
            cJSON *value = cJSON_DetachItemFromObjectCaseSensitive(all, name->valuestring);
            if (value != NULL) cJSON_AddItemToObject(fields, name->valuestring, value);
        }
        cJSON_Delete(all);
        cJSON_AddItemToArray(states, state);
    }
    return states;
}

static cJSON *answer(const cJSON *request) {
    const char *type = text_of(request, "type"), *machine = text_of(request, "machine");
    if (type != NULL && strcmp(type, "hello") == 0) return cJSON_Parse(HELLO);
    struct refusal why;
    cJSON *states = NULL;
    if (type == NULL || machine == NULL || strcmp(type, "run") != 0 || strcmp(machine, "evm") != 0)
        refuse(&why, "skip", "no such request or machine", "");
    else
        states = states_of(request, &why);
    cJSON *answered = cJSON_CreateObject();
    cJSON_AddStringToObject(answered, "type", states != NULL ? "done" : why.type);
    cJSON_AddItemToObject(answered, "id", cJSON_Duplicate(cJSON_GetObjectItemCaseSensitive(request, "id"), true));
    if (states != NULL)
        cJSON_AddItemToObject(answered, "steps", states);
    else
        cJSON_AddStringToObject(answered, strcmp(why.type, "skip") == 0 ? "reason" : "message", why.text);
    return answered;
}

int main(void) {
    char *line = NULL;
    size_t size = 0;
    while (getline(&line, &size, stdin) > 0) {
        cJSON *request = cJSON_Parse(line), *answered = answer(request);
        char *text = cJSON_PrintUnformatted(answered);
        puts(text);
        fflush(stdout);
        free(text);
        cJSON_Delete(answered);
        cJSON_Delete(request);
    }
    free(line);
    return 0;
}
