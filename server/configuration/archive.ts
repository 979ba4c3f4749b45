import { z } from 'zod';
import type { Bucket } from '../kernel/object-store.ts';

/** Where the texts of old purchases lie, apart from the database. */
export const archiveVariables = {
  ARCHIVE_URL: z
    .url({ protocol: /^https?$/, error: 'must be the https:// address of a bucket' })
    .transform((url) => url.replace(/\/+$/, ''))
    .optional(),
  ARCHIVE_REGION: z.string().min(1).default('us-east-1'),
  ARCHIVE_ACCESS_KEY_ID: z.string().min(1).optional(),
  ARCHIVE_SECRET_ACCESS_KEY: z.string().min(1).optional(),
  // What was submitted is deleted after 30 days, and answers are forgotten after 31: none of it is archived.
  ARCHIVE_AFTER_DAYS: z.coerce.number().int().min(31).max(3_650).default(90),
};
const ArchiveVariables = z.object(archiveVariables);
type ArchiveVariables = z.infer<typeof ArchiveVariables>;

export interface Archiving {
  /** A bucket, and how old a purchase is before its texts go there; null without one. */
  archive: (Bucket & { afterDays: number }) | null;
}

export function archiveOf(variables: ArchiveVariables): Archiving {
  const {
    ARCHIVE_URL: url,
    ARCHIVE_ACCESS_KEY_ID: accessKeyId,
    ARCHIVE_SECRET_ACCESS_KEY: secretAccessKey,
  } = variables;
  const { ARCHIVE_REGION: region, ARCHIVE_AFTER_DAYS: afterDays } = variables;
  return {
    archive: url && accessKeyId && secretAccessKey ? { url, region, accessKeyId, secretAccessKey, afterDays } : null,
  };
}

/** Sentences for what only several variables show. */
export function archiveFaults(variables: ArchiveVariables): string[] {
  const { ARCHIVE_URL: url, ARCHIVE_ACCESS_KEY_ID: id, ARCHIVE_SECRET_ACCESS_KEY: secret } = variables;
  if ([url, id, secret].filter(Boolean).length % 3 === 0) return [];
  return ['ARCHIVE_URL, ARCHIVE_ACCESS_KEY_ID and ARCHIVE_SECRET_ACCESS_KEY belong together: set all or none'];
}
