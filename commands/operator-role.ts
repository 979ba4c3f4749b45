import { createInterface } from 'node:readline/promises';
import { noteRoleChange } from '../server/console/acts.ts';
import { canSignIn, grantRole, operatorsNow, revokeRole } from '../server/identity/operators.ts';
import { transact } from '../server/kernel/transaction.ts';
import { type Role, roles } from '../server/operation/operator-roles.ts';
import { runForOperator } from './operator.ts';
import { Refusal } from './refusal.ts';

const usage = `Say what: npm run operator -- grant ADDRESS ${roles.join('|')} [--yes], revoke ADDRESS, or list`;

/**
 * `npm run operator -- grant ADDRESS ROLE` gives whoever signs in with the address access to the console. It asks first
 * where nobody has the address, unless `--yes` says so: a slip of the pen would let in a stranger. `revoke ADDRESS` ends
 * access at once; `list` shows who has it. Each change is audited.
 */
await runForOperator({ words: 1, usage }, async (args, { db, now }) => {
  const words = args.filter((word) => word !== '--yes');
  const [what, address = '', role = ''] = words;
  if (what === 'list') {
    const all = await operatorsNow(db);
    return all.map(({ email, role: has }) => `${email} ${has}`).join('\n') || 'Nobody has a role.';
  }
  const isAddress = /^[^@\s]+@[^@\s]+$/.test(address);
  if (what === 'grant' && isAddress && isRole(role)) {
    if (words.length === args.length && !(await canSignIn(db, address))) await confirmNewcomer(address);
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

/** Throws a `Refusal` unless the person at the keyboard says `yes`. No answer is a no. */
async function confirmNewcomer(address: string): Promise<void> {
  const asked = createInterface({ input: process.stdin, output: process.stderr });
  const closed = new Promise<string>((resolve) => asked.once('close', () => resolve('')));
  const answer = await Promise.race([
    asked.question(`Nobody signs in with ${address} yet. Type yes to make an account for it: `),
    closed,
  ]);
  asked.close();
  if (answer.trim() !== 'yes') throw new Refusal('No role was given. Check the address, or repeat with --yes.');
}

function isRole(word: string): word is Role {
  return (roles as readonly string[]).includes(word);
}
