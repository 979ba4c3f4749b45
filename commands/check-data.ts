import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { gunzipSync } from 'node:zlib';

/** A claim with its evidence, from a data set in the format of the work check's data folder. */
export type DataRow = {
  id: string;
  dataset: string;
  evidence: { source: string; text: string }[];
  claim: string;
  label: 0 | 1;
  kind?: string;
  pair?: number;
  clean_id?: string;
  payload?: string;
};

export type DataSet = { name: string; rows: DataRow[] };

/** Reads every `*.jsonl.gz` of a folder, sorted by name. */
export function readDataSets(folder: string): DataSet[] {
  const files = readdirSync(folder).filter((file) => file.endsWith('.jsonl.gz'));
  return files.sort().map((file) => {
    const text = gunzipSync(readFileSync(join(folder, file))).toString('utf8');
    const rows = text.split('\n').filter((line) => line.trim() !== '');
    return { name: basename(file, '.jsonl.gz'), rows: rows.map((line) => JSON.parse(line) as DataRow) };
  });
}

const words = (text: string): Set<string> => new Set(text.toLowerCase().match(/[\p{L}\p{N}]+/gu));

/** The baseline score: the share of a claim's distinct words that the evidence contains. */
export function bareOverlap({ claim, evidence }: DataRow): number {
  const [own, known] = [words(claim), words(evidence.map(({ text }) => text).join('\n'))];
  return [...own].filter((word) => known.has(word)).length / Math.max(1, own.size);
}

export type Scored = { label: number; score: number };

/** Area under the ROC curve, 0 to 1; ties count half. */
export function areaUnderCurve(rows: readonly Scored[]): number {
  const sorted = [...rows].sort((a, b) => a.score - b.score);
  let [rankSum, positives, at] = [0, 0, 0];
  while (at < sorted.length) {
    let end = at;
    while (end < sorted.length && sorted[end]?.score === sorted[at]?.score) end += 1;
    for (let i = at; i < end; i += 1) {
      if (sorted[i]?.label === 1) {
        rankSum += (at + end + 1) / 2;
        positives += 1;
      }
    }
    at = end;
  }
  const negatives = sorted.length - positives;
  return positives === 0 || negatives === 0
    ? 0.5
    : (rankSum - (positives * (positives + 1)) / 2) / (positives * negatives);
}

/** Balanced accuracy: mean share of each label on its right side of the threshold, 0 to 1. */
export function balancedAccuracy(rows: readonly Scored[], threshold: number): number {
  const share = (label: number): number => {
    const own = rows.filter((row) => row.label === label);
    return own.filter((row) => row.score >= threshold === (label === 1)).length / Math.max(1, own.length);
  };
  return (share(0) + share(1)) / 2;
}
