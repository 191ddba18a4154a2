/** Returns a random key for one call. Not `crypto.randomUUID`, which browsers offer only on pages over https. */
export const newIdempotencyKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('')
