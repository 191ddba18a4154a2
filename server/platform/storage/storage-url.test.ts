import { expect, it } from 'vitest'
import { readSettings } from '../config/config.ts'
import { parseStorageUrl } from './storage-url.ts'

it('reads a location', () => {
  expect(parseStorageUrl('s3://media')).toEqual({
    bucket: 'media',
    prefix: '',
    endpoint: undefined,
    region: 'us-east-1',
    pathStyle: false,
    partLimit: 10_000,
    equalParts: false,
  })
  expect(parseStorageUrl('s3://media/a/b/?endpoint=https://s3.example.com:9000/&region=eu-1')).toEqual({
    bucket: 'media',
    prefix: 'a/b/',
    endpoint: 'https://s3.example.com:9000',
    region: 'eu-1',
    pathStyle: true,
    partLimit: 10_000,
    equalParts: false,
  })
  expect(parseStorageUrl('s3://media?endpoint=https://s3.example.com&pathStyle=false').pathStyle).toBe(false)
  expect(parseStorageUrl('s3://media?partLimit=1000&equalParts=true')).toMatchObject({ partLimit: 1_000, equalParts: true })
  expect(parseStorageUrl('s3://media?publicUrl=https://media.example.com/').publicUrl).toBe('https://media.example.com')
})

it.each([
  ['file:///media', 'must have the form'],
  ['media', 'must have the form'],
  ['s3://Me_dia', 'must name a bucket'],
  ['s3://key:secret@media', 'must not contain credentials'],
  ['s3://media/a%2fb', 'prefix'],
  ['s3://media?end=1', 'unknown parameter'],
  ['s3://media?endpoint=s3.example.com', 'endpoint must be an address'],
  ['s3://media?publicUrl=https://anna:word@media.example.com', 'publicUrl must be an address'],
  ['s3://media?pathStyle=yes', 'pathStyle must be'],
  ['s3://media?equalParts=1', 'equalParts must be'],
  ['s3://media?partLimit=50', 'partLimit must be'],
])('refuses %s', (text, reason) => {
  expect(() => parseStorageUrl(text)).toThrow(new RegExp(reason, 'i'))
})

it('names the setting in the error, and not its value', () => {
  const start = () => readSettings({ BASE_URL: 'http://localhost', STORAGE_URL: 's3://key:hidden@media' })
  expect(start).toThrow(/STORAGE_URL: Must not contain credentials/)
  expect(start).not.toThrow(/hidden/)
})
