/** An element of a page, as a browser that runs scripts sees it. */
export interface HtmlElement {
  name: string
  /** Names in lower case, values decoded; the first of several with one name counts. */
  attributes: ReadonlyMap<string, string>
  /** What a script holds; of others it is left out. */
  text: string
}

const listed = new Set(['script', 'meta', 'body'])
// What stands inside these is text, whatever it looks like, up to their own end.
const endsOfText = new Map(
  ['script', 'style', 'title', 'textarea', 'noscript', 'iframe', 'noframes', 'noembed', 'xmp'].map((name) => [
    name,
    new RegExp(`</${name}(?=[\\t\\n\\f />])`, 'gi'),
  ]),
)
const tagName = /[a-z][^\t\n\f />]*/iy
const gap = /[\t\n\f /]+/y
const attributeName = /[^\t\n\f />][^\t\n\f />=]*/y
const equalsSign = /[\t\n\f ]*=[\t\n\f ]*/y
const bareValue = /[^\t\n\f >]+/y

/**
 * The scripts, meta elements and bodies of a page in their order, without what is commented out. Anybody may have
 * written the page, so it is read once from its beginning to its end: nothing in it is looked at again and again.
 */
export function htmlElements(page: string): HtmlElement[] {
  const html = page.replace(/\r\n?/g, '\n')
  const elements: HtmlElement[] = []
  for (let at = html.indexOf('<'); at >= 0; ) {
    const { element, end } = readMarkup(html, at)
    if (element) elements.push(element)
    at = html.indexOf('<', end)
  }
  return elements
}

interface Markup {
  element?: HtmlElement
  end: number
}

function readMarkup(html: string, at: number): Markup {
  if (html.startsWith('<!--', at)) return { end: endOf(html, '-->', at + 2) }
  if (html[at + 1] === '!' || html[at + 1] === '?') return { end: endOf(html, '>', at) }
  const name = matchAt(tagName, html, at + 1)
  if (name === '') return { end: at + 1 }
  return readElement(html, name.toLowerCase(), at + 1 + name.length)
}

function readElement(html: string, name: string, from: number): Markup {
  const { attributes, closedAt } = readAttributes(html, from)
  // A browser drops a tag that the page ends in.
  if (closedAt >= html.length) return { end: closedAt }
  const end = closedAt + 1
  const textEnd = endOfText(html, name, end)
  if (!listed.has(name)) return { end: textEnd }
  return { element: { name, attributes, text: html.slice(end, textEnd) }, end: textEnd }
}

function readAttributes(html: string, from: number) {
  const attributes = new Map<string, string>()
  let at = from + gapAt(html, from)
  while (at < html.length && html[at] !== '>') {
    const name = matchAt(attributeName, html, at)
    const { value, end } = readValue(html, at + name.length)
    if (!attributes.has(name.toLowerCase())) attributes.set(name.toLowerCase(), decode(value))
    at = end + gapAt(html, end)
  }
  return { attributes, closedAt: at }
}

const gapAt = (html: string, at: number) => matchAt(gap, html, at).length

function readValue(html: string, from: number): { value: string; end: number } {
  const equals = matchAt(equalsSign, html, from)
  if (equals === '') return { value: '', end: from }
  const start = from + equals.length
  const quote = html[start]
  if (quote !== '"' && quote !== "'") {
    const value = matchAt(bareValue, html, start)
    return { value, end: start + value.length }
  }
  const end = endOf(html, quote, start + 1)
  return { value: html.slice(start + 1, end - 1), end }
}

const entities: Record<string, string> = { amp: '&', quot: '"', apos: "'", lt: '<', gt: '>' }

const decode = (value: string): string =>
  value.replace(/&(?:#(\d{1,6})|#x([\da-f]{1,5})|(amp|quot|apos|lt|gt));/gi, (_, decimal, hex, name) =>
    name ? entities[name.toLowerCase()]! : String.fromCodePoint(decimal ? Number(decimal) : Number.parseInt(hex, 16)),
  )

function endOfText(html: string, name: string, from: number): number {
  const closing = endsOfText.get(name)
  if (!closing) return from
  closing.lastIndex = from
  return closing.exec(html)?.index ?? html.length
}

/** Behind the next mark; without one, all that follows belongs to what was begun. */
function endOf(html: string, mark: string, from: number): number {
  const at = html.indexOf(mark, from)
  return at < 0 ? html.length : at + mark.length
}

function matchAt(sticky: RegExp, html: string, at: number): string {
  sticky.lastIndex = at
  return sticky.exec(html)?.[0] ?? ''
}
