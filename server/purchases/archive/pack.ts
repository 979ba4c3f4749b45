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

/** Rows of the audit of a month (`2026-08-01`) as an object of the archive. */
export function packAudit(month: string, rows: readonly ArchivedRow[]): Buffer {
  return gzipSync(JSON.stringify({ pack_version: '1', month, rows }), { level: 9 });
}

/** The rows of an object that `packAudit` made. */
export function unpackAudit(object: Uint8Array): ArchivedRow[] {
  return JSON.parse(gunzipSync(object).toString('utf8')).rows;
}

/** SHA-256 of an object, or of a text's UTF-8 bytes, in hexadecimal. */
export function hexOf(bytes: string | Uint8Array): string {
  return hash('sha256', bytes);
}

/** Where the object with this digest lies in the bucket. */
export const objectAt = (hex: string): string => `objects/${hex}`;

/** Where a manifest lies: in order, and under its digest. */
export const manifestAt = (number: number, digest: string): string =>
  `manifests/${String(number).padStart(9, '0')}-${digest.replace('sha256:', '')}`;
