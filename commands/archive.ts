import { isIntegrityViolation, lockNotAvailable, sqlState } from '../server/kernel/database.ts';
import { BucketFailed, openObjectStore } from '../server/kernel/object-store.ts';
import { archiveDue } from '../server/purchases/archive/archive-due.ts';
import { archiveAudit, archiveLedger, dropTextMonths } from '../server/purchases/archive/archive-months.ts';
import { checkArchive } from '../server/purchases/archive/check-archive.ts';
import { openReceiptKeys } from '../server/purchases/receipt/receipt-keys.ts';
import { runForOperator } from './operator.ts';
import { Refusal } from './refusal.ts';

/** A month of the audit or the books is counted and read whole. */
const monthMaxMs = 3_600_000;

/**
 * `npm run archive` moves the reports and receipts of old purchases, and the audit and books of old months, into the bucket
 * that `ARCHIVE_URL` names; it may be stopped at any time, and goes on at the next start. `npm run archive -- check` reads all
 * of it, and says what is missing or changed.
 */
await runForOperator({ words: 0, usage: '', answerMs: monthMaxMs }, async ([word], { db, now, configuration }) => {
  const { archive: bucket, receiptKeys } = configuration;
  if (word !== undefined && word !== 'check') {
    throw new Refusal('Say what to do: npm run archive, or npm run archive -- check');
  }
  if (!bucket) throw new Refusal('ARCHIVE_URL is missing: it names the bucket of the archive.');
  const archive = openObjectStore(bucket, 'archive_unreachable');
  if (word === 'check') {
    const { manifests, objects, faults } = await checkArchive(db, archive);
    const read = `${objects} objects of ${manifests} manifests`;
    if (faults.length > 0) throw new Refusal([`${read} were read. What is wrong:`, ...faults].join('\n  '));
    return `${read} are as they were signed.`;
  }
  const signer = await openReceiptKeys(receiptKeys, db, now);
  const archiver = { db, archive, signer, now, afterDays: bucket.afterDays };
  const { jobs, texts, bytes } = await archiveDue(archiver).catch(refuse);
  const audit = await archiveAudit(archiver).catch(refuse);
  const books = await archiveLedger(archiver).catch(refuse);
  const emptied = await dropTextMonths(archiver);
  return [
    `${texts} texts of ${jobs} purchases went to the archive, ${bytes} bytes; ${emptied} months have no table of texts any more.`,
    `The audit of ${audit.months} months went there, ${audit.rows} rows, ${audit.bytes} bytes.`,
    `The books of ${books.months} months went there, ${books.rows} entries, ${books.bytes} bytes.`,
  ].join('\n');
});

function refuse(error: unknown): never {
  if (error instanceof BucketFailed)
    throw new Refusal(`The archive failed: ${error.message}. Start this again: nothing is lost.`);
  if (sqlState(error) === lockNotAvailable) throw new Refusal('Others held the tables for a minute. Start this again.');
  if (isIntegrityViolation(error)) throw new Refusal('Another run got ahead of this one, which changed nothing.');
  throw error;
}
