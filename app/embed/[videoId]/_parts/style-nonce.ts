/**
 * What the page's policy asks of every <style> (route.ts). scripts/build-player.ts writes it into Media Chrome's templates, whose
 * shadow roots bring styles of their own.
 */
export const styleNonce = document.querySelector<HTMLLinkElement>('link[nonce]')?.nonce ?? ''
