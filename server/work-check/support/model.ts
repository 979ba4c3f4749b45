import asset from '../assets/support-model.json' with { type: 'json' };
import { FEATURE_COUNT, type Features, PLACE, WORDS_HELD } from './feature-list.ts';

/** A tree as parallel lists: feature (-1 for a leaf), threshold or leaf value, and the child to the right. */
export type Tree = { f: number[]; v: number[]; r: number[] };

export type SupportModel = {
  means: number[];
  scales: number[];
  weights: number[];
  bias: number;
  trees: Tree[];
  tree_bias: number;
  /** Scores at or above `supported` are borne out; at or below `unsupported` they are not; between, undecided. */
  bands: { supported: number; unsupported: number };
  measured: { balanced_accuracy: number; auc: number };
};

export const supportModel: SupportModel = asset;

/** Shares of the linear part, of the trees, and of a prior that no training moves: what is covered is rather supported. */
const LINEAR_SHARE = 0.5;
const TREES_SHARE = 0.3;
const PRIOR_SLOPE = 3;
const PRIOR_MIDDLE = 0.68;
/** Under this share found the prior falls ever steeper. */
const PRIOR_BEND = 0.55;
const PRIOR_CURVE = 80;
/** Finer signs count in full from this share found on; where nothing is found, they say little. */
const TRUST_FULL = 0.8;
const TRUST_LEAST = 0.3;
/** Log odds lost for each by which an opposite fits better than the word that stands there; at most for one word. */
const MISFIT_COST = 0.1;
const STATEMENT_MISFIT_MAX = 4;

/** Far below any threshold the odds are drawn together, so that scores of six digits can still be told apart. */
const FLAT_UNDER = -2;
const FLATNESS = 0.35;

/**
 * How likely the evidence bears a statement out, 0 to 1, where 0.5 is the threshold; not a calibrated probability.
 * `cost` are the log odds that the faults found in it cost.
 */
export function supportScore(features: Features, cost = 0, model: SupportModel = supportModel): number {
  const covered = ((features[PLACE.whole_soft] ?? 0) + (features[PLACE.whole_exact] ?? 0)) / 2;
  const held = features[WORDS_HELD] ?? 0;
  const found = (covered + held + 1 - (features[PLACE.unseen_share] ?? 0)) / 3;
  const prior =
    PRIOR_SLOPE * ((covered + held) / 2 - PRIOR_MIDDLE) - PRIOR_CURVE * Math.max(0, PRIOR_BEND - found) ** 2;
  const trust = TRUST_LEAST + (1 - TRUST_LEAST) * Math.min(1, found / TRUST_FULL);
  const misfit = MISFIT_COST * Math.min(STATEMENT_MISFIT_MAX, features[PLACE.near_misfit] ?? 0);
  const learned = LINEAR_SHARE * linear(features, model) + TREES_SHARE * sumOfTrees(features, model);
  const odds = prior + trust * (learned - misfit - cost);
  return sigmoid(odds < FLAT_UNDER ? FLAT_UNDER + FLATNESS * (odds - FLAT_UNDER) : odds);
}

export function sigmoid(x: number): number {
  return 1 / (1 + Math.exp(-x));
}

function linear(features: Features, model: SupportModel): number {
  let sum = model.bias;
  for (let at = 0; at < FEATURE_COUNT; at += 1)
    sum += (((features[at] ?? 0) - (model.means[at] ?? 0)) / (model.scales[at] ?? 1)) * (model.weights[at] ?? 0);
  return sum;
}

/** The trees of a model one after the other, so that walking them reads little memory; `right` counts from the first. */
type Forest = { roots: Uint16Array; feature: Int16Array; value: Float64Array; right: Uint16Array };
const forests = new WeakMap<SupportModel, Forest>();

function forestOf(model: SupportModel): Forest {
  let forest = forests.get(model);
  if (forest === undefined) {
    const starts: number[] = [];
    let size = 0;
    for (const { f } of model.trees) {
      starts.push(size);
      size += f.length;
    }
    forest = {
      roots: Uint16Array.from(starts),
      feature: Int16Array.from(model.trees.flatMap(({ f }) => f)),
      value: Float64Array.from(model.trees.flatMap(({ v }) => v)),
      right: Uint16Array.from(model.trees.flatMap(({ r }, tree) => r.map((child) => child + (starts[tree] ?? 0)))),
    };
    forests.set(model, forest);
  }
  return forest;
}

function sumOfTrees(features: Features, model: SupportModel): number {
  const { roots, feature, value, right } = forestOf(model);
  let sum = model.tree_bias;
  for (const root of roots) {
    let at = root;
    for (let asked = feature[at] ?? -1; asked >= 0; asked = feature[at] ?? -1)
      at = (features[asked] ?? 0) <= (value[at] ?? 0) ? at + 1 : (right[at] ?? 0);
    sum += value[at] ?? 0;
  }
  return sum;
}

/** In a tree the left child follows its parent; the right one stands at `r`. */
export function leafOf(features: Features, { f, v, r }: Tree): number {
  let at = 0;
  for (let feature = f[0] ?? -1; feature >= 0; feature = f[at] ?? -1)
    at = (features[feature] ?? 0) <= (v[at] ?? 0) ? at + 1 : (r[at] ?? 0);
  return v[at] ?? 0;
}
