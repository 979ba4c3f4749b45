import { FEATURE_COUNT, FEATURES, type Features } from '../server/work-check/support/feature-list.ts';
import { leafOf, type SupportModel, sigmoid, type Tree } from '../server/work-check/support/model.ts';

export type Example = { x: Features; label: number; weight: number };

const TREES = 220;
const DEPTH = 4;
const RATE = 0.06;
const BINS = 32;
const LEAF_WEIGHT_MIN = 0.004;
const LEAF_PENALTY = 0.01;
const STEPS = 300;
const STEP = 0.4;
const RIDGE = 0.002;
const FEATURE_KEEP = 0.6;
const ROW_KEEP = 0.7;
const SEED = 20260721;

type Fitted = Pick<SupportModel, 'means' | 'scales' | 'weights' | 'bias' | 'trees' | 'tree_bias'>;

/** Fits the linear part and the trees to examples whose weights sum to 1. Deterministic. */
export function fitModel(examples: readonly Example[]): Fitted {
  return { ...fitLinear(examples), ...fitTrees(examples) };
}

function fitLinear(examples: readonly Example[]): Pick<Fitted, 'means' | 'scales' | 'weights' | 'bias'> {
  const means = Array.from({ length: FEATURE_COUNT }, () => 0);
  const scales = Array.from({ length: FEATURE_COUNT }, () => 0);
  for (const { x, weight } of examples)
    for (let j = 0; j < FEATURE_COUNT; j += 1) means[j] = (means[j] ?? 0) + weight * (x[j] ?? 0);
  for (const { x, weight } of examples)
    for (let j = 0; j < FEATURE_COUNT; j += 1)
      scales[j] = (scales[j] ?? 0) + weight * ((x[j] ?? 0) - (means[j] ?? 0)) ** 2;
  for (let j = 0; j < FEATURE_COUNT; j += 1) scales[j] = Math.sqrt(scales[j] ?? 0) || 1;
  const rows = examples.map(({ x }) => x.map((value, j) => (value - (means[j] ?? 0)) / (scales[j] ?? 1)));
  const weights = new Float64Array(FEATURE_COUNT);
  const speed = new Float64Array(FEATURE_COUNT);
  let [bias, biasSpeed] = [0, 0];
  for (let step = 0; step < STEPS; step += 1) {
    const gradient = new Float64Array(FEATURE_COUNT);
    let biasGradient = 0;
    for (const [at, row] of rows.entries()) {
      let z = bias;
      for (let j = 0; j < FEATURE_COUNT; j += 1) z += (row[j] ?? 0) * (weights[j] ?? 0);
      const example = examples[at];
      const error = (sigmoid(z) - (example?.label ?? 0)) * (example?.weight ?? 0);
      biasGradient += error;
      for (let j = 0; j < FEATURE_COUNT; j += 1) gradient[j] = (gradient[j] ?? 0) + error * (row[j] ?? 0);
    }
    biasSpeed = 0.9 * biasSpeed - STEP * biasGradient;
    bias += biasSpeed;
    for (let j = 0; j < FEATURE_COUNT; j += 1) {
      speed[j] = 0.9 * (speed[j] ?? 0) - STEP * ((gradient[j] ?? 0) + RIDGE * (weights[j] ?? 0));
      weights[j] = towards(j, (weights[j] ?? 0) + (speed[j] ?? 0));
    }
  }
  return {
    means: [...means],
    scales: [...scales],
    weights: [...weights],
    bias,
  };
}

/** A weight may not contradict what its feature means. */
function towards(feature: number, weight: number): number {
  const direction = FEATURES[feature]?.[1] ?? 0;
  return direction * weight < 0 ? 0 : weight;
}

/** Pseudo-random numbers from 0 to 1, reproducible by seed. */
export function random(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

type Data = {
  bins: Uint8Array[];
  edges: number[][];
  gradient: Float64Array;
  curvature: Float64Array;
};

function fitTrees(examples: readonly Example[]): Pick<Fitted, 'trees' | 'tree_bias'> {
  const edges = Array.from({ length: FEATURE_COUNT }, (_, j) => binEdges(examples.map(({ x }) => x[j] ?? 0)));
  const bins = edges.map((cuts, j) =>
    Uint8Array.from(examples, ({ x }) => cuts.filter((cut) => (x[j] ?? 0) > cut).length),
  );
  const scores = new Float64Array(examples.length);
  const data: Data = {
    bins,
    edges,
    gradient: new Float64Array(examples.length),
    curvature: new Float64Array(examples.length),
  };
  const next = random(SEED);
  const trees: Tree[] = [];
  for (let round = 0; round < TREES; round += 1) {
    for (const [at, { label, weight }] of examples.entries()) {
      const p = sigmoid(scores[at] ?? 0);
      data.gradient[at] = weight * (p - label);
      data.curvature[at] = weight * p * (1 - p);
    }
    const rows = examples.flatMap((_, at) => (next() < ROW_KEEP ? [at] : []));
    const features = FEATURES.flatMap((_, j) => (next() < FEATURE_KEEP ? [j] : []));
    const tree: Tree = { f: [], v: [], r: [] };
    grow(tree, data, rows, features, 0, [-Infinity, Infinity]);
    trees.push(tree);
    for (const [at, { x }] of examples.entries()) scores[at] = (scores[at] ?? 0) + leafOf(x, tree);
  }
  return { trees, tree_bias: 0 };
}

function binEdges(values: number[]): number[] {
  const sorted = [...values].sort((a, b) => a - b);
  const cuts = Array.from({ length: BINS - 1 }, (_, at) => sorted[Math.floor(((at + 1) * sorted.length) / BINS)] ?? 0);
  const top = sorted.at(-1) ?? 0;
  return [...new Set(cuts.map((cut) => Number(cut.toPrecision(5))))].filter((cut) => cut < top);
}

type Split = {
  feature: number;
  bin: number;
  gain: number;
  left: number;
  right: number;
};

const clamp = (value: number, [low, high]: readonly [number, number]): number => Math.min(high, Math.max(low, value));

function grow(
  tree: Tree,
  data: Data,
  rows: readonly number[],
  features: readonly number[],
  depth: number,
  range: [number, number],
): void {
  const split = depth < DEPTH ? bestSplit(data, rows, features, range) : undefined;
  const at = tree.f.length;
  if (split === undefined) {
    let [g, h] = [0, 0];
    for (const row of rows) {
      g += data.gradient[row] ?? 0;
      h += data.curvature[row] ?? 0;
    }
    tree.f.push(-1);
    tree.v.push(Number((RATE * clamp(-g / (h + LEAF_PENALTY), range)).toPrecision(4)));
    tree.r.push(0);
    return;
  }
  const { feature, bin } = split;
  tree.f.push(feature);
  tree.v.push(data.edges[feature]?.[bin] ?? 0);
  tree.r.push(0);
  // The midpoint bounds every node below, so a direction holds over the whole tree.
  const middle = (split.left + split.right) / 2;
  const direction = FEATURES[feature]?.[1] ?? 0;
  const [low, high] = range;
  const under: [number, number] = direction > 0 ? [low, middle] : direction < 0 ? [middle, high] : range;
  const over: [number, number] = direction > 0 ? [middle, high] : direction < 0 ? [low, middle] : range;
  const isLeft = (row: number): boolean => (data.bins[feature]?.[row] ?? 0) <= bin;
  grow(tree, data, rows.filter(isLeft), features, depth + 1, under);
  tree.r[at] = tree.f.length;
  grow(
    tree,
    data,
    rows.filter((row) => !isLeft(row)),
    features,
    depth + 1,
    over,
  );
}

function bestSplit(
  data: Data,
  rows: readonly number[],
  features: readonly number[],
  range: [number, number],
): Split | undefined {
  let best: Split | undefined;
  for (const feature of features) {
    const g = new Float64Array(BINS);
    const h = new Float64Array(BINS);
    const bins = data.bins[feature];
    for (const row of rows) {
      const bin = bins?.[row] ?? 0;
      g[bin] = (g[bin] ?? 0) + (data.gradient[row] ?? 0);
      h[bin] = (h[bin] ?? 0) + (data.curvature[row] ?? 0);
    }
    const [allG, allH] = [g.reduce((a, b) => a + b, 0), h.reduce((a, b) => a + b, 0)];
    const base = allG ** 2 / (allH + LEAF_PENALTY);
    let [leftG, leftH] = [0, 0];
    const direction = FEATURES[feature]?.[1] ?? 0;
    for (let bin = 0; bin < (data.edges[feature]?.length ?? 0); bin += 1) {
      leftG += g[bin] ?? 0;
      leftH += h[bin] ?? 0;
      const [rightG, rightH] = [allG - leftG, allH - leftH];
      if (leftH < LEAF_WEIGHT_MIN || rightH < LEAF_WEIGHT_MIN) continue;
      const left = clamp(-leftG / (leftH + LEAF_PENALTY), range);
      const right = clamp(-rightG / (rightH + LEAF_PENALTY), range);
      if (direction * (right - left) < 0) continue;
      const gain = leftG ** 2 / (leftH + LEAF_PENALTY) + rightG ** 2 / (rightH + LEAF_PENALTY) - base;
      if (gain > (best?.gain ?? 1e-6)) best = { feature, bin, gain, left, right };
    }
  }
  return best;
}
