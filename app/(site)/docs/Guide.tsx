import { Price } from '@/components/purchases/Price.tsx';
import { CodeBlock } from '@/components/ui/CodeBlock.tsx';
import { Key } from '@/components/ui/Key.tsx';
import { operations } from '@/server/operations.ts';
import { defaultGrant, seconds, service } from '@/server/service/terms.ts';
import { bounds } from '@/server/work-check/contract.ts';
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
  ['/.well-known/svc', 'discovery: where everything is, as JSON'],
  [
    `/api/agent/v1/services/${service.serviceKey}`,
    'the service contract: schemas, terms, price, availability, a sample report',
  ],
  ['/openapi.json', 'every operation as OpenAPI 3.1'],
  ['/llms.txt', 'a one-page summary in plain text'],
  ['/docs.md', 'this guide as Markdown'],
  ['/.well-known/jwks.json', 'the public keys that verify receipts'],
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
        An agent signs in with an EVM wallet. <Key>{`${challenge.method} ${challenge.path}`}</Key> returns a message.
        Sign it with <Key>personal_sign</Key> (EIP-191) within {seconds.challengeLifetime / MINUTE} minutes and send the
        signature to <Key>{`${verify.method} ${verify.path}`}</Key>. The session lasts {seconds.walletSession / HOUR}{' '}
        hour. A wallet may spend <Price microcents={defaultGrant.per_job_limit_microcents} /> a check and{' '}
        <Price microcents={defaultGrant.daily_limit_microcents} /> per UTC day; nobody can raise these limits.
      </p>
      <p>
        Send the token as <Key>Authorization: Bearer …</Key>. Keep it in protected storage: never in a prompt, in
        submitted work or in a URL. When the same wallet signs in again, it sees the same quotes, jobs, reports and
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
        person’s address. With <Key>mode: new_customer</Key> the person gets an e-mail and either confirms with its
        link, within {seconds.registration / MINUTE} minutes, or reads you its six-digit code, within{' '}
        {seconds.registrationCode / MINUTE}. With <Key>mode: link_existing</Key> show the person{' '}
        <Key>verification_url</Key> and <Key>user_code</Key>. A signed-in member types the code there and sets the
        limits.
      </p>
      <p>
        Then fetch the credential with <Key>{`${claim.method} ${claim.path}`}</Key>, your <Key>claim_token</Key> and, if
        the person read you one, the <Key>code</Key>. The credential is sent only once. Use it within{' '}
        {seconds.credentialFirstUse / MINUTE} minutes, or it is revoked and a member must let you fetch another.
      </p>
      <p>
        <Key>{`${rotate.method} ${rotate.path}`}</Key> gives you the next credential. The old one works until the new
        one has been in use for {seconds.rotationGrace / MINUTE} minutes, so a lost answer does not lock you out.
      </p>
    </>
  );
}

function Repeat() {
  return (
    <ul className="list-disc space-y-2 pl-5">
      <li>
        You can repeat any request with the same idempotency key and the same body. A different body under the same key
        is refused.
      </li>
      <li>A timeout cancels nothing. Don’t buy again: read the job.</li>
      <li>
        While the outcome of a payment is unknown, the answer is <Key>payment_unknown</Key>. Do not pay again; repeat
        the same request after <Key>Retry-After</Key>.
      </li>
      <li>Money is in whole microcents: 100,000,000 are 1 USD. Times are ISO 8601 in UTC.</li>
    </ul>
  );
}

function Follow() {
  const { jobs, events } = operations;
  return (
    <>
      <p>
        <Key>{`${jobs.method} ${jobs.path}`}</Key> lists what you bought, newest first. To get the next page, send{' '}
        <Key>next_after</Key> of this one as <Key>after</Key>. <Key>{`${events.method} ${events.path}`}</Key> lists the
        events of your purchases, oldest first. Keep its <Key>next_after</Key> and send it with{' '}
        <Key>Prefer: wait=25</Key> to wait for the next event.
      </p>
      <p>
        If you send a credential, the <Key>RateLimit</Key> header of the answer says how many requests are left; public
        documents and the 402 have none. Past the limit the answer is <Key>rate_limited</Key> with{' '}
        <Key>Retry-After</Key>, and nothing is done.
      </p>
    </>
  );
}

function GovernedSources() {
  const { sources } = operations;
  return (
    <p>
      Members of an account can store documents for the service to retrieve. An agent whose grant covers them lists them
      with <Key>{`${sources.method} ${sources.path}`}</Key> and names up to {bounds.context_refs} of their{' '}
      <Key>source_key</Key> in a check: <Key>{'{"context": {"refs": ["source_…"]}}'}</Key>. The report keeps them apart
      from what you supplied, and says where the two contradict each other. If a document has been removed by then, the
      delivery fails at no charge.
    </p>
  );
}

function Mcp() {
  return (
    <>
      <p>
        Ten tools at <Key>/mcp</Key> cover the purchase from quote to receipt. Lists, events and sources are REST only,
        with the same credential. If you lost a key, find the job with <Key>GET /api/agent/v1/jobs</Key>, or by its{' '}
        <Key>quote_key</Key> with <Key>svc.purchase_status</Key>. Send the credential as{' '}
        <Key>Authorization: Bearer …</Key> with the connection, never as an argument; listing the tools needs none.
        <Key>/mcp?profile=buyer</Key> lists the same tools with dots in their names, as the service contract spells
        them, and a call may use either name. <Key>/mcp?profile=reader</Key> has only those that move no money.
      </p>
      <p>
        A host that signs people in needs no credential: give it the address <Key>/mcp</Key>. It sends you here, you set
        the limits, and it becomes an agent of your account (OAuth 2.1, with registration or a client metadata
        document).
      </p>
      <p>
        Pass path parameters and body fields together as arguments. <Key>wait_seconds</Key> of{' '}
        <Key>svc.purchase_status</Key> waits for a change. A refusal is a result with <Key>isError</Key> and the same
        object as over REST. <Key>svc.pay</Key> returns what to sign; repeat the call with the signed payment as{' '}
        <Key>payment</Key>, or in <Key>_meta[&quot;x402/payment&quot;]</Key>.
      </p>
    </>
  );
}

function Security() {
  return (
    <p>
      Found a vulnerability?{' '}
      <a href="/contact" className="link">
        Tell whoever runs this service
      </a>{' '}
      first and give them time to fix it. Test only with your own wallet and your own work. For anything else, use the
      sandbox that comes with the source.
    </p>
  );
}

/** The guide, section by section: `/docs` shows it as a page, `/docs.md` as Markdown. */
export function Guide({ contract, assessment, isTest }: Pick<Offer, 'contract' | 'assessment' | 'isTest'>) {
  return (
    <>
      <Section id="find" title="Find the service">
        <p>
          Point your agent at <Key>/.well-known/svc</Key>. It finds the rest from there without reading this page.
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
          name={`A complete body for ${operations.check_work.method} ${operations.check_work.path}`}
          code={JSON.stringify({ ...contract.example_request, ...clientFields(contract.price) }, null, 2)}
        />
        <Flow />
      </Section>
      <Section id="pay" title="Pay">
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
          A refusal is a JSON object (RFC 9457). It has a <Key>code</Key>, says whether the same request can succeed
          later, and has a request id. Each code has a page.
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
