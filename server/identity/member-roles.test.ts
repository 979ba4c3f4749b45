import { expect, it } from 'vitest';
import { changesOfMembers } from '../operation/member-roles.ts';
import type { Operation } from '../operation/operation.ts';
import { operations } from '../operations.ts';

it('the table of roles names every change that a member may ask for, and nothing else', () => {
  const changes = (Object.values(operations) as Operation[])
    .filter(({ audience, effect }) => audience.includes('member') && !audience.includes('public') && effect !== 'read')
    .map(({ name }) => name);
  expect(changesOfMembers.toSorted()).toEqual(changes.toSorted());
});
