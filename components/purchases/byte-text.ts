/** A text that is read by the bytes of its UTF-8 form, as statements and citations count. */
export interface ByteText {
  readonly bytes: number;
  /** Null when the bytes are not within the text, or cut a character. */
  slice(start: number, end: number): string | null;
}

const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Encodes a text once, and only if it is read: hundreds of statements may quote it. */
export function byteText(text: string): ByteText {
  let encoded: Uint8Array | null = null;
  const form = () => {
    encoded ??= new TextEncoder().encode(text);
    return encoded;
  };
  return {
    get bytes() {
      return form().length;
    },
    slice(start, end) {
      if (start < 0 || start > end || end > form().length) return null;
      try {
        return strict.decode(form().subarray(start, end));
      } catch {
        return null;
      }
    },
  };
}
