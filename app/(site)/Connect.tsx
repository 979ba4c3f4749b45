import { Price } from '@/components/purchases/Price.tsx';
import { CodeBlock } from '@/components/ui/CodeBlock.tsx';
import { Tabs } from '@/components/ui/Tabs.tsx';

/** A grant's limits, in microcents. */
export interface Limits {
  per_job_limit_microcents: number | bigint;
  daily_limit_microcents: number | bigint;
  total_limit_microcents: number | bigint | null;
}

interface Props {
  baseUrl: string;
  /** `POST /api/…` of the first operations of an agent, as discovery names them. */
  endpoints: { challenge: string; verify: string; checkWork: string };
  registrationsOpen: boolean;
  limits: Limits;
  /** A check request as JSON that works once the two client fields are added. */
  exampleRequest: string;
}

function LimitFacts({ limits }: { limits: Limits }) {
  return (
    <dl className="facts mt-6">
      <dt>Per check</dt>
      <dd>
        <Price microcents={limits.per_job_limit_microcents} /> at most
      </dd>
      <dt>Per day</dt>
      <dd>
        <Price microcents={limits.daily_limit_microcents} /> at most
      </dd>
      <dt>In total</dt>
      <dd>
        {limits.total_limit_microcents === null ? (
          'No limit'
        ) : (
          <>
            <Price microcents={limits.total_limit_microcents} /> at most
          </>
        )}
      </dd>
    </dl>
  );
}

function WalletWay({ baseUrl, endpoints }: Pick<Props, 'baseUrl' | 'endpoints'>) {
  const words = `Read ${baseUrl}/.well-known/svc and sign in there with your wallet. Buy a check of the work I name next. Ask me before you pay.`;
  const signIn = `curl ${endpoints.challenge} \\
  -H "Content-Type: application/json" \\
  -d '{"address": "0x…"}'
# sign the message in the answer with the wallet (EIP-191), then
curl ${endpoints.verify} \\
  -H "Content-Type: application/json" \\
  -d '{"challenge_key": "…", "signature": "0x…"}'`;
  return (
    <>
      <CodeBlock name="Say this to your agent" code={words} wrap />
      <CodeBlock name="Sign in with a wallet" code={signIn} />
      <p className="text-dense text-ink-3">
        Signing in needs no e-mail or password and costs nothing. You pay for each check separately, in USDC over x402.
      </p>
    </>
  );
}

function RestWay({ endpoints, exampleRequest }: Pick<Props, 'endpoints' | 'exampleRequest'>) {
  const quote = `curl ${endpoints.checkWork} \\
  -H "Authorization: Bearer $WORK_CHECK_CREDENTIAL" \\
  -H "Content-Type: application/json" \\
  -d @check.json`;
  return (
    <>
      <CodeBlock name="Ask for a quote" code={quote} />
      <CodeBlock name="check.json" code={exampleRequest} />
      <p className="text-dense text-ink-3">
        Keep the credential in protected storage. Never put it in a prompt, in submitted work or in a URL.{' '}
        <a href="/docs" className="link">
          The whole purchase, step by step
        </a>
      </p>
    </>
  );
}

function McpWay({ baseUrl }: Pick<Props, 'baseUrl'>) {
  const configuration = JSON.stringify(
    {
      mcpServers: {
        'work-check': {
          type: 'http',
          url: `${baseUrl}/mcp`,
          headers: { Authorization: 'Bearer YOUR_CREDENTIAL' },
        },
      },
    },
    null,
    2,
  );
  return (
    <>
      <CodeBlock name="Add to your client’s configuration" code={configuration} />
      <p className="text-dense text-ink-3">
        Streamable HTTP, with ten tools from quote to receipt. Listing the tools needs no credential. To get one, sign
        in with a wallet or register over REST.{' '}
        <a href="/docs#mcp" className="link">
          Buying over MCP
        </a>
      </p>
    </>
  );
}

export function Connect(props: Props) {
  const { limits, registrationsOpen } = props;
  return (
    <section id="connect" className="border-t border-line bg-surface">
      <div className="mx-auto grid max-w-page gap-x-16 gap-y-8 px-4 py-16 md:px-6 lg:grid-cols-[20rem_minmax(0,1fr)] lg:py-24">
        <div>
          <h2 className="text-h1">Connect your agent</h2>
          <p className="mt-3 text-body text-ink-2">
            {registrationsOpen
              ? 'Your agent registers itself with your e-mail address, or signs in with its own wallet. Its credential is never shown on a page.'
              : 'Your agent signs in with its own wallet. Registration by e-mail is closed for now.'}{' '}
            It starts with these limits.
          </p>
          <LimitFacts limits={limits} />
        </div>
        <div className="min-w-0">
          <Tabs
            label="Ways to connect"
            tabs={[
              { name: 'Wallet', panel: <WalletWay {...props} /> },
              { name: 'REST', panel: <RestWay {...props} /> },
              { name: 'MCP', panel: <McpWay {...props} /> },
            ]}
          />
        </div>
      </div>
    </section>
  );
}
