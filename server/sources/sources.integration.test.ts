import { describe, expect, it } from 'vitest';
import { Agent, type Answer, type Client } from '../../e2e/support/agent.ts';
import { Member } from '../../e2e/support/member.ts';
import { startService } from '../../e2e/support/service.ts';
import { exampleRequest } from '../work-check/sample.ts';

const service = await startService();
const at = '/api/agent/v1/sources';

/** An agent that may share governed sources, and a member of its account. */
async function governed(): Promise<{ agent: Agent; member: Member }> {
  const agent = await Agent.arrive(service);
  await service.database.pool.query('update grants set governed_refs = true where principal_key = $1', [
    agent.wallet.address.toLowerCase(),
  ]);
  return { agent, member: await Member.of(service, agent) };
}

const add = (member: Member, name: string, text: string, more = {}): Promise<Answer> =>
  member.post(at, { name, text, ...more });

/** What a check with this name reported. */
const checkIn = (report: Answer, name: string) =>
  report.body.verification.checks.find(({ check }: { check: string }) => check === name);

describe('the governed documents of an account', () => {
  it('are added and removed by its members, and listed by name for agents whose grant covers them', async () => {
    const { agent, member } = await governed();
    const text = '# Delivery\n\nThe seller pays for transport — always.\n';
    const added = await add(member, 'Handbook', text, { media_type: 'text/markdown' });
    expect(added.status).toBe(201);
    expect(added.body).toMatchObject({
      name: 'Handbook',
      media_type: 'text/markdown',
      bytes: Buffer.byteLength(text),
      digest: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
    });
    const stored = await service.database.pool.query('select text from sources where source_key = $1', [
      added.body.source_key,
    ]);
    expect(stored.rows[0].text).not.toContain('seller pays');
    await add(member, 'Annex', 'Annex.');
    const listed = await agent.get(at);
    expect(listed.body.sources.map(({ name }: { name: string }) => name)).toEqual(['Annex', 'Handbook']);
    expect(listed.text).not.toContain('seller pays');
    const removed = await member.send('DELETE', `${at}/${added.body.source_key}`);
    expect([removed.status, typeof removed.body.removed_at]).toEqual([200, 'string']);
    const again = await member.send('DELETE', `${at}/${added.body.source_key}`);
    expect(again.text).toBe(removed.text);
    expect((await agent.get(at)).body.sources).toHaveLength(1);
    const kept = await service.database.pool.query('select text, digest from sources where source_key = $1', [
      added.body.source_key,
    ]);
    expect(kept.rows).toEqual([{ text: null, digest: added.body.digest }]);
  });

  it('keep one document a name: the same one again is a repeat, another one is refused', async () => {
    const { member } = await governed();
    const first = await add(member, 'Terms', 'Net 30 days.');
    const repeat = await add(member, 'Terms', 'Net 30 days.');
    expect([repeat.status, repeat.body]).toEqual([200, first.body]);
    const other = await add(member, 'Terms', 'Net 60 days.');
    expect([other.status, other.body.code]).toEqual([409, 'source_name_taken']);
    await member.send('DELETE', `${at}/${first.body.source_key}`);
    expect((await add(member, 'Terms', 'Net 60 days.')).status).toBe(201);
  });

  it('are text: their bytes are counted, and what UTF-8 or PostgreSQL cannot hold is refused where it stands', async () => {
    const { member } = await governed();
    expect((await add(member, 'Full', `${'é'.repeat(16_383)}xx`)).body.bytes).toBe(32_768);
    const over = await add(member, 'Over', `${'é'.repeat(16_384)}x`);
    expect([over.status, over.body.errors[0]]).toMatchObject([
      422,
      { pointer: '/text', code: 'too_large', limit: 32_768, actual: 32_769 },
    ]);
    const raw = (text: string) =>
      member.send('POST', at, `{"name":"Odd","text":"${text}"}`, { 'content-type': 'application/json' });
    for (const text of ['a\\u0000b', 'a\\ud800b']) {
      expect((await raw(text)).body.errors[0]).toMatchObject({ pointer: '/text', code: 'forbidden_character' });
    }
    expect((await raw('  ')).body.errors[0]).toMatchObject({ pointer: '/text', code: 'blank' });
  });

  it('are 200 at most, however many are added at once', async () => {
    const { member } = await governed();
    await service.database.pool.query(
      `insert into sources (source_key, account_key, name, media_type, text, digest, bytes, added_by, added_at)
       select 'source_' || left(md5($1 || n), 22), $1, 'Document ' || n, 'text/plain', 'v2.0123456789abcdef.x', 'sha256:' || repeat('0', 64), 1,
         $2, now()
       from generate_series(1, 195) n`,
      [member.accountKey, member.memberKey],
    );
    const answers = await Promise.all(Array.from({ length: 12 }, (_, index) => add(member, `Racer ${index}`, 'x')));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(5);
    const refused = answers.filter(({ status }) => status !== 201);
    expect(new Set(refused.map(({ body }) => body.code))).toEqual(new Set(['source_limit_reached']));
    expect((await member.get(at)).body.sources).toHaveLength(200);
    // The database enforces the bound itself.
    const past = service.database.pool.query(
      `insert into sources (source_key, account_key, name, media_type, text, digest, bytes, added_by, added_at)
       values ('source_past', $1, 'Past', 'text/plain', 'v2.0123456789abcdef.x', 'sha256:0', 1, $2, now())`,
      [member.accountKey, member.memberKey],
    );
    await expect(past).rejects.toThrow('more than 200');
  });

  it('never change: the database refuses another text under the same key', async () => {
    const { member } = await governed();
    const { source_key } = (await add(member, 'Frozen', 'as it is')).body;
    const change = service.database.pool.query(
      `update sources set text = 'v2.0123456789abcdef.as it was' where source_key = $1`,
      [source_key],
    );
    await expect(change).rejects.toThrow('frozen');
  });
});

describe('a check that names governed sources', () => {
  const evidence = [{ source: 'Offer', text: 'The seller pays 120 EUR for transport.' }];

  it('is told at the quote which of them are not there, and freezes no price', async () => {
    const [{ agent, member }, stranger] = await Promise.all([governed(), governed()]);
    const own = (await add(member, 'Terms', 'The seller pays 120 EUR for transport.')).body.source_key;
    const foreign = (await add(stranger.member, 'Theirs', 'The buyer pays.')).body.source_key;
    const refused = await agent.quote({ context: { refs: [own, foreign, 'handbook'] } });
    expect([refused.status, refused.body.code]).toEqual([409, 'source_unavailable']);
    expect(refused.body.errors.map(({ pointer }: { pointer: string }) => pointer)).toEqual([
      '/context/refs/1',
      '/context/refs/2',
    ]);
  });

  it('has them retrieved, reported apart from what was supplied, and compared with it', async () => {
    const { agent, member } = await governed();
    const agreeing = (await add(member, 'Terms', 'The seller pays 120 EUR for transport. It takes a week.')).body;
    const contradicting = (await add(member, 'New terms', 'The seller pays 480 EUR for transport.')).body;
    const reportOn = async (refs: string[]) => {
      const job = await agent.paidJob({ ...exampleRequest, evidence, context: { refs } });
      await service.execute(job);
      return agent.get(`/api/agent/v1/jobs/${job}/report`);
    };
    const corroborated = await reportOn([agreeing.source_key, agreeing.source_key]);
    expect(corroborated.body.sources.independently_retrieved).toMatchObject([
      { source: 'Terms', digest: agreeing.digest, origin: 'retrieved' },
    ]);
    expect(checkIn(corroborated, 'source_corroboration')).toMatchObject({
      status: 'passed',
      detail: { independent_sources: 1, contradicted: 0 },
    });
    // A reader finds the passage of a citation as long as the document exists.
    const [job] = (await agent.get('/api/agent/v1/jobs')).body.jobs;
    const read = async (client: Client) => (await client.get(`/api/agent/v1/jobs/${job.job_key}/evidence`)).body.items;
    for (const reader of [agent, member]) {
      expect(await read(reader)).toMatchObject([
        { ref: 'evidence/0', source: 'Offer' },
        {
          ref: 'retrieved/0',
          source: 'Terms',
          digest: agreeing.digest,
          text: 'The seller pays 120 EUR for transport. It takes a week.',
        },
      ]);
    }
    await member.send('DELETE', `${at}/${agreeing.source_key}`);
    expect((await read(member))[1]).toMatchObject({ digest: agreeing.digest, text: null });
    const opposed = await reportOn([contradicting.source_key]);
    expect(checkIn(opposed, 'source_corroboration')).toMatchObject({ status: 'failed', detail: { contradicted: 1 } });
  });

  it('is found gone, or no longer covered by the grant, before money moves', async () => {
    const { agent, member } = await governed();
    const { source_key } = (await add(member, 'Terms', 'The seller pays.')).body;
    const job = await agent.authorizedJob({ context: { refs: [source_key] } });
    const setGrant = (covers: boolean) =>
      service.database.pool.query('update grants set governed_refs = $1 where principal_key = $2', [
        covers,
        agent.wallet.address.toLowerCase(),
      ]);
    await setGrant(false);
    const uncovered = await agent.pay(job);
    expect([uncovered.status, uncovered.body.code]).toEqual([403, 'grant_scope_missing']);
    await setGrant(true);
    const signature = await agent.signPayment(job);
    await member.send('DELETE', `${at}/${source_key}`);
    const gone = await agent.pay(job, { signature });
    expect([gone.status, gone.body.code]).toEqual([409, 'source_unavailable']);
    expect((await agent.job(job)).body).toMatchObject({ state: 'awaiting_payment', payment_state: 'none' });
  });

  it('fails, at no charge, when one of them is gone or no longer covered by the grant', async () => {
    const { agent, member } = await governed();
    const { source_key } = (await add(member, 'Terms', 'The seller pays.')).body;
    const [removed, withdrawn] = [
      await agent.paidJob({ context: { refs: [source_key] } }),
      await agent.paidJob({ context: { refs: [source_key] } }),
    ];
    const setGrant = (covers: boolean) =>
      service.database.pool.query('update grants set governed_refs = $1 where principal_key = $2', [
        covers,
        agent.wallet.address.toLowerCase(),
      ]);
    await setGrant(false);
    await service.execute(withdrawn);
    await setGrant(true);
    await member.send('DELETE', `${at}/${source_key}`);
    await service.execute(removed);
    for (const job of [removed, withdrawn]) {
      expect((await agent.job(job)).body).toMatchObject({
        state: 'failed',
        payment_state: 'credited',
        charge_state: 'none',
        failure: 'A governed source was no longer there to be retrieved.',
      });
    }
  });
});
