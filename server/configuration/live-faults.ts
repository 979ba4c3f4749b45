import { toHex } from 'viem';
import { mnemonicToAccount, privateKeyToAddress } from 'viem/accounts';

/** The mnemonic of every development chain: anybody can sign with its keys. */
const publicMnemonic = 'test test test test test test test test test test test junk';
/** How many of its accounts tools commonly use. */
const publicAccounts = 100;

/** Fewest distinct characters of a secret: fewer than one in 10^15 random ones of 43 characters fall below. */
const differentCharactersMin = 16;

/** The endings of the stand-in's Stripe keys. */
const sandboxSecret = /_localSandboxOnly$/;

interface LiveVariables {
  baseUrl: string;
  facilitatorUrl: string | undefined;
  rpcUrls: Readonly<Record<string, string>>;
  payTo: readonly string[];
  smtpUrl: string | undefined;
  mailFrom: string | undefined;
  archiveUrl: string | undefined;
  stripe: { apiUrl: string | undefined; secretKey: string | undefined; webhookSecrets: readonly string[] };
  /** Secrets by variable; a variable may hold several, comma-separated. */
  secrets: readonly (readonly [name: string, secret: string])[];
  trustedProxiesAreSet: boolean;
}

/** Sandbox settings that live mode refuses: one sentence each, with the variable. Pure. */
export function liveFaults(variables: LiveVariables): string[] {
  const { baseUrl, facilitatorUrl, rpcUrls, payTo, smtpUrl, archiveUrl, stripe, secrets } = variables;
  const addresses: [string, string | undefined][] = [
    ['BASE_URL', baseUrl],
    ['X402_FACILITATOR_URL', facilitatorUrl],
    ...Object.entries(rpcUrls).map(([network, url]): [string, string] => [`X402_RPC_URLS for ${network}`, url]),
    ['SMTP_URL', smtpUrl],
    ['ARCHIVE_URL', archiveUrl],
    ['STRIPE_API_URL', stripe.apiUrl],
  ];
  const given = addresses.flatMap(([name, url]) => (url ? [[name, new URL(url)] as const] : []));
  return [
    ...given
      .filter(([, url]) => isLoopback(url))
      .map(([name]) => `${name} is a loopback address, which production refuses`),
    ...given
      .filter(([, url]) => url.protocol === 'http:')
      .map(([name]) => `${name} is plain http: others can read and change its traffic`),
    ...(smtpUrl && !requiresTls(new URL(smtpUrl))
      ? ['SMTP_URL does not require TLS: use smtps://, or smtp:// with ?requireTLS=true for STARTTLS']
      : []),
    ...(variables.mailFrom && !smtpUrl
      ? [
          'SMTP_URL is missing: MAIL_FROM names a sender, and no letter leaves without a server; leave both out for none',
        ]
      : []),
    ...(payTo.some(isPublic) ? ['X402_PAY_TO belongs to the public test mnemonic: anyone has its key'] : []),
    ...[
      ['STRIPE_SECRET_KEY', stripe.secretKey ?? ''] as const,
      ...stripe.webhookSecrets.map((one) => ['STRIPE_WEBHOOK_SECRET', one] as const),
    ]
      .filter(([, secret]) => sandboxSecret.test(secret))
      .map(([name]) => `${name} is the sandbox's, which anyone knows`),
    ...secretFaults(secrets),
    ...(variables.trustedProxiesAreSet
      ? []
      : ['TRUSTED_PROXIES is missing: set the number of proxies in front, 0 for none; limits by address depend on it']),
  ];
}

function isLoopback({ hostname }: URL): boolean {
  return hostname === 'localhost' || hostname.endsWith('.localhost') || hostname === '[::1]' || /^127\./.test(hostname);
}

/** Whether mail is sent with TLS or not at all. Reads nodemailer's address parameters. */
function requiresTls({ protocol, searchParams }: URL): boolean {
  if (searchParams.get('ignoreTLS') === 'true' || searchParams.get('tls.rejectUnauthorized') === 'false') return false;
  return protocol === 'smtps:' || searchParams.get('requireTLS') === 'true';
}

function isPublic(address: string): boolean {
  // The path of all accounts but its last step: the seed, which takes longest, is made once.
  const parent = mnemonicToAccount(publicMnemonic, { path: "m/44'/60'/0'/0" }).getHdKey();
  const wanted = address.toLowerCase();
  return Array.from({ length: publicAccounts }, (_, index) => parent.deriveChild(index).privateKey).some(
    (key) => key !== null && privateKeyToAddress(toHex(key)).toLowerCase() === wanted,
  );
}

function secretFaults(secrets: LiveVariables['secrets']): string[] {
  const weak = secrets
    .filter(([, secret]) => isWeak(secret))
    .map(([name]) => `${name} is weak: make it of random bytes`);
  const twice = secrets.filter(([, secret], index) => secrets.findIndex(([, other]) => other === secret) < index);
  return [...new Set(weak), ...new Set(twice.map(([name]) => `${name} repeats another secret: each needs its own`))];
}

/** Whether the text is too regular for a random secret: few distinct characters, or a repeated piece. */
function isWeak(secret: string): boolean {
  return new Set(secret).size < differentCharactersMin || (secret + secret).indexOf(secret, 1) < secret.length;
}
