import { type ClientResponse, send } from './client.ts'
import { makeAccount, makeKey } from './make.ts'

/** The data of `POST /v1/upload`. */
export interface Created {
  uploadId: string
  uploadUrl: string
  protocol: string
  expiresAt: string
}

/** Calls the uploads of the API with a key of its own account. */
export async function uploadCaller(baseUrl: string) {
  const ctx = await makeAccount()
  const { id: keyId, value: key } = await makeKey(ctx, { scopes: ['video:write'] })
  const call = (method: string, path: string, { body, headers = {} }: { body?: string; headers?: Record<string, string> } = {}) =>
    send(baseUrl + path, { method, headers: { 'x-service-key': key, 'content-type': 'application/json', ...headers }, body })
  const post = (input: unknown = {}, headers: Record<string, string> = {}) =>
    call('POST', '/v1/upload', { body: JSON.stringify(input), headers })
  return {
    ctx,
    keyId,
    key,
    call,
    post,
    async create(input: unknown = {}, headers: Record<string, string> = {}): Promise<Created> {
      const answer = await post(input, headers)
      if (answer.status !== 201) throw new Error(`${answer.status} ${answer.body}`)
      return JSON.parse(answer.body).data
    },
    get: async (uploadId: string) => JSON.parse((await call('GET', `/v1/upload/${uploadId}`)).body).data,
    cancel: (uploadId: string) => call('DELETE', `/v1/upload/${uploadId}`),
  }
}

/** Returns status and error code of a response. */
export const refusalOf = ({ status, body }: Pick<ClientResponse, 'status' | 'body'>) => [status, JSON.parse(body).error?.code]
