import { noteRoleChange } from '../server/console/acts.ts';
import { type Role, roles } from '../server/console/roles.ts';
import { grantRole, operatorsNow, revokeRole } from '../server/identity/operators.ts';
import { transact } from '../server/kernel/transaction.ts';
import { runForOperator } from './operator.ts';
import { Refusal } from './refusal.ts';

const usage = `Say what: npm run operator -- grant ADDRESS ${roles.join('|')}, revoke ADDRESS, or list`;

/**
 * `npm run operator -- grant ADDRESS ROLE` gives whoever signs in with the address access to the console; `revoke
 * ADDRESS` ends that at once; `list` shows who has it. Each change is audited.
 */
await runForOperator({ words: 1, usage }, async ([what, address = '', role = ''], { db }) => {
  if (what === 'list') {
    const all = await operatorsNow(db);
    return all.map(({ email, role: has }) => `${email} ${has}`).join('\n') || 'Nobody has a role.';
  }
  const isAddress = /^[^@\s]+@[^@\s]+$/.test(address);
  const now = new Date();
  if (what === 'grant' && isAddress && isRole(role)) {
    await transact(db, async (tx) => {
      await grantRole(tx, address, role, now);
      noteRoleChange(tx, address, `granted ${role}`, now);
    });
    return `${address} is ${role} from the next request on.`;
  }
  if (what === 'revoke' && isAddress) {
    const revoked = await transact(db, async (tx) => {
      const had = await revokeRole(tx, address);
      if (had) noteRoleChange(tx, address, 'revoked', now);
      return had;
    });
    if (!revoked) throw new Refusal(`${address} has no role.`);
    return `${address} has no role any more.`;
  }
  throw new Refusal(usage);
});

function isRole(word: string): word is Role {
  return (roles as readonly string[]).includes(word);
}
