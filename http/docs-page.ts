const style = `
:root{color-scheme:light dark;--line:#8884;--soft:#8881;--link:#2456c7}
@media(prefers-color-scheme:dark){:root{--link:#8ab4ff}}
body{font:16px/1.55 system-ui,sans-serif;max-width:62rem;margin:0 auto;padding:1.5rem 1.25rem 4rem}
nav{display:flex;flex-wrap:wrap;gap:1.25rem;padding-bottom:1rem;border-bottom:1px solid var(--line);margin-bottom:2rem}
nav strong{margin-right:auto}a{color:var(--link)}h1{font-size:1.7rem;line-height:1.2}h2{font-size:1.25rem;margin-top:2.2rem}
code{font:0.92em ui-monospace,monospace;background:var(--soft);padding:.1em .35em;border-radius:4px}
pre{background:var(--soft);padding:1rem;border-radius:6px;overflow:auto}pre code{background:none;padding:0}
.wide{overflow-x:auto}table{border-collapse:collapse;width:100%}
th,td{text-align:left;vertical-align:top;padding:.5rem .75rem .5rem 0;border-bottom:1px solid var(--line)}
dt{font-weight:600;margin-top:1rem}dd{margin:0}`

/** A stylesheet and nothing else may be loaded: the pages are text. */
export const pagePolicy = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'"

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }
export const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (sign) => entities[sign] ?? sign)

export const docsPage = (title: string, body: string): string => `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
<title>${escapeHtml(title)} · Touchline</title><style>${style}</style></head><body>
<nav><strong>Touchline</strong><a href="/docs">API reference</a><a href="/docs/errors">Errors</a><a href="/docs/scopes">Scopes</a><a href="/docs/changelog">Change log</a></nav>
<main><h1>${escapeHtml(title)}</h1>
${body}
</main></body></html>
`

export const table = (head: string[], rows: string[][]): string =>
  `<div class="wide"><table><thead><tr>${head.map((cell) => `<th>${cell}</th>`).join('')}</tr></thead><tbody>${rows
    .map((row) => `<tr>${row.map((cell) => `<td>${cell}</td>`).join('')}</tr>`)
    .join('\n')}</tbody></table></div>`

/** As much Markdown as the change log uses: headings, lists, paragraphs, code. */
export function renderMarkdown(markdown: string): string {
  const inline = (text: string) => escapeHtml(text).replace(/`([^`]+)`/g, '<code>$1</code>')
  const blocks: string[] = []
  let items: string[] = []
  const closeList = () => {
    if (items.length) blocks.push(`<ul>${items.map((item) => `<li>${inline(item)}</li>`).join('')}</ul>`)
    items = []
  }
  for (const line of markdown.split('\n')) {
    const heading = /^(#{1,3}) (.*)$/.exec(line)
    const item = /^[-*] (.*)$/.exec(line)
    const isContinued = /^\s+\S/.test(line) && items.length > 0
    if (item) items.push(item[1] ?? '')
    else if (isContinued) items[items.length - 1] += ` ${line.trim()}`
    else {
      closeList()
      // The page has a heading of its own.
      if (heading && heading[1] !== '#')
        blocks.push(`<h${heading[1]?.length}>${inline(heading[2] ?? '')}</h${heading[1]?.length}>`)
      else if (!heading && line.trim()) blocks.push(`<p>${inline(line)}</p>`)
    }
  }
  closeList()
  return blocks.join('\n')
}
