/* Decision trees. Eight walks go side by side, because each step of a walk waits for the one
 * before: eight rows through one tree, or one row through eight trees. */
#include "../internal.h"

#pragma STDC FP_CONTRACT OFF

enum {
  WALKS = 8,
  TREES = 128 /* whose leaves are known before they vote */
};

typedef const forge_tree_ensemble_arguments *trees;

/* Returns the child that a row goes to. `questions` is known when compiling. */
FORGE_INLINE int32_t child_of(const forge_tree_node *node, const float *row,
                              const forge_tree_questions questions) {
  const int32_t bits = node->feature;
  const bool has_flags = questions > FORGE_TREES_LESS;
  const int32_t feature =
    questions == FORGE_TREES_LESS_OR_EQUAL ? bits : bits & ((1 << FORGE_TREE_FEATURE_BITS) - 1);
  const float x = row[feature];
  bool yes;
  if (questions == FORGE_TREES_MIXED) {
    switch (bits >> (FORGE_TREE_FEATURE_BITS + 1)) {
      case FORGE_TREE_LESS_OR_EQUAL: yes = x <= node->threshold; break;
      case FORGE_TREE_LESS: yes = x < node->threshold; break;
      default: yes = x == node->threshold; break;
    }
  } else if (questions == FORGE_TREES_LESS || questions == FORGE_TREES_LESS_OR_NAN) {
    yes = x < node->threshold;
  } else {
    yes = x <= node->threshold;
  }
  if (has_flags) yes |= (bits >> FORGE_TREE_FEATURE_BITS & 1) & (x != x);
  /* An index, because a branch would often be predicted wrongly. */
  return node->children[!yes];
}

/* Takes walks from the nodes `at` to their leaves. A leaf leads to itself. */
FORGE_INLINE void walk(trees a, const float *const rows[WALKS], int32_t at[WALKS],
                       const forge_tree_questions questions) {
  int32_t moved;
  do {
    moved = 0;
    for (int64_t i = 0; i < WALKS; i++) {
      const int32_t to = child_of(a->nodes + at[i], rows[i], questions);
      moved |= to ^ at[i];
      at[i] = to;
    }
  } while (moved);
}

/* Adds a vote. NaN stands for no vote yet of a smallest or largest. */
static inline void add_vote(double *score, float weight, int32_t aggregate) {
  const double vote = (double)weight;
  if (aggregate == FORGE_TREES_MINIMUM) {
    if (!(*score <= vote)) *score = vote;
  } else if (aggregate == FORGE_TREES_MAXIMUM) {
    if (!(*score >= vote)) *score = vote;
  } else {
    *score += vote;
  }
}

/* Adds the votes of a leaf to the scores of a row. */
static inline void add_votes(trees a, int32_t leaf, double *scores) {
  const forge_tree_node *node = a->nodes + leaf;
  if (a->is_single) {
    add_vote(scores, node->threshold, a->aggregate);
    return;
  }
  uint32_t number;
  memcpy(&number, &node->threshold, sizeof number);
  for (int32_t i = a->starts[number]; i < a->starts[number + 1]; i++)
    add_vote(scores + a->vote_targets[i], a->weights[i], a->aggregate);
}

/* All trees for `count` rows, a multiple of WALKS. A tree stays in the cache for all of them. */
FORGE_INLINE void vote_by_rows(trees a, const float *in, double *scores, int64_t count,
                               const forge_tree_questions questions) {
  for (int64_t tree = 0; tree < a->trees; tree++) {
    for (int64_t row = 0; row < count; row += WALKS) {
      const float *rows[WALKS];
      int32_t at[WALKS];
      for (int64_t i = 0; i < WALKS; i++) {
        rows[i] = in + (row + i) * a->columns;
        at[i] = a->roots[tree];
      }
      walk(a, rows, at, questions);
      for (int64_t i = 0; i < WALKS; i++) add_votes(a, at[i], scores + (row + i) * a->targets);
    }
  }
}

/* Some trees for one row. A walk that has ended makes room for that of the next tree. */
FORGE_INLINE void vote_by_some_trees(trees a, const float *in, double *scores, int64_t tree,
                                     int64_t count, const forge_tree_questions questions) {
  int32_t at[WALKS], leaves[TREES];
  int64_t own[WALKS], next = 0, walks = 0;
  for (; walks < forge_smaller(count, WALKS); walks++, next++) {
    at[walks] = a->roots[tree + next];
    own[walks] = next;
  }
  while (walks > 0) {
    for (int64_t i = 0; i < walks; i++) {
      const int32_t to = child_of(a->nodes + at[i], in, questions);
      if (to != at[i]) {
        at[i] = to;
        continue;
      }
      leaves[own[i]] = to;
      if (next < count) {
        at[i] = a->roots[tree + next];
        own[i] = next++;
      } else {
        walks--;
        at[i] = at[walks];
        own[i] = own[walks];
        i--;
      }
    }
  }
  for (int64_t i = 0; i < count; i++) add_votes(a, leaves[i], scores);
}

/* All trees for one row. */
FORGE_INLINE void vote_by_trees(trees a, const float *in, double *scores,
                                const forge_tree_questions questions) {
  for (int64_t tree = 0; tree < a->trees; tree += TREES)
    vote_by_some_trees(a, in, scores, tree, forge_smaller(a->trees - tree, TREES), questions);
}

FORGE_INLINE void vote(trees a, const float *in, double *scores, int64_t count,
                       const forge_tree_questions questions) {
  const int64_t whole = count / WALKS * WALKS;
  vote_by_rows(a, in, scores, whole, questions);
  for (int64_t row = whole; row < count; row++)
    vote_by_trees(a, in + row * a->columns, scores + row * a->targets, questions);
}

FORGE_SCALAR(tree_ensemble) {
  trees a = arguments;
  const bool is_extreme =
    a->aggregate == FORGE_TREES_MINIMUM || a->aggregate == FORGE_TREES_MAXIMUM;
  const double divisor = a->aggregate == FORGE_TREES_AVERAGE ? (double)a->trees : 1;
  for (int64_t tile = first; tile < last; tile++) {
    const int64_t start = tile * FORGE_TREE_ROWS;
    const int64_t count = forge_smaller(a->rows - start, FORGE_TREE_ROWS);
    const float *in = forge_start(&a->in, frame) + start * a->columns;
    float *out = forge_start(&a->out, frame) + start * a->targets;
    double *scores = (double *)(void *)(forge_start(&a->scratch, frame) + start * a->targets * 2);
    for (int64_t i = 0; i < count * a->targets; i++) scores[i] = is_extreme ? (double)NAN : 0;
    switch ((forge_tree_questions)a->questions) {
      case FORGE_TREES_LESS_OR_EQUAL: vote(a, in, scores, count, FORGE_TREES_LESS_OR_EQUAL); break;
      case FORGE_TREES_LESS: vote(a, in, scores, count, FORGE_TREES_LESS); break;
      case FORGE_TREES_LESS_OR_EQUAL_OR_NAN:
        vote(a, in, scores, count, FORGE_TREES_LESS_OR_EQUAL_OR_NAN);
        break;
      case FORGE_TREES_LESS_OR_NAN: vote(a, in, scores, count, FORGE_TREES_LESS_OR_NAN); break;
      case FORGE_TREES_MIXED: vote(a, in, scores, count, FORGE_TREES_MIXED); break;
    }
    for (int64_t row = 0; row < count; row++) {
      for (int64_t target = 0; target < a->targets; target++) {
        const double score = scores[row * a->targets + target];
        const double votes = is_extreme && isnan(score) ? 0 : score / divisor;
        out[row * a->targets + target] = (float)(votes + (a->base ? (double)a->base[target] : 0));
      }
    }
  }
}
