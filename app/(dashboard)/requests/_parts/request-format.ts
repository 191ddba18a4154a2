import type { Explanation } from '#server/modules/analytics/requests/explain'
import type { EndpointName } from '../../../_endpoints'

/** Returns a command that repeats the call, with placeholders for what the log does not store. */
export function curlOf({ method, path, query, operation }: Explanation, endpoints: EndpointName[], origin: string): string {
  const isExchange = endpoints.find((one) => one.operation === operation)?.path.includes('{token}') ?? false
  const address = `${origin}${path.replace('{token}', '<PLAYBACK_TOKEN>')}${query ? `?${encodeURI(query)}` : ''}`
  const verb = method === 'GET' ? '' : method === 'HEAD' ? ' -I' : ` -X ${method}`
  const key = isExchange ? '' : ` \\\n  -H "x-service-key: <API_KEY>"`
  return `curl -i${verb} ${quoted(address)}${key}`
}

const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`
