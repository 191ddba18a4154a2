import { describe, expect, it } from 'vitest'
import { type ConsoleOperation, problemOf, requestOf } from './request.ts'

const parameter = (name: string, place: 'path' | 'query' | 'header', required = false) => ({ name, in: place, required, value: '' })

const rename: ConsoleOperation = {
  operationId: 'rename',
  method: 'PATCH',
  path: '/v1/video/{videoId}',
  scope: 'video:write',
  parameters: [parameter('videoId', 'path', true), parameter('expand', 'query'), parameter('If-Match', 'header')],
  body: '{}',
  takesFile: false,
}
const input = { values: { videoId: 'vid_a' }, body: '{"title":"A"}', file: undefined }

describe('problemOf', () => {
  it('names a missing value, a missing file and a body that is not JSON', () => {
    expect(problemOf(rename, { ...input, values: { videoId: ' ' } })).toBe('Enter a value for videoId.')
    expect(problemOf({ ...rename, takesFile: true }, input)).toBe('Choose a file.')
    expect(problemOf(rename, { ...input, body: '{' })).toMatch(/^The body is not JSON: /)
    expect(problemOf(rename, { ...input, body: '' })).toBeUndefined()
    expect(problemOf(rename, input)).toBeUndefined()
  })
})

describe('requestOf', () => {
  it('places values in path, query and headers, and leaves out empty ones', () => {
    const values = { videoId: '../a b', expand: 'storage', 'If-Match': '"1"' }
    expect(requestOf(rename, { ...input, values }, 'ak')).toEqual({
      method: 'PATCH',
      url: '/v1/video/..%2Fa%20b?expand=storage',
      headers: { 'x-service-key': 'ak', 'Content-Type': 'application/json', 'If-Match': '"1"' },
      body: '{"title":"A"}',
    })
    expect(requestOf(rename, { ...input, body: '' }, undefined)).toEqual({ method: 'PATCH', url: '/v1/video/vid_a', headers: {} })
  })

  it('sends a file as it is', () => {
    const file = new File(['x'], 'poster.jpg')
    const request = requestOf({ ...rename, body: undefined as never, takesFile: true }, { ...input, file }, 'ak')
    expect(request.body).toBe(file)
    expect(request.headers['Content-Type']).toBe('application/octet-stream')
  })
})
