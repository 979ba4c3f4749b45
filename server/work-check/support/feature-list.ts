/** Each feature with the direction the score may move when it grows: 1 up, -1 down, 0 either. */
export const FEATURES = [
  ['whole_exact', 1],
  ['whole_soft', 1],
  ['one_exact', 1],
  ['one_soft', 1],
  ['two_soft', 1],
  ['three_exact', 1],
  ['three_soft', 1],
  ['five_soft', 1],
  ['weakest_one', 1],
  ['weakest_three', 1],
  ['pairs_whole', 1],
  ['triples_whole', 1],
  ['longest_run', 1],
  ['run_density', 1],
  ['unseen_heaviest', -1],
  ['unseen_second', -1],
  ['unseen_count', -1],
  ['unseen_share', -1],
  ['figures_unseen', -1],
  ['names_unseen', -1],
  ['opposites_anywhere', -1],
  ['speaker', -1],
  // The more there is, the more is found in it by chance; and nobody gains a better score by padding.
  ['evidence_passages', -1],
  ['evidence_speaks', 0],
  ['sentences', 0],
  ['plain_share', 1],
  // Of each sentence against the passages that hold most of it; the worst or the sum over the sentences.
  ['near_unseen_heaviest', -1],
  ['near_unseen_count', -1],
  ['near_pairs', 1],
  ['near_together', 1],
  ['near_figures_unseen', -1],
  ['near_figures_rival', -1],
  ['near_names_unseen', -1],
  ['near_denial_added', -1],
  ['near_denial_lost', -1],
  ['near_opposites', -1],
  ['near_siblings', -1],
  ['near_same_end', 1],
  ['near_other_end', -1],
  ['near_order', 1],
  ['near_swapped', -1],
  ['near_hedge_lost', -1],
  ['near_strong_words', -1],
  ['near_misfit', -1],
  ['near_negated', -1],
] as const satisfies readonly (readonly [string, -1 | 0 | 1])[];

export type FeatureName = (typeof FEATURES)[number][0];
export const FEATURE_COUNT = FEATURES.length;
/** Where each feature stands in a reading. */
export const PLACE = Object.fromEntries(FEATURES.map(([name], at) => [name, at])) as Readonly<
  Record<FeatureName, number>
>;
/** Stands after the features, since no training reads it: the share of all words, those of grammar too, that the evidence holds. */
export const WORDS_HELD = FEATURES.length;

/** What was read of a statement, each feature at its place and `WORDS_HELD` after them. */
export type Features = number[];

/** Features before anything is read. A plain list of this length is made sooner than a typed array. */
export function noFeatures(): Features {
  const features: Features = [];
  for (let at = 0; at <= FEATURE_COUNT; at += 1) features.push(0);
  return features;
}
