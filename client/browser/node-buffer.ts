const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

/** Stands for Node's global in a browser: UTF-8 alone, which is all that verification asks of it. */
class Bytes {
  readonly #bytes: Uint8Array;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  subarray(start?: number, end?: number): Bytes {
    return new Bytes(this.#bytes.subarray(start, end));
  }

  toString(): string {
    return decoder.decode(this.#bytes);
  }
}

const encoded = (text: string) => new TextEncoder().encode(text);

export const Buffer = {
  byteLength: (text: string): number => encoded(text).length,
  from: (text: string): Bytes => new Bytes(encoded(text)),
};
