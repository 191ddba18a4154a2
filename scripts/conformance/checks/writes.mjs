// The additive endpoints that change videos. They run only with `--with writes`, and remove what they create.
import { setTimeout } from 'node:timers/promises'
import { VIDEO_FIELDS } from '../contract.mjs'

const needs = ['writeKey']
const VTT = 'WEBVTT\n\n00:00.000 --> 00:00.500\nHello\n'
const VIDEO_NAMES = Object.keys(VIDEO_FIELDS).sort()

/** Returns a function that sends JSON with the key of the section. */
const sender =
  ({ client, writeKey }) =>
  (method, path, body, headers = {}) =>
    client.request(path, {
      method,
      key: writeKey,
      headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
      body: body === undefined ? undefined : JSON.stringify(body),
    })

const namesScope = (value) => JSON.stringify(value).includes('video:write')
const isTime = (value) => typeof value === 'string' && !Number.isNaN(Date.parse(value))
const isId = (start) => (value) => typeof value === 'string' && value.startsWith(start)

const CREATED_FIELDS = {
  uploadId: isId('upl_'),
  uploadUrl: (value) => URL.canParse(value),
  protocol: (value) => value === 'tus',
  expiresAt: isTime,
}

export const writeChecks = [
  {
    id: 'writes.upload',
    section: 'additive',
    title: 'An upload is created once for an Idempotency-Key, is listed while it is open, and can be cancelled',
    needs,
    async run(seen, ctx) {
      const send = sender(ctx)
      const idempotent = { 'idempotency-key': `${ctx.own.mark}-upload` }
      const first = await send('POST', '/v1/upload', { title: 'Conformance' }, idempotent)
      const data = seen.success(first, [], 201)
      seen.fields('upload', data, CREATED_FIELDS)
      seen.header(first, 'location', `/v1/upload/${data?.uploadId}`)
      const again = await send('POST', '/v1/upload', { title: 'Conformance' }, idempotent)
      seen.equal('uploadId of a repeated request', again.json?.data?.uploadId, data?.uploadId)
      seen.error(await send('POST', '/v1/upload', { title: 'Another' }, idempotent), 'IDEMPOTENCY_KEY_REUSED')
      const path = `/v1/upload/${data?.uploadId}`
      seen.equal('state before a byte', seen.success(await send('GET', path))?.status, 'waiting')
      const listed = async () =>
        seen.success(await send('GET', '/v1/upload?status=waiting'), ['pagination'])?.some(({ uploadId }) => uploadId === data?.uploadId)
      seen.equal('in the list of waiting uploads', await listed(), true)
      seen.equal('state after DELETE', seen.success(await send('DELETE', path))?.status, 'failed')
      seen.equal('in the list of waiting uploads after DELETE', await listed(), false)
      const put = await ctx.client.fetch(data?.uploadUrl, {}, { method: 'PUT', body: VTT })
      seen.equal('status of a file for a cancelled upload', put.status, 410)
    },
  },
  {
    id: 'writes.upload-input',
    section: 'additive',
    title: 'Invalid uploads and imports are refused, with the invalid field',
    needs,
    async run(seen, ctx) {
      const send = sender(ctx)
      const invalid = [
        ['/v1/upload', { title: '' }],
        ['/v1/upload', { colour: 'red' }],
        ['/v1/upload', { maxBytes: -1 }],
        ['/v1/video/import', {}],
        ['/v1/video/import', { url: 'file:///etc/passwd' }],
      ]
      for (const [path, body] of invalid)
        seen.error(await send('POST', path, body), 'INVALID_REQUEST', { details: (value) => Array.isArray(value) && value.length > 0 })
      const text = { method: 'POST', key: ctx.writeKey, headers: { 'content-type': 'text/plain' }, body: 'a file' }
      seen.error(await ctx.client.request('/v1/upload', text), 'UNSUPPORTED_MEDIA_TYPE')
    },
  },
  {
    id: 'writes.transfer',
    section: 'additive',
    title: 'A file that is sent with PUT becomes a video with the nine fields, and the upload names it',
    needs,
    async run(seen, ctx) {
      const send = sender(ctx)
      const { id, uploadId, bytes } = await ctx.own.video()
      const upload = seen.success(await send('GET', `/v1/upload/${uploadId}`))
      seen.equal('state of the upload', [upload?.status, upload?.videoId, upload?.bytesReceived], ['completed', id, bytes])
      seen.fields('video', seen.success(await send('GET', `/v1/video/${id}`)), VIDEO_FIELDS)
    },
  },
  {
    id: 'writes.edit',
    section: 'additive',
    title: 'PATCH changes what it names, with If-Match only what was read, and returns the nine fields',
    needs,
    async run(seen, ctx) {
      const send = sender(ctx)
      const path = `/v1/video/${(await ctx.own.video()).id}`
      // Its status is part of the ETag, and a worker may change it in between.
      let before
      let changed
      for (let attempt = 0; attempt < 5 && (!changed || changed.status === 412); attempt++) {
        before = await send('GET', path)
        changed = await send('PATCH', path, { description: 'Of a test' }, { 'if-match': before.headers.etag })
      }
      const data = seen.success(changed)
      seen.equal('fields', Object.keys(data ?? {}).sort(), VIDEO_NAMES)
      seen.equal('title and description', [data?.title, data?.description], [before.json?.data?.title, 'Of a test'])
      seen.equal('the description that is read', (await send('GET', path)).json?.data?.description, 'Of a test')
      seen.error(await send('PATCH', path, { description: 'Late' }, { 'if-match': before.headers.etag }), 'PRECONDITION_FAILED')
      seen.error(await send('PATCH', path, { status: 'COMPLETED' }), 'INVALID_REQUEST', { details: Array.isArray })
      seen.equal('description after refusals', (await send('GET', path)).json?.data?.description, 'Of a test')
    },
  },
  {
    id: 'writes.find',
    section: 'additive',
    title: 'Filters find the video by externalId, metadata and text, and expand adds what it names',
    needs,
    async run(seen, ctx) {
      const send = sender(ctx)
      const { id } = await ctx.own.video()
      for (const search of [`externalId=${ctx.own.mark}`, `metadata[conformance]=${ctx.own.mark}`, `q=${ctx.own.mark}`]) {
        const found = seen.success(await send('GET', `/v1/video?${search}`), ['pagination'])
        seen.equal(
          `videos of ?${search}`,
          found?.map((video) => video.id),
          [id],
        )
      }
      const [expanded] = seen.success(await send('GET', `/v1/video?externalId=${ctx.own.mark}&expand=metadata`), ['pagination']) ?? []
      seen.equal('metadata', [expanded?.externalId, expanded?.metadata], [ctx.own.mark, { conformance: ctx.own.mark }])
    },
  },
  {
    id: 'writes.collections',
    section: 'additive',
    title: 'A collection is created, filled, listed and deleted; its video remains',
    needs,
    async run(seen, ctx) {
      const send = sender(ctx)
      const { id } = await ctx.own.video()
      const created = await send('POST', '/v1/collection', { name: ctx.own.mark })
      const collection = seen.success(created, [], 201)
      const path = `/v1/collection/${collection?.id}`
      ctx.own.removals.push(() => send('DELETE', path))
      seen.header(created, 'location', path)
      seen.error(await send('POST', '/v1/collection', { name: ctx.own.mark }), 'COLLECTION_NAME_IN_USE')
      const listed = async () =>
        seen.success(await send('GET', `/v1/video?collection=${collection?.id}`), ['pagination'])?.map((video) => video.id)
      seen.equal('videos before', await listed(), [])
      for (const _repeated of [1, 2]) seen.success(await send('PUT', `${path}/video/${id}`))
      seen.equal('videos of the collection', await listed(), [id])
      seen.success(await send('DELETE', `${path}/video/${id}`))
      seen.equal('videos after removal', await listed(), [])
      seen.equal('deleted', seen.success(await send('DELETE', path))?.deleted, true)
      seen.error(await send('GET', path), 'COLLECTION_NOT_FOUND')
    },
  },
  {
    id: 'writes.captions',
    section: 'additive',
    title: 'Captions are set, listed and removed; a file that is none is refused',
    needs,
    async run(seen, ctx) {
      const list = `/v1/video/${(await ctx.own.video()).id}/captions`
      const path = `${list}/en`
      const listed = async () => seen.success(await ctx.client.request(list, { key: ctx.writeKey }))
      const send = (method, body) =>
        ctx.client.request(path, { method, key: ctx.writeKey, headers: body === undefined ? {} : { 'content-type': 'text/vtt' }, body })
      seen.equal('language', seen.success(await send('PUT', VTT))?.language, 'en')
      seen.equal('the list', await listed(), [{ language: 'en', label: 'English', cues: 1, generated: false, edited: false }])
      seen.error(await send('PUT', 'no captions'), 'INVALID_REQUEST', { details: Array.isArray })
      seen.success(await send('DELETE'))
      seen.error(await send('DELETE'), 'CAPTIONS_NOT_FOUND')
      seen.equal('the list after DELETE', await listed(), [])
    },
  },
  {
    id: 'writes.transcript',
    section: 'additive',
    title: 'The transcript of captions is read in four formats, and their video is found by a spoken word within two minutes',
    needs,
    async run(seen, ctx) {
      const path = `/v1/video/${(await ctx.own.video()).id}`
      const read = (search = '') => ctx.client.request(`${path}/transcript${search}`, { key: ctx.writeKey })
      seen.error(await read(), 'CAPTIONS_NOT_FOUND')
      const word = `word${ctx.own.mark.replace(/[^a-z0-9]/g, '')}`
      const captions = { method: 'PUT', key: ctx.writeKey, headers: { 'content-type': 'text/vtt' }, body: VTT.replace('Hello', word) }
      seen.success(await ctx.client.request(`${path}/captions/en`, captions))
      const transcript = seen.success(await read())
      seen.equal('fields', Object.keys(transcript ?? {}).sort(), ['content', 'cues', 'edited', 'generated', 'language', 'words'])
      seen.equal('cues', transcript?.cues, [{ startSec: 0, endSec: 0.5, text: word }])
      const contentIn = async (format) => seen.success(await read(`?language=en&format=${format}`))?.content
      seen.equal('as text', await contentIn('text'), `${word}\n`)
      seen.equal('as srt', await contentIn('srt'), `1\n00:00:00,000 --> 00:00:00,500\n${word}\n`)
      const vtt = await contentIn('vtt')
      seen.that('as vtt', vtt?.startsWith('WEBVTT\n') && vtt.includes(`00:00.000 --> 00:00:00.500\n${word}`), 'the cue', vtt)
      seen.error(await read('?format=pdf'), 'INVALID_REQUEST', { details: Array.isArray })
      let found = []
      for (let attempt = 0; attempt < 120 && found.length === 0; attempt++) {
        if (attempt > 0) await setTimeout(1_000)
        const response = await ctx.client.request(`/v1/video?transcript=${word}`, { key: ctx.writeKey })
        found = seen.success(response, ['pagination']) ?? []
      }
      seen.equal('where the word is said', found[0]?.spoken, [{ language: 'en', fromSec: 0, toSec: 0.5, text: word }])
      seen.success(await ctx.client.request(`${path}/captions/en`, { method: 'DELETE', key: ctx.writeKey }))
    },
  },
  {
    id: 'writes.generate',
    section: 'additive',
    title: 'Captions from speech are refused before a video is COMPLETED, and where no engine is, with the reason',
    needs,
    async run(seen, ctx) {
      const send = sender(ctx)
      const path = `/v1/video/${(await ctx.own.video()).id}`
      seen.error(await send('POST', `${path}/captions/-/generate`), 'INVALID_REQUEST', { details: Array.isArray })
      const refused = await send('POST', `${path}/captions/auto/generate`)
      if (refused.json?.error?.code === 'VIDEO_NOT_READY') seen.error(refused, 'VIDEO_NOT_READY')
      else seen.error(refused, 'CAPTIONS_CONFLICT', { details: (value) => value?.reason === 'OFF' })
      const { transcriptions } = seen.success(await send('GET', `${path}/processing`)) ?? {}
      seen.equal('requests after a refusal', transcriptions, [])
    },
  },
  {
    id: 'writes.pictures',
    section: 'additive',
    title: 'Signed URLs open the pictures of a COMPLETED video without a key, and no other file',
    needs: [...needs, 'video'],
    async run(seen, ctx) {
      const send = sender(ctx)
      const pictures = seen.success(await send('GET', `/v1/video/${ctx.video.id}/pictures?width=160`))
      seen.that('expiresAt', isTime(pictures?.expiresAt), 'a time', pictures?.expiresAt)
      for (const name of ['poster', 'thumbnail'].filter((one) => pictures?.[one])) {
        const picture = await ctx.client.fetch(pictures[name])
        seen.equal(`${name}: status and type`, [picture.status, picture.headers['content-type']], [200, 'image/jpeg'])
        const forged = await ctx.client.fetch(pictures[name].replace(/[^/]+\.jpg$/, 'thumbnail-0-320.jpg'))
        seen.equal(`status of another file under the permit of ${name}`, forged.status, 401)
      }
    },
  },
  {
    id: 'writes.delete',
    section: 'additive',
    title: 'A deleted video is unavailable at once, and can be restored',
    needs,
    async run(seen, ctx) {
      const send = sender(ctx)
      const { id } = await ctx.own.video()
      seen.equal('deleted', seen.success(await send('DELETE', `/v1/video/${id}`))?.deleted, true)
      seen.error(await send('GET', `/v1/video/${id}`), 'VIDEO_NOT_FOUND')
      seen.error(await send('PATCH', `/v1/video/${id}`, { title: 'Late' }), 'VIDEO_NOT_FOUND')
      const found = seen.success(await send('GET', `/v1/video?externalId=${ctx.own.mark}`), ['pagination'])
      seen.equal('videos in the list', found, [])
      seen.equal('id of the restored video', seen.success(await send('POST', `/v1/video/${id}/restore`))?.id, id)
      seen.success(await send('GET', `/v1/video/${id}`))
    },
  },
  {
    id: 'writes.download',
    section: 'additive',
    title: 'The original is downloaded by a signed URL where the account permits it, and refused where it does not',
    needs: [...needs, 'video'],
    async run(seen, ctx) {
      const response = await sender(ctx)('POST', `/v1/video/${ctx.video.id}/download`, {})
      if (response.status === 403) return void seen.error(response, 'DOWNLOADS_DISABLED')
      const { url, sizeBytes } = seen.success(response) ?? {}
      const part = await ctx.client.fetch(url, { range: 'bytes=0-0' })
      seen.equal('a range', [part.status, part.headers['content-range']], [206, `bytes 0-0/${sizeBytes}`])
      seen.that('Content-Disposition', part.headers['content-disposition']?.startsWith('attachment'), 'an attachment', part.headers)
    },
  },
  {
    id: 'writes.scope',
    section: 'additive',
    title: 'A key without video:write changes nothing',
    needs: [...needs, 'key'],
    async run(seen, ctx) {
      const { id } = await ctx.own.video()
      const calls = [
        ['POST', '/v1/upload'],
        ['POST', '/v1/video/import'],
        ['PATCH', `/v1/video/${id}`],
        ['DELETE', `/v1/video/${id}`],
        ['PUT', `/v1/video/${id}/captions/en`],
        ['POST', `/v1/video/${id}/captions/auto/generate`],
        ['PUT', `/v1/video/${id}/poster`],
        ['PUT', `/v1/video/${id}/source`],
        ['POST', `/v1/video/${id}/download`],
        ['POST', '/v1/collection'],
      ]
      for (const [method, path] of calls)
        seen.error(await ctx.client.request(path, { method, key: ctx.key }), 'INSUFFICIENT_SCOPE', { details: namesScope })
      seen.success(await sender(ctx)('GET', `/v1/video/${id}`))
    },
  },
]
