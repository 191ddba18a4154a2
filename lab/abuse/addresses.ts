/** One visitor's addresses: from an IPv4 network, or the networks that a provider gives a household with IPv6. */
export const ADDRESSES = {
  'an IPv4 /24': (count: number) => Array.from({ length: count }, (_, at) => `192.0.2.${at}`),
  'an IPv6 /56': (count: number) => Array.from({ length: count }, (_, at) => `2001:db8:0:aa${at.toString(16).padStart(2, '0')}::1`),
} as const

export type Network = keyof typeof ADDRESSES
export const NETWORKS = Object.keys(ADDRESSES) as Network[]
