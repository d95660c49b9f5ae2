/* Hashes and names that nearly fit.
 *
 * The hash is for tables and cache keys of one machine: fast and well mixed, not cryptographic. Two
 * seeds give two independent hashes where 64 bits aren't enough. */
#include "base/base.h"

enum { LONGEST_NAME = 64 };

static uint64_t mix(uint64_t x) {
    x ^= x >> 30;
    x *= 0xbf58476d1ce4e5b9u;
    x ^= x >> 27;
    x *= 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

uint64_t kf__hash(const void *bytes, size_t n, uint64_t seed) {
    const unsigned char *at = bytes;
    uint64_t hash = mix(seed + 0x9e3779b97f4a7c15u) ^ (uint64_t)n * 0xff51afd7ed558ccdu;
    for (; n >= 8; n -= 8, at += 8) {
        uint64_t word;
        memcpy(&word, at, 8);
        hash = (hash ^ mix(word)) * 0x9e3779b97f4a7c15u;
        hash ^= hash >> 29;
    }
    if (n) {
        uint64_t word = 0;
        memcpy(&word, at, n);
        hash = (hash ^ mix(word + 1)) * 0x9e3779b97f4a7c15u;
    }
    return mix(hash);
}

static size_t least(size_t a, size_t b) {
    return a < b ? a : b;
}

/* Insertions, deletions, replacements and swaps of neighbours; names to 64 bytes. */
static size_t edit_distance(const char *a, size_t n, const char *b, size_t m) {
    size_t rows[3][LONGEST_NAME + 1];
    size_t *before = rows[0], *above = rows[1], *row = rows[2];
    for (size_t j = 0; j <= m; j++) above[j] = j;
    for (size_t i = 1; i <= n; i++) {
        row[0] = i;
        for (size_t j = 1; j <= m; j++) {
            size_t best = least(above[j], row[j - 1]) + 1;
            best = least(best, above[j - 1] + (a[i - 1] != b[j - 1]));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                best = least(best, before[j - 2] + 1);
            row[j] = best;
        }
        size_t *free_row = before;
        before = above;
        above = row;
        row = free_row;
    }
    return above[m];
}

const char *kf__nearest(const char *word, size_t length, const char *const *names, size_t n) {
    if (length > LONGEST_NAME) return NULL;
    const char *nearest = NULL;
    size_t least_distance = length / 3 + 1;
    for (size_t i = 0; i < n; i++) {
        size_t size = strlen(names[i]);
        if (size > LONGEST_NAME) continue;
        size_t distance = edit_distance(word, length, names[i], size);
        if (distance < least_distance) {
            least_distance = distance;
            nearest = names[i];
        }
    }
    return nearest;
}
