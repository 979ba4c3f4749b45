import { renderToStaticMarkup } from 'react-dom/server';
import { describe, expect, it } from 'vitest';
import type { Incident } from '@/server/availability/incident-contract.ts';
import { Incidents } from './Incidents.tsx';

const incident: Incident = {
  incident_key: 'incident_1',
  title: 'Cards fail',
  impact: { card: 'down', checks: 'degraded' },
  started_at: '2026-11-22T20:00:00.000Z',
  resolved_at: null,
  updates: [{ at: '2026-11-22T20:05:00.000Z', text: 'Looking.' }],
};
const markupOf = (incidents: Incident[] | null) => renderToStaticMarkup(<Incidents incidents={incidents} />);
const wordsOf = (incidents: Incident[] | null) =>
  markupOf(incidents)
    .replace(/<[^>]+>/g, ' ')
    .replace(/\s+/g, ' ');

describe('the incidents of the status page', () => {
  it('say of an empty record only that it is empty, and of one that cannot be read only that', () => {
    expect(wordsOf([])).toContain('No open incident is on record.');
    expect(wordsOf([])).toContain('None on record.');
    const unread = wordsOf(null);
    expect(unread).toContain('The record of incidents cannot be read right now.');
    expect(unread).not.toMatch(/No open|None/);
  });

  it('show what is open above what is resolved, with what it touches', () => {
    const resolved = {
      ...incident,
      incident_key: 'incident_2',
      title: 'Late',
      resolved_at: '2026-11-22T21:00:00.000Z',
    };
    const words = wordsOf([incident, resolved]);
    expect(words.indexOf('Cards fail')).toBeLessThan(words.indexOf('Late'));
    expect(words).toContain('Payment by card: down, Checks: slow or failing at times');
    expect(words).toContain('Open.');
    expect(words).toContain('Resolved 22 Nov 2026, 21:00 UTC');
  });

  it('show hostile text as text', () => {
    const text = '<img src=x onerror=alert(1)><script>alert(1)</script>';
    const markup = markupOf([{ ...incident, title: text, updates: [{ at: incident.started_at, text }] }]);
    expect(markup).not.toMatch(/<img|<script/);
    expect(markup.split('&lt;script&gt;')).toHaveLength(3);
  });

  it('lead to the feed and the JSON', () => {
    for (const href of ['/status.atom', '/status.json']) expect(markupOf([])).toContain(`href="${href}"`);
  });
});
