// ETag, 304 and HEAD, the same for every read.

/** Returns the checks of one readable URL. `path(ctx)`; sends the key unless `open`. */
export function validatorChecks(name, section, needs, path, { open = false } = {}) {
  const credential = (ctx) => (open ? undefined : ctx.key)
  return [
    {
      id: `${name}.etag`,
      section,
      title: `${name}: If-None-Match with the current validator returns 304 without a body`,
      needs,
      async run(seen, ctx) {
        const key = credential(ctx)
        const first = await ctx.client.request(path(ctx), { key })
        const etag = first.headers.etag
        if (!seen.header(first, 'etag', /^"[^"]+"$/)) return
        for (const held of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
          const again = await ctx.client.request(path(ctx), { key, headers: { 'if-none-match': held } })
          seen.equal(`status for If-None-Match: ${held}`, again.status, 304)
          seen.equal('length of a 304', again.length, 0)
          seen.header(again, 'etag', etag)
          seen.header(again, 'cache-control', first.headers['cache-control'])
          seen.header(again, 'x-request-id', /^[\w-]{8,64}$/)
        }
        const other = await ctx.client.request(path(ctx), { key, headers: { 'if-none-match': '"other"' } })
        seen.equal('status for another validator', other.status, 200)
        seen.equal('body for another validator', other.text, first.text)
      },
    },
    {
      id: `${name}.head`,
      section,
      title: `${name}: HEAD returns the headers of GET without the body`,
      needs,
      async run(seen, ctx) {
        const key = credential(ctx)
        const get = await ctx.client.request(path(ctx), { key })
        const head = await ctx.client.request(path(ctx), { key, method: 'HEAD' })
        seen.equal('status of HEAD', head.status, get.status)
        seen.equal('length of the body of HEAD', head.length, 0)
        // A server that sends chunked bodies sends no length in either response.
        for (const header of ['content-length', 'content-type', 'etag', 'cache-control', 'access-control-allow-origin'])
          seen.header(head, header, get.headers[header])
        seen.header(head, 'x-request-id', /^[\w-]{8,64}$/)
      },
    },
  ]
}
