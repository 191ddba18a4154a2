import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Metadata } from 'next'
import { Marked } from '../../_ui/Marked'
import { Guide, Section } from '../_parts/Guide'
import { readChangelog } from './_parts/read-changelog'

export const metadata: Metadata = { title: 'Changelog' }

export default function Changelog() {
  const versions = readChangelog(readFileSync(join(process.cwd(), 'CHANGELOG.md'), 'utf8'))
  return (
    <Guide href="/docs/changelog" lead="See what changes for you with an upgrade, newest version first.">
      {versions.map(({ name, changes }) => (
        <Section key={name} id={name.replace(/[^\w.-]+/g, '-')} title={name}>
          {changes.map(({ kind, items }) => (
            <section key={kind} aria-label={`${name}: ${kind}`}>
              <h3>{kind}</h3>
              <ul>
                {items.map((item) => (
                  <li key={item}>
                    <Marked>{item}</Marked>
                  </li>
                ))}
              </ul>
            </section>
          ))}
        </Section>
      ))}
    </Guide>
  )
}
