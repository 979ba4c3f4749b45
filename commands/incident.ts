import { incidentImpacts, incidentParts } from '../server/availability/incident-contract.ts';
import { perform } from '../server/door/perform.ts';
import { runForOperator } from './operator.ts';
import { Refusal } from './refusal.ts';

const usage = `Say what: npm run incident -- open TITLE PART=HOW[,PART=HOW] TEXT [SINCE], update INCIDENT TEXT, resolve INCIDENT TEXT, or list.
  PART is ${incidentParts.join(', ')}; HOW is ${incidentImpacts.join(' or ')}; SINCE is like 2026-11-20T09:30Z`;

/**
 * `npm run incident -- open TITLE PART=HOW TEXT` tells everybody at `/status` what is wrong; `update` and `resolve` say
 * how it goes on and ends; `list` shows what is told. Each change is audited, and nothing of it is taken back.
 */
await runForOperator({ words: 1, usage }, async ([what, ...words], { context }) => {
  const count = words.length;
  if (what === 'list' && count === 0) {
    const { body } = await perform('incidents', await context(), {});
    const lines = body.incidents.map(
      ({ incident_key, title, resolved_at }) =>
        `${incident_key} ${resolved_at === null ? 'open' : 'resolved'} ${title}`,
    );
    return lines.join('\n') || 'No incident is told.';
  }
  if (what === 'open' && (count === 3 || count === 4)) {
    const [title, touched = '', text, since] = words;
    const started_at = since === undefined ? null : instant(since);
    const input = { title, impact: impactOf(touched), text, started_at };
    const { body } = await perform('open_incident', await context(), input);
    return `${body.incident_key} is open. /status shows it.`;
  }
  if ((what === 'update' || what === 'resolve') && count === 2) {
    const [incident_key, text] = words;
    await perform(`${what}_incident`, await context(), { incident_key, text });
    return what === 'update' ? `${incident_key} has a new update.` : `${incident_key} is resolved.`;
  }
  throw new Refusal(usage);
});

/** `card=down,checks=degraded` as an object; the operation judges it. */
function impactOf(text: string): Record<string, string> {
  return Object.fromEntries(text.split(',').map((each) => each.split('=', 2).map((word) => word.trim())));
}

function instant(text: string): string {
  const at = new Date(text);
  if (Number.isNaN(at.getTime())) throw new Refusal(usage);
  return at.toISOString();
}
