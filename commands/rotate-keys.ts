import { resealAll, stillNeeded } from '../server/console/reseal.ts';
import { requireSecretKeys, retireOthers } from '../server/kernel/secret-keys.ts';
import { runForOperator } from './operator.ts';
import { Refusal } from './refusal.ts';

/**
 * `npm run rotate-keys` moves everything to the first key of SECRET_KEY while the service runs: submitted content is
 * resealed now, credentials move at their next use. Once nothing needs another key, take it off the list.
 * `npm run rotate-keys -- end` voids the credentials that still need one. Refuses while a process issues under another.
 */
await runForOperator({ words: 0, usage: '' }, async ([word], { db, now, configuration: { keyring } }) => {
  await requireSecretKeys(db, keyring);
  const sealed = await resealAll(db, keyring);
  const { texts, credentials, registrations } = await stillNeeded(db, keyring, now);
  const told = `Sealed ${sealed} texts anew. Still need another key: ${texts} texts, ${credentials} credentials, ${registrations} registrations.`;
  const isDone = texts + credentials + registrations === 0;
  if (!isDone && (word !== 'end' || texts > 0))
    return `${told}\nKeep the other keys on the list, and run this again later.`;
  const { retired, inFront } = await retireOthers(db, keyring, now);
  if (inFront.length > 0) {
    throw new Refusal(
      `A process still has ${inFront.join(' or ')} in front of its list: what it issues would end. Start each anew with ${keyring.first.id} in front, and run this again a minute later. Nothing has ended.`,
    );
  }
  return `${told}\n${retired.length === 0 ? 'No other key is in use.' : `Take off the list: ${retired.join(', ')}.`}`;
});
