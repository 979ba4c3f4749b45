import { expect, it } from 'vitest';
import type { Operation } from '../door/operation.ts';
import { operations } from '../operations.ts';
import { changesOfMembers } from './member-roles.ts';

it('the table of roles names every change that a member may ask for, and nothing else', () => {
  const changes = (Object.values(operations) as Operation[])
    .filter(({ audience, effect }) => audience.includes('member') && !audience.includes('public') && effect !== 'read')
    .map(({ name }) => name);
  expect(changesOfMembers.toSorted()).toEqual(changes.toSorted());
});
