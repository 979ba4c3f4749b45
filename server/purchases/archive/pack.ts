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

/** SHA-256 of an object, or of a text's UTF-8 bytes, in hexadecimal. */
export function hexOf(bytes: string | Uint8Array): string {
  return hash('sha256', bytes);
}

/** Where the object with this digest lies in the bucket. */
export const objectAt = (hex: string): string => `objects/${hex}`;

/** Where a manifest lies: in order, and under its digest. */
export const manifestAt = (number: number, digest: string): string =>
  `manifests/${String(number).padStart(9, '0')}-${digest.replace('sha256:', '')}`;
