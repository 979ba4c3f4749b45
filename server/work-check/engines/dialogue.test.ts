import { describe, expect, it } from 'vitest';
import { evidenceOf, statementOf } from '../material-trial.ts';
import { findWrongActor, findWrongOwner, findWrongSpeaker, turnsOf } from './dialogue.ts';

const meeting = [
  'Ana: The pharmacies need the recall notice. Tomasz, could you inform the pharmacies?',
  'Tomasz: Yes, by Friday.',
  "Ines: I'll book the laboratory for the second sample.",
  'Ana: Good. The batch stays locked until the laboratory answers us.',
  'Ines: I can call the minister as well.',
  'Ana: No, that is not needed.',
].join('\n');
const turns = turnsOf(evidenceOf(meeting));

describe('the turns of a conversation', () => {
  it.each([
    ['names', meeting, 6],
    ['times before names', '10:01 Ana: Hello all.\n10:02 Ben: Hello.\n10:03 Ana: Who starts?\n10:04 Ben: I start.', 4],
    ['too few lines', 'Ana: Hello all.\nBen: Hello.', 0],
    ['one speaker', 'Ana: One.\nAna: Two.\nAna: Three.\nAna: Four.', 0],
    ['fields of a form', 'Name: Lund\nDate: 4 May\nPlace: Leeds\nPrice: 40', 0],
  ])('with %s', (_, text, count) => {
    expect(turnsOf(evidenceOf(text))).toHaveLength(count);
  });
});

describe('a task', () => {
  const owner = (work: string) => findWrongOwner(statementOf(work), turns)?.known;

  it.each([
    ['Ines informs the pharmacies by Friday.', 'Tomasz'],
    ['Tomasz books the laboratory for the second sample.', 'Ines'],
  ])('%s is given to the wrong person', (work, known) => {
    expect(owner(work)).toBe(known);
  });

  it.each([
    'Tomasz informs the pharmacies by Friday.',
    'Ines books the laboratory for the second sample.',
    'Ana calls the minister.',
    'Tomasz cleans the windows.',
    'Castell informs the pharmacies.',
    'The batch stays locked.',
  ])('%s accuses nobody', (work) => {
    expect(owner(work)).toBeUndefined();
  });
});

describe('an act', () => {
  const incident = [
    '[09:05] Lena: seeing it too, checkout only',
    '[09:14] Lena: rolling back to v411',
    '[09:27] Ravi: latency is back at 310 ms',
    '[09:30] Omar: posting the status update',
    '[09:35] Ravi: I restarted the worker as well',
    '[09:36] Omar: Lena, thanks for restarting the cache',
  ].join('\n');
  const actor = (work: string) => findWrongActor(statementOf(work), turnsOf(evidenceOf(incident)))?.known;

  it.each([
    ['Omar rolled back to v411, which took eight minutes.', 'Lena'],
    ['Lena posted a status update.', 'Omar'],
  ])('%s is given to the wrong person', (work, known) => {
    expect(actor(work)).toBe(known);
  });

  it.each([
    'Lena rolled back to v411.',
    'Omar posted the status update.',
    'Lena restarted the cache.',
    'Lena restarted the worker.',
    'Ravi confirmed the rollback to v411.',
    'Mira rolled back to v411.',
    'Omar opened a ticket.',
  ])('%s accuses nobody', (work) => {
    expect(actor(work)).toBeUndefined();
  });
});

describe('a quotation', () => {
  const speaker = (work: string) => findWrongSpeaker(statementOf(work), turns)?.known;

  it('under another name than the speaker’s is wrong', () => {
    expect(speaker('“The batch stays locked until the laboratory answers us,” said Ines.')).toBe('Ana');
  });

  it.each([
    '“The batch stays locked until the laboratory answers us,” said Ana.',
    '“The batch stays locked until the laboratory answers us,” somebody said.',
    '“The batch will be destroyed as soon as we can,” said Ines.',
    '“The batch stays,” said Ines.',
  ])('%s accuses nobody', (work) => {
    expect(speaker(work)).toBeUndefined();
  });
});
