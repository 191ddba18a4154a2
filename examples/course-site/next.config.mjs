import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

// The folder whose node_modules has Next: this one, or a workspace above it.
const root = join(dirname(createRequire(import.meta.url).resolve('next/package.json')), '../..')

/** @type {import('next').NextConfig} */
export default { turbopack: { root } }
