// The token exchange (specification §2.3, §4.4).
import { createHmac, createSign, generateKeyPairSync } from 'node:crypto'
import { MANIFEST_FIELDS } from '../contract.mjs'
import { issue, readToken } from './tokens.mjs'

const exchange = ({ client }, token, search = '', init = {}) => client.request(`/v1/video/playback/manifest/${token}${search}`, init)
const freshToken = async (ctx) => (await issue(ctx, ctx.video.id)).json?.data?.token ?? 'pt_none'

const encode = (value) => Buffer.from(JSON.stringify(value)).toString('base64url')
const hs256 = (input, secret) => createHmac('sha256', secret).update(input).digest('base64url')

/** Returns tokens derived from a valid one that must all be refused. */
function forgeries(token) {
  const [header, payload, signature] = token.slice(3).split('.')
  const { header: head, claims } = readToken(token)
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const rsInput = `${encode({ ...head, alg: 'RS256' })}.${payload}`
  const rs = createSign('RSA-SHA256').update(rsInput).sign(privateKey).toString('base64url')
  const signed = (changedHead, changedClaims, secret) => {
    const input = `${encode(changedHead)}.${encode(changedClaims)}`
    return `pt_${input}.${hs256(input, secret)}`
  }
  const last = signature.slice(-1)
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
  const sameBits = alphabet[(alphabet.indexOf(last) & ~3) | ((alphabet.indexOf(last) & 3) === 1 ? 2 : 1)]
  return {
    'another signature': `pt_${header}.${payload}.${signature[0] === 'A' ? 'B' : 'A'}${signature.slice(1)}`,
    'the same signature in another encoding': `pt_${header}.${payload}.${signature.slice(0, -1)}${sameBits}`,
    'another video under the old signature': `pt_${header}.${encode({ ...claims, videoId: 'vid_other' })}.${signature}`,
    'a later expiry under the old signature': `pt_${header}.${encode({ ...claims, exp: claims.exp + 3600 })}.${signature}`,
    'alg none, unsigned': `pt_${encode({ ...head, alg: 'none' })}.${payload}.`,
    'alg none, old signature': `pt_${encode({ ...head, alg: 'none' })}.${payload}.${signature}`,
    'RS256 with a key of ours': `pt_${rsInput}.${rs}`,
    'signed with an empty secret': signed(head, claims, ''),
    'signed with "secret"': signed(head, claims, 'secret'),
    'an unknown kid': signed({ ...head, kid: 'unknown' }, claims, 'unknown'),
    'a kid that is a path': signed({ ...head, kid: '../../../dev/null' }, claims, ''),
    'without its prefix': token.slice(3),
    'with its prefix twice': `pt_${token}`,
    truncated: token.slice(0, -1),
    'with an extra part': `${token}.${signature}`,
    'with padding': `${token}=`,
    'no token at all': 'x',
    'only the prefix': 'pt_',
    'very long': `pt_${'x'.repeat(4_000)}`,
  }
}

export const manifestChecks = [
  {
    id: 'manifest.result',
    section: '2.3, 4.4',
    title: 'A token returns the manifest to any origin with Cache-Control: no-store',
    needs: ['video'],
    async run(seen, ctx) {
      const token = await freshToken(ctx)
      const response = await exchange(ctx, token)
      const data = seen.success(response)
      seen.fields('data', data, MANIFEST_FIELDS)
      seen.header(response, 'cache-control', 'no-store')
      seen.header(response, 'access-control-allow-origin', '*')
      seen.header(response, 'access-control-allow-credentials', undefined)
      seen.noCounters(response)
      if (!data) return
      seen.equal('qualities', data.qualities, ctx.video.qualities)
      seen.equal('expiresAt, seconds', Date.parse(data.expiresAt) / 1000, readToken(token).claims.exp)
      seen.that(
        'sessionExpiresAt',
        Date.parse(data.sessionExpiresAt) > Date.parse(data.expiresAt),
        'after expiresAt',
        data.sessionExpiresAt,
      )
    },
  },
  {
    id: 'manifest.repeat',
    section: '4.4 (additive)',
    title: 'A token can be exchanged more than once within its lifetime',
    needs: ['video'],
    async run(seen, ctx) {
      const token = await freshToken(ctx)
      for (let turn = 0; turn < 3; turn++) seen.success(await exchange(ctx, token))
    },
  },
  {
    id: 'manifest.key-ignored',
    section: '4.4',
    title: 'A key header, good or bad, is ignored',
    needs: ['video'],
    async run(seen, ctx) {
      const token = await freshToken(ctx)
      for (const key of [ctx.key, 'nonsense', '']) seen.success(await exchange(ctx, token, '', { key }))
      seen.error(await exchange(ctx, 'pt_x', '', { key: ctx.key }), 'PLAYBACK_TOKEN_INVALID')
    },
  },
  {
    id: 'manifest.bound',
    section: '5.6',
    title: '?videoId= must be the token’s video',
    needs: ['video'],
    async run(seen, ctx) {
      const token = await freshToken(ctx)
      seen.success(await exchange(ctx, token, `?videoId=${ctx.video.id}`))
      seen.error(await exchange(ctx, token, '?videoId=vid_another'), 'PLAYBACK_TOKEN_INVALID')
    },
  },
  {
    id: 'manifest.forgeries',
    section: '4.4, 5.6',
    title: 'Modified, re-signed, truncated and malformed tokens: 401 PLAYBACK_TOKEN_INVALID',
    needs: ['video'],
    async run(seen, ctx) {
      const token = await freshToken(ctx)
      for (const [name, forged] of Object.entries(forgeries(token))) {
        const response = await exchange(ctx, forged)
        if (response.status === 200) seen.drift(`a token ${name}`, 'to be rejected', 'accepted')
        seen.error(response, 'PLAYBACK_TOKEN_INVALID')
        seen.header(response, 'access-control-allow-origin', '*')
        if (forged.length > 40) seen.that('body', !response.text.includes(forged), 'not to contain the token', response.text)
      }
      seen.success(await exchange(ctx, token))
    },
  },
  {
    id: 'manifest.head',
    section: '4.4 (additive)',
    title: 'HEAD returns the headers of GET',
    needs: ['video'],
    async run(seen, ctx) {
      const head = await exchange(ctx, await freshToken(ctx), '', { method: 'HEAD' })
      seen.equal('status of HEAD', head.status, 200)
      seen.equal('length of the body', head.length, 0)
      for (const name of ['access-control-allow-origin', 'cache-control', 'content-type'])
        seen.header(
          head,
          name,
          { 'access-control-allow-origin': '*', 'cache-control': 'no-store', 'content-type': 'application/json' }[name],
        )
    },
  },
]
