/** Colors match the dashboard (app/_ui/theme.ts). The reader's mail client chooses the theme. */
const STYLE = `
:root{color-scheme:light dark}
body{margin:0;padding:32px 16px;background:#f7f8fa;color:#171a21;font:15px/1.55 -apple-system,"Segoe UI",Roboto,Helvetica,Arial,sans-serif}
main{max-width:520px;margin:0 auto;padding:28px 32px;border:1px solid #e4e7ec;border-radius:10px;background:#fff}
.brand{margin:0 0 20px;font-weight:650}
h1{margin:0 0 12px;font-size:20px;line-height:1.3}
p{margin:0 0 14px;overflow-wrap:anywhere}
a{color:#4348c4}
a.button{display:inline-block;padding:11px 18px;border-radius:7px;background:#5159dd;color:#fff;font-weight:600;text-decoration:none}
@media (prefers-color-scheme:dark){
body{background:#0c0e13;color:#e6e8ee}
main{border-color:#262a34;background:#161920}
a{color:#9ba7fb}
a.button{color:#fff}
}`

const inHtml = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')

/**
 * Renders an email's text as HTML: paragraphs, with links only to this installation, so that a name in the text adds no link. A line that
 * is an address, or a label with one, becomes a button.
 */
export function mailHtml({ subject, text }: { subject: string; text: string }, baseUrl: string): string {
  const base = baseUrl.replace(/[^\w]/g, '\\$&')
  // A longer host, a port or a user name after the base makes it another site's address.
  const own = new RegExp(`${base}(?:[/?#][^\\s<>"]*[^\\s<>".,;:!?]|[/?#]|(?![\\w:@-]|\\.\\w))`, 'g')
  const labelled = new RegExp(`^(?:([^\\n:]{1,60}): )?(${own.source})$`)
  const line = (one: string) => {
    const found = labelled.exec(one)
    if (found) return `<a class="button" href="${inHtml(found[2] as string)}">${inHtml(found[1] ?? 'Continue')}</a>`
    let html = ''
    let after = 0
    for (const { 0: url, index } of one.matchAll(own)) {
      html += `${inHtml(one.slice(after, index))}<a href="${inHtml(url)}">${inHtml(url)}</a>`
      after = index + url.length
    }
    return html + inHtml(one.slice(after))
  }
  const title = inHtml(subject.replace(/\s+/g, ' '))
  const paragraphs = text
    .trim()
    .split(/\n{2,}/)
    .map((paragraph) => `<p>${paragraph.split('\n').map(line).join('<br>')}</p>`)
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark"><title>${title}</title><style>${STYLE}</style></head><body><main><p class="brand">Reelgate</p><h1>${title}</h1>${paragraphs.join('')}</main></body></html>`
}
