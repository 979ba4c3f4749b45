import type { Page } from 'playwright';
import { type Hex, type PrivateKeyAccount, toHex } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';

/** A wallet as browser extensions put it into pages (EIP-1193). It holds a key, and its owner may decline. */
export class BrowserWallet {
  readonly account: PrivateKeyAccount;
  /** Requests it got, in order. */
  readonly asked: string[] = [];
  /** What it was asked to sign, in order. */
  readonly signed: string[] = [];
  /** Whether its owner declines to sign. */
  refuses = false;
  #chainId = 1;

  constructor(key: Hex) {
    this.account = privateKeyToAccount(key);
  }

  /** A wallet with 1,000 USDC on each chain of the sandbox. */
  static async funded(sandboxUrl: string): Promise<BrowserWallet> {
    const response = await fetch(`${sandboxUrl}/wallets`, { method: 'POST' });
    return new BrowserWallet(((await response.json()) as { private_key: Hex }).private_key);
  }

  /** Adds it to every page opened from now on. */
  async enter(page: Page): Promise<void> {
    await page.exposeFunction('askWallet', (method: string, params: unknown[]) => this.#answer(method, params ?? []));
    await page.addInitScript(() => {
      const ask = (window as unknown as { askWallet: (...it: unknown[]) => Promise<{ value: unknown; code?: number }> })
        .askWallet;
      Object.defineProperty(window, 'ethereum', {
        value: {
          on: () => undefined,
          removeListener: () => undefined,
          async request({ method, params }: { method: string; params?: unknown[] }) {
            const { value, code } = await ask(method, params);
            if (code === undefined) return value;
            throw Object.assign(new Error(`the wallet says no to ${method}`), { code });
          },
        },
      });
    });
  }

  async #answer(method: string, params: unknown[]): Promise<{ value: unknown; code?: number }> {
    this.asked.push(method);
    switch (method) {
      case 'eth_requestAccounts':
      case 'eth_accounts':
        return { value: [this.account.address] };
      case 'eth_chainId':
        return { value: toHex(this.#chainId) };
      case 'wallet_switchEthereumChain':
        this.#chainId = Number((params[0] as { chainId: Hex }).chainId);
        return { value: null };
      case 'personal_sign':
        return this.#sign(Buffer.from(String(params[0]).slice(2), 'hex').toString(), (message) =>
          this.account.signMessage({ message }),
        );
      case 'eth_signTypedData_v4':
        return this.#sign(String(params[1]), (text) => {
          const typed = JSON.parse(text);
          // Wallets sign only for their current chain.
          if (Number(typed.domain.chainId) !== this.#chainId) throw new Error('signed for another chain');
          return this.account.signTypedData(typed);
        });
      default:
        return { value: null, code: 4200 };
    }
  }

  async #sign(text: string, sign: (text: string) => Promise<Hex>): Promise<{ value: unknown; code?: number }> {
    if (this.refuses) return { value: null, code: 4001 };
    this.signed.push(text);
    return { value: await sign(text) };
  }
}
