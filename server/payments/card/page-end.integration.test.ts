import { beforeAll, describe, expect, it } from 'vitest';
import { Agent } from '../../../e2e/support/agent.ts';
import { buyingByCard, click, listen, payByCard, stripeOf } from '../../../e2e/support/card.ts';
import { startService, withCard } from '../../../e2e/support/service.ts';

const service = await startService(withCard);
const stripe = stripeOf(service);
beforeAll(() => listen(service));
const stranger = new Agent(service.baseUrl, `0x${'2'.repeat(64)}`);

// Apart from the others: the provider's clock does not go back.
describe('a payment link', () => {
  it('ends when nobody pays in time, and the job lapses', async () => {
    const { agent } = await buyingByCard(service);
    const [unopened, opened] = [await agent.authorizedJob(), await agent.authorizedJob()];
    await payByCard(agent, unopened);
    const { body } = await payByCard(agent, opened);
    await click(stranger, body.payment_key);
    await stripe.advance(86_400);
    service.advanceClock(86_460);
    // Until the provider answers, nobody knows whether it was paid.
    expect((await click(stranger, body.payment_key)).body.code).toBe('payment_unknown');
    await service.sweep();
    await service.sweep();
    expect((await agent.job(unopened)).body.state).toBe('canceled');
    expect((await agent.job(opened)).body.state).toBe('canceled');
    service.advanceClock(-86_460);
  });
});
