import { globSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { fieldErrors, schemaErrors } from './form-errors.ts'

/** Forms whose input is only compared and never sent. */
const SENDS_NOTHING = ['app/(dashboard)/api-keys/_parts/RevokeDialog.tsx']

it('every form validates with a schema of the server and shows errors at the field', () => {
  const forms = globSync('app/**/*.tsx').filter((file) => readFileSync(file, 'utf8').includes('<form'))
  expect(forms.length).toBeGreaterThan(25)
  const unchecked = forms.filter((file) => {
    const text = readFileSync(file, 'utf8')
    const checks = /schemaResolver\(|\.safeParse\(/.test(text) && /#server\/[\w/-]*schema'/.test(text)
    return !checks || !/noValidate/.test(text) || !/getInputProps\(|error=\{|errors=\{|problem/.test(text)
  })
  expect(unchecked.sort()).toEqual(SENDS_NOTHING)
})

it('the first error of each field is shown, from a schema and from the server alike', () => {
  const schema = z.object({ name: z.string().min(3, 'Short.').regex(/^a/, 'No a.'), list: z.array(z.int('No number.')) })
  expect(schemaErrors(schema.safeParse({ name: 'b', list: [1, 'x'] }))).toEqual({ name: 'Short.', list: 'No number.' })
  expect(schemaErrors(schema.safeParse({ name: 'abc', list: [] }))).toEqual({})
  const details = [{ in: 'body', path: 'name', message: 'Short.' }]
  expect(fieldErrors({ message: 'No.', data: { details } })).toEqual({ name: 'Short.' })
})
