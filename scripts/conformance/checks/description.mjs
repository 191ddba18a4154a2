// The served OpenAPI description and the guides that errors link to (additive).
import { ADDRESSES, ERRORS } from '../contract.mjs'
import { validatorChecks } from './validators.mjs'

export const descriptionChecks = [
  {
    id: 'description.served',
    section: 'additive',
    title: 'The description is OpenAPI 3.1, readable by any origin, and lists every path, method and code',
    needs: [],
    async run(seen, { client, baseUrl }) {
      const response = await client.request('/v1/openapi.json')
      seen.equal('status', response.status, 200)
      seen.header(response, 'content-type', 'application/json')
      seen.header(response, 'access-control-allow-origin', '*')
      seen.header(response, 'x-request-id', /^[\w-]{8,64}$/)
      const api = response.json
      seen.that('openapi', /^3\.1\./.test(api?.openapi), '3.1.x', api?.openapi)
      seen.equal(
        'servers',
        api?.servers?.map(({ url }) => new URL(url, baseUrl).href),
        [new URL(baseUrl).href],
      )
      for (const [address, methods] of Object.entries(ADDRESSES)) {
        const described = Object.keys(api?.paths?.[address] ?? {}).map((method) => method.toUpperCase())
        seen.equal(`methods described of ${address}`, described.sort(), methods.filter((one) => one !== 'HEAD' && one !== 'OPTIONS').sort())
      }
      for (const code of Object.keys(ERRORS)) seen.that(`code ${code}`, response.text.includes(`"${code}"`), 'described', 'nothing')
    },
  },
  ...validatorChecks('description', 'additive', [], () => '/v1/openapi.json', { open: true }),
  {
    id: 'docs.errors',
    section: 'additive',
    title: 'The page at docUrl explains every code',
    needs: ['docs'],
    async run(seen, { client }) {
      const { json } = await client.request('/v1/nothing')
      const address = new URL(json.error.docUrl)
      const page = await client.fetch(address.href)
      seen.equal('status of the page', page.status, 200)
      for (const code of Object.keys(ERRORS)) seen.that(`anchor #${code}`, page.text.includes(`id="${code}"`), 'there', 'nothing')
    },
  },
]
