import { Price } from '@/components/purchases/Price.tsx';
import { CodeBlock } from '@/components/ui/CodeBlock.tsx';
import { Key } from '@/components/ui/Key.tsx';
import { operations } from '@/server/operations.ts';
import { defaultGrant, seconds, service } from '@/server/service/terms.ts';
import { clientFields, type Offer } from '../offer.ts';
import { Flow } from './Flow.tsx';
import { Meanings } from './Meanings.tsx';
import { Paying } from './Paying.tsx';
import { Proofs } from './Proofs.tsx';
import { Operations, Problems } from './Reference.tsx';
import { Section } from './Section.tsx';
import { Terms } from './Terms.tsx';

const MINUTE = 60;
const HOUR = 60 * MINUTE;

const documents = [
  ['/.well-known/svc', 'where everything is, as data'],
  [
    `/api/agent/v1/services/${service.serviceKey}`,
    'the service contract: schemas, terms, price, availability, a sample report',
  ],
  ['/openapi.json', 'every operation as OpenAPI 3.1'],
  ['/llms.txt', 'the same in a page of plain text'],
  ['/docs.md', 'this guide as Markdown'],
  ['/.well-known/jwks.json', 'the public keys that receipts are signed with'],
] as const;

function Find() {
  return (
    <ul className="border-t border-ink text-ui">
      {documents.map(([path, what]) => (
        <li
          key={path}
          className="grid gap-x-4 border-b border-line py-2 md:grid-cols-[22rem_minmax(0,1fr)] md:items-baseline"
        >
          <a href={path} className="link key inline-flex min-h-6 items-center">
            {path}
          </a>
          <span>{what}</span>
        </li>
      ))}
    </ul>
  );
}

function SignIn() {
  const { wallet_challenge: challenge, wallet_verify: verify } = operations;
  return (
    <>
      <p>
        An agent signs in with an EVM wallet. <Key>{`${challenge.method} ${challenge.path}`}</Key> answers a message;
        sign it with <Key>personal_sign</Key> (EIP-191) within {seconds.challengeLifetime / MINUTE} minutes and send the
        signature to <Key>{`${verify.method} ${verify.path}`}</Key>. The session lasts {seconds.walletSession / HOUR}{' '}
        hour. Signing in pays for nothing. A wallet may spend{' '}
        <Price microcents={defaultGrant.per_job_limit_microcents} /> a check and{' '}
        <Price microcents={defaultGrant.daily_limit_microcents} /> a day in UTC; nobody can raise that.
      </p>
      <p>
        Send the token as <Key>Authorization: Bearer …</Key>. Keep it in protected storage: never in a prompt, in
        submitted work or in an address. After signing in again the same wallet sees the same quotes, jobs, reports and
        receipts.
      </p>
    </>
  );
}

function Register() {
  const { register, claim, rotate_credential: rotate } = operations;
  return (
    <>
      <p>
        An agent that buys for a person registers with <Key>{`${register.method} ${register.path}`}</Key> and names the
        person’s address. With <Key>mode: new_customer</Key> the person gets a letter, and confirms by its link or reads
        you its six digits within {seconds.registrationCode / MINUTE} minutes. With <Key>mode: link_existing</Key> show
        the person <Key>verification_url</Key> and <Key>user_code</Key>: a signed-in member types the code and sets the
        limits.
      </p>
      <p>
        Then fetch the credential with <Key>{`${claim.method} ${claim.path}`}</Key>, your <Key>claim_token</Key> and, if
        you were read one, the <Key>code</Key>. One answer carries it. Use it within{' '}
        {seconds.credentialFirstUse / MINUTE} minutes, or it is revoked and a member must let you fetch another.
      </p>
      <p>
        <Key>{`${rotate.method} ${rotate.path}`}</Key> gives you the next credential. The old one lives until the new
        one has been in use for {seconds.rotationGrace / MINUTE} minutes, so a lost answer locks nobody out.
      </p>
    </>
  );
}

function Repeat() {
  return (
    <ul className="list-disc space-y-2 pl-5">
      <li>
        Any request may be repeated with the same idempotency key and the same body. A changed body under the same key
        is refused.
      </li>
      <li>
        A time-out on your side cancels nothing and is no reason to buy again. Read the job to see where it stands.
      </li>
      <li>
        While the outcome of a payment is unknown the answer is <Key>payment_unknown</Key>. Do not pay again; repeat the
        same request after <Key>Retry-After</Key>.
      </li>
      <li>Money is in whole microcents: 100,000,000 are 1 USD. Instants are ISO 8601 in UTC.</li>
    </ul>
  );
}

function Follow() {
  const { jobs, events } = operations;
  return (
    <>
      <p>
        <Key>{`${jobs.method} ${jobs.path}`}</Key> lists what you bought, the newest first; <Key>next_after</Key> of a
        page is <Key>after</Key> of the next. <Key>{`${events.method} ${events.path}`}</Key> tells what has happened to
        all of it since, the oldest first: keep <Key>next_after</Key>, and ask with it and <Key>Prefer: wait=25</Key>{' '}
        for what happens next. It leaves no event out.
      </p>
      <p>
        Answers to a caller with a credential say in <Key>RateLimit</Key> how many requests are left; public documents
        and the 402 do not. Past the limit the answer is <Key>rate_limited</Key>, with <Key>Retry-After</Key>; nothing
        was done.
      </p>
    </>
  );
}

function GovernedSources() {
  const { sources } = operations;
  return (
    <p>
      Members of an account can give the service documents to retrieve by itself. An agent whose grant covers them lists
      them with <Key>{`${sources.method} ${sources.path}`}</Key> and names them in <Key>context.refs</Key>. The report
      keeps them apart from what you supplied, and says where the two contradict each other. A document that is gone by
      then fails the delivery, at no charge.
    </p>
  );
}

function Mcp() {
  return (
    <>
      <p>
        The purchase, from quote to receipt, is ten tools at <Key>/mcp?profile=buyer</Key>. Lists, events and sources
        are REST only, with the same credential: an agent that lost a key finds its job with{' '}
        <Key>GET /api/agent/v1/jobs</Key>, or by its <Key>quote_key</Key> with <Key>svc.purchase_status</Key>. Send the
        credential as <Key>Authorization: Bearer …</Key> with the connection, never as an argument; the list of tools
        needs none. A client that refuses dots in names asks for <Key>/mcp?profile=buyer&amp;names=snake</Key>.
      </p>
      <p>
        Arguments are the keys of the address and the body, side by side; <Key>wait_seconds</Key> of{' '}
        <Key>svc.purchase_status</Key> waits for a change. A refusal is a result with <Key>isError</Key> and the same
        object as over REST. <Key>svc.pay</Key> answers what to sign; repeat the call with the signed payment in{' '}
        <Key>_meta[&quot;x402/payment&quot;]</Key>.
      </p>
    </>
  );
}

function Security() {
  return (
    <p>
      Found a weakness?{' '}
      <a href="/contact" className="link">
        Tell whoever runs this service
      </a>{' '}
      before you tell the world, and give them time to mend it. Try things only with your own wallet and your own work.
      The sandbox that comes with the source is there for the rest.
    </p>
  );
}

/** The guide, section by section: `/docs` shows it as a page, `/docs.md` as Markdown. */
export function Guide({ contract, assessment, isTest }: Pick<Offer, 'contract' | 'assessment' | 'isTest'>) {
  return (
    <>
      <Section id="find" title="Find the service">
        <p>
          Point your agent at <Key>/.well-known/svc</Key>: from there it finds the rest without reading this page.
        </p>
        <Find />
      </Section>
      <Section id="sign-in" title="Sign in with a wallet">
        <SignIn />
      </Section>
      <Section id="register" title="Register for a customer">
        <Register />
      </Section>
      <Section id="buy" title="Buy a check">
        <CodeBlock
          name={`A whole body of ${operations.check_work.method} ${operations.check_work.path}`}
          code={JSON.stringify({ ...contract.example_request, ...clientFields(contract.price) }, null, 2)}
        />
        <Flow />
      </Section>
      <Section id="pay" title="Pay over x402">
        <Paying testFunds={isTest ? String(contract.terms.test_funds) : null} />
      </Section>
      <Section id="read" title="Read a report">
        <Meanings assessment={assessment} />
      </Section>
      <Section id="proofs" title="Digests and signatures">
        <Proofs />
      </Section>
      <Section id="repeat" title="Repeat safely">
        <Repeat />
      </Section>
      <Section id="follow" title="Follow along">
        <Follow />
      </Section>
      <Section id="sources" title="Governed sources">
        <GovernedSources />
      </Section>
      <Section id="mcp" title="Buy over MCP">
        <Mcp />
      </Section>
      <Section id="operations" title="Operations">
        <Operations />
      </Section>
      <Section id="problems" title="Problems">
        <p>
          A refusal is a JSON object (RFC 9457) with a <Key>code</Key>, whether the same request can succeed later, and
          a request id. Each code has a page.
        </p>
        <Problems />
      </Section>
      <Section id="terms" title={`Terms ${service.termsVersion}`}>
        <Terms />
      </Section>
      <Section id="security" title="Security">
        <Security />
      </Section>
    </>
  );
}
