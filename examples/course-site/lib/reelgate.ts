import { Reelgate } from '@reelgate/sdk'

/** The client, which reads REELGATE_URL and REELGATE_API_KEY. Use it only on the server: the key must not reach a browser. */
export const reelgate = () => new Reelgate()
