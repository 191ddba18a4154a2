import { Agent, request as httpRequest } from 'node:http'
import { request as httpsRequest, Agent as TlsAgent } from 'node:https'

/**
 * Returns a client that sends requests unchanged (no normalized paths, any body on any method) and records every exchange. `request(path,
 * {method, key, headers, body})` → `{method, path, status, headers, text, json, seconds}`; header names in lower case.
 */
export function makeClient(baseUrl) {
  const base = new URL(baseUrl)
  const secure = base.protocol === 'https:'
  const agent = secure ? new TlsAgent({ keepAlive: true }) : new Agent({ keepAlive: true })
  const exchanges = []

  function send(url, { method = 'GET', headers = {}, body } = {}, path) {
    const go = url.protocol === 'https:' ? httpsRequest : httpRequest
    const options = {
      method,
      host: url.hostname.replace(/^\[|\]$/g, ''),
      port: url.port || (url.protocol === 'https:' ? 443 : 80),
      path: path ?? url.pathname + url.search,
      headers: { host: url.host, ...(body === undefined ? {} : { 'content-length': Buffer.byteLength(body) }), ...headers },
      agent: url.protocol === base.protocol ? agent : undefined,
    }
    return new Promise((resolve, reject) => {
      const request = go(options, (response) => {
        const chunks = []
        response.on('data', (chunk) => chunks.push(chunk))
        response.on('error', reject)
        response.on('end', () => resolve({ status: response.statusCode, headers: response.headers, bytes: Buffer.concat(chunks) }))
      })
      request.setTimeout(30_000, () => request.destroy(new Error(`no response within 30 s: ${method} ${options.path}`)))
      request.on('error', reject)
      request.end(body)
    })
  }

  return {
    exchanges,
    /** Calls the API. `key` is sent in x-service-key. */
    async request(path, { method = 'GET', key, headers, body } = {}) {
      const sent = { ...(key === undefined ? {} : { 'x-service-key': key }), ...headers }
      const { status, headers: got, bytes } = await send(base, { method, headers: sent, body }, base.pathname.replace(/\/$/, '') + path)
      const text = bytes.toString()
      const exchange = { method, path, status, headers: got, text, length: bytes.length, json: parse(text), at: Date.now() / 1000 }
      exchanges.push(exchange)
      return exchange
    },
    /** Requests any address, e.g. of a playlist, or sends a file there. */
    async fetch(address, headers, { method, body } = {}) {
      const { status, headers: got, bytes } = await send(new URL(address), { method, headers, body })
      return { status, headers: got, bytes, text: bytes.toString() }
    },
    close: () => agent.destroy(),
  }
}

function parse(text) {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
