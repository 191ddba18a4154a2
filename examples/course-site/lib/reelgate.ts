import { Reelgate } from '@reelgate/sdk'

/** The client reads REELGATE_URL and REELGATE_API_KEY. It is for the server alone: the key must not reach a browser. */
export const reelgate = () => new Reelgate()
