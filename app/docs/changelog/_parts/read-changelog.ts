/** Changes of one kind, such as “Added”, in Markdown. */
export interface Changes {
  kind: string
  items: string[]
}

export interface Version {
  name: string
  changes: Changes[]
}

/** Reads a changelog in the format of Keep a Changelog, newest version first. Text before the first version is left out. */
export function readChangelog(markdown: string): Version[] {
  const versions: Version[] = []
  for (const line of markdown.split('\n')) {
    const changes = versions.at(-1)?.changes
    const items = changes?.at(-1)?.items
    if (line.startsWith('## ')) versions.push({ name: line.slice(3).replace(/[[\]]/g, ''), changes: [] })
    else if (line.startsWith('### ')) changes?.push({ kind: line.slice(4), items: [] })
    else if (line.startsWith('- ')) items?.push(line.slice(2))
    else if (line.startsWith('  ') && items?.length) items.push(`${items.pop()} ${line.trim()}`)
  }
  return versions
}
