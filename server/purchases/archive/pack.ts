import { hash } from 'node:crypto';
import { gunzipSync, gzipSync } from 'node:zlib';

export const textKinds = ['reports', 'receipts'] as const;
export type TextKind = (typeof textKinds)[number];

/** A text of a job: the report or receipt of this number. */
export interface ArchivedText {
  kind: TextKind;
  number: number;
  body: string;
}

/** Texts of one job as an object of the archive: gzip over JSON that names the job and each text. */
export function pack(jobKey: string, texts: readonly ArchivedText[]): Buffer {
  return gzipSync(JSON.stringify({ pack_version: '1', job_key: jobKey, texts }), { level: 9 });
}

/** The texts of an object that `pack` made. */
export function unpack(object: Uint8Array): ArchivedText[] {
  return JSON.parse(gunzipSync(object).toString('utf8')).texts;
}

/** A row of the audit as an object has it: all its columns, with its instant as ISO 8601. */
export interface ArchivedRow {
  purchase_key: string;
  sequence: number;
  at: string;
  actor: string;
  action: string;
  state_from: string | null;
  state_to: string;
  previous_hash: string | null;
  hash: string;
  principal_key: string;
  transaction: string;
}

/** An entry of the books as an object has it: all its columns, with its instant as ISO 8601, and the hash of them. */
export interface ArchivedEntry {
  event_key: string;
  event: string;
  job_key: string;
  principal_key: string;
  debit_account: string;
  credit_account: string;
  amount_microcents: string;
  currency: string;
  at: string;
  transaction: string;
  hash: string;
}

/** Rows of the audit or of the books of a month (`2026-08-01`) as an object of the archive. */
export function packMonth(month: string, rows: readonly { hash: string }[]): Buffer {
  return gzipSync(JSON.stringify({ pack_version: '1', month, rows }), { level: 9 });
}

/** An object with rows of a month, as the database knows it. */
export interface KnownMonth {
  month: string;
  digest: string;
  hashes: string;
}

/** The rows of an object that `packMonth` made, once they are what the database knows. Throws when they are not. */
export function rowsOf<Row extends { hash: string }>(object: Uint8Array, known: Omit<KnownMonth, 'month'>): Row[] {
  if (hexOf(object) !== known.digest) throw new Error('the object is another one');
  const { rows } = JSON.parse(gunzipSync(object).toString('utf8'));
  if (hashesOf(rows) !== known.hashes) throw new Error('its rows are others');
  return rows;
}

/** SHA-256 over the hashes of rows, in the order of these, in hexadecimal. */
export const hashesOf = (rows: readonly { hash: string }[]): string =>
  hexOf(
    rows
      .map(({ hash }) => hash)
      .toSorted()
      .join(''),
  );

/** SHA-256 of an object, or of a text's UTF-8 bytes, in hexadecimal. */
export function hexOf(bytes: string | Uint8Array): string {
  return hash('sha256', bytes);
}

/** Where the object with this digest lies in the bucket. */
export const objectAt = (hex: string): string => `objects/${hex}`;

/** Where a manifest lies: in order, and under its digest. */
export const manifestAt = (number: number, digest: string): string =>
  `manifests/${String(number).padStart(9, '0')}-${digest.replace('sha256:', '')}`;
