import { describe, expect, it } from 'vitest';
import { Customer, newAgent, register } from '../../e2e/support/customer.ts';
import { startService } from '../../e2e/support/service.ts';

const operator = { name: 'Example Checks Ltd', email: 'help@check.example' };
const service = await startService({ OPERATOR_NAME: operator.name, OPERATOR_EMAIL: operator.email });
const reader = newAgent(service);
const documentAt = async (path: string) => (await fetch(new URL(path, service.baseUrl))).text();

describe('who runs the service', () => {
  it('stands in the contract, in OpenAPI and in security.txt, with the pages about it', async () => {
    const { terms } = (await reader.get('/api/agent/v1/services/svc_work_check')).body;
    expect(terms.operator).toEqual(operator);
    expect(terms.pages).toEqual({
      terms: `${service.baseUrl}/terms`,
      privacy: `${service.baseUrl}/privacy`,
      contact: `${service.baseUrl}/contact`,
    });
    const { info } = JSON.parse(await documentAt('/openapi.json'));
    expect(info).toMatchObject({ contact: operator, termsOfService: terms.pages.terms });
    const lines = (await documentAt('/.well-known/security.txt')).split('\n');
    expect(lines).toContain(`Contact: mailto:${operator.email}`);
    expect(lines).toContain(`Contact: ${terms.pages.contact}#security`);
  });
});

describe('the address of a problem', () => {
  it('answers JSON to an agent that asks for it', async () => {
    const { status, body } = await reader.get('/problems/quote_expired', { accept: 'application/json' });
    expect([status, body]).toEqual([
      200,
      {
        code: 'quote_expired',
        status: 409,
        title: 'The quote has expired',
        retryable: false,
        next: 'Ask for a new quote.',
      },
    ]);
  });
});

describe('the letter of a registration', () => {
  it('names only ways to pay that are open here, and says plainly what is not limited or verified', async () => {
    const customer = new Customer(service);
    await register(reader, customer.email, { agent: { name: 'Procurement Assistant' } });
    const { text } = await customer.newestLetter();
    expect(text).not.toContain('pay by card');
    expect(text).toContain('pay from its own crypto wallet (USDC)');
    expect(text).toContain('Cards are not set up here.');
    expect(text).toContain('There is no total limit; you can set one.');
    expect(text).toContain('The name was not verified.');
    expect(text.split('\n').slice(2, 4)).toEqual([
      'See the request and decide:',
      expect.stringContaining('/confirm?link='),
    ]);
  });
});
