/** Signs receipts: a compact JWS (RFC 7515) with Ed25519 (RFC 8037) that contains its payload. */
export interface ReceiptSigner {
  readonly kid: string;
  /** Under `kid`, or under another public name of the same key. */
  sign(payload: string, name?: string): string;
}
