import type { BoughtPurchase } from '@/server/purchases/list-contract.ts';

/** What a list calls a purchase: the first line of its request, or why there is none. */
export function titleText({ title, content_deleted }: Pick<BoughtPurchase, 'title' | 'content_deleted'>): string {
  return title ?? (content_deleted ? 'A check whose content was deleted' : 'A check without a request');
}
