/**
 * The nonce that the page's policy requires on every <style> (route.ts). scripts/build-player.ts adds it to Media Chrome's templates, whose
 * shadow roots contain styles.
 */
export const styleNonce = document.querySelector<HTMLLinkElement>('link[nonce]')?.nonce ?? ''
